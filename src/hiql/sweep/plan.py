"""What a sweep tries: every combination of its axes, as units that can be computed in any order, anywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from hiql.data.digest import digest_of, plain
from hiql.data.trajectories import Trajectories
from hiql.dynamics import registry
from hiql.dynamics.chain import IntentionDynamics
from hiql.errors import InvalidParameter
from hiql.models import GLMHMM, HIAVI, HIQL, IntentionModel
from hiql.models.pooling import POOLS, PRIORS
from hiql.priors.estimates import MODE
from hiql.sweep import holding_out
from hiql.worlds.mdp import MDP


def _hiavi(source: Source, n_intentions: int | str, **options: Any) -> IntentionModel:
    if source.mdp is None:
        raise InvalidParameter(parameter="family", value="hiavi", remedy="give a world, or choose family hiql")
    return HIAVI(n_intentions, mdp=source.mdp, **options)


def _hiql(source: Source, n_intentions: int | str, **options: Any) -> IntentionModel:
    return HIQL(n_intentions, discount=source.discount, **options)


def _stochastic(source: Source, n_intentions: int | str, **options: Any) -> IntentionModel:
    return HIQL(n_intentions, discount=source.discount, method="stochastic", **options)


def _glmhmm(
    source: Source,
    n_intentions: int | str,
    *,
    prior: str,
    pool: str | None,
    pseudo_count: float,  # noqa: ARG001
    **options: Any,
) -> IntentionModel:
    if prior != "flat":
        raise InvalidParameter(parameter="prior", value=prior, remedy="choose flat for family glmhmm")
    if pool is not None and not can_pool("glmhmm"):
        raise InvalidParameter(parameter="pool", value=pool, remedy="choose none for family glmhmm")
    pooling: dict[str, Any] = {} if pool is None else {"pool": pool}
    return GLMHMM(n_intentions, inputs=source.inputs, **options, **pooling)


FAMILIES = {"hiavi": _hiavi, "hiql": _hiql, "stochastic": _stochastic, "glmhmm": _glmhmm}
"""Kinds of model: in a known world, in an unknown one, the paper's stochastic Algorithm 2, and choices that weigh the
inputs."""


def check_families(names: Sequence[str]) -> None:
    for name in names:
        if name not in FAMILIES:
            raise InvalidParameter(parameter="family", value=name, remedy=f"choose from {', '.join(FAMILIES)}")


USUAL_PSEUDO_COUNT = 0.1
"""Added to every expected count of an action where nobody says otherwise."""


def check_pseudo_counts(families: Iterable[str], pseudo_counts: Sequence[float]) -> None:
    """Families that count take them; one that weighs inputs learns how strongly its weights are held together."""
    others = [given for given in pseudo_counts if given != USUAL_PSEUDO_COUNT]
    if {*families} == {"glmhmm"} and others:
        remedy = "leave it out: family glmhmm learns the ridges of its weights, and counts nothing"
        raise InvalidParameter(parameter="pseudo_count", value=others[0], remedy=remedy)


def can_pool(family: str) -> bool:
    """Whether animals may share and differ. Sampled rewards cannot be pooled."""
    kinds: dict[str, Any] = {"hiavi": HIAVI, "hiql": HIQL, "glmhmm": GLMHMM}
    return family in kinds and "pool" in kinds[family]._get_param_names()


ALL_SESSIONS = None
"""The fold of fits to all the data."""
NO_FOLDS = 0
AXES = ("family", "history", "pseudo_count", "dynamics", "prior", "pool", "n_intentions")
"""What tells candidates apart."""
LATER = {"dynamics": registry.DEFAULT, "prior": "flat", "pool": None}
"""Axes that older sweeps did not have: a unit does not name them at these values, so that old folders go on."""


@dataclass(frozen=True)
class Source:
    """The data, once for each reading of the table (a length of history; None for the only one), and the world if it is
    known."""

    data: Mapping[Hashable, Trajectories]
    mdp: MDP | None = None
    discount: float = 0.99
    clocks: Mapping[str, IntentionDynamics] = field(default_factory=dict)
    """Dynamics by names that the registry does not have."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """How every model is fitted, whatever the candidate."""
    inputs: tuple[str, ...] | None = None
    """Those that choices linear in inputs depend on, beside traces of the past where a reading has any; None: all."""

    def model(self, unit: Mapping[str, Any]) -> IntentionModel:
        """The unfitted model of a unit; a restart is another seed."""
        wanted = LATER | dict(unit)
        # The model's own default is a Markov chain, or one for each animal where animals are pooled.
        clock = None if wanted["dynamics"] == registry.DEFAULT else wanted["dynamics"]
        return FAMILIES[unit["family"]](
            self._as_read(unit["history"]),
            unit["n_intentions"],
            dynamics=self.clocks.get(clock, clock) if clock else None,
            prior=wanted["prior"],
            pool=wanted["pool"],
            pseudo_count=unit["pseudo_count"],
            random_state=unit["seed"] + unit["restart"],
            progress=False,
            **self.settings,
        )

    def _as_read(self, history: Hashable) -> Source:
        """The same where choices depend on the traces of this reading, too."""
        memory = self.data[history].memory
        if self.inputs is None or memory is None:
            return self
        return replace(self, inputs=tuple(dict.fromkeys((*self.inputs, *memory.names))))

    def can_fit(self, candidate: Mapping[str, Any]) -> bool:
        """Whether its parts can be estimated as the settings want: all have a mode, but some no posterior."""
        model = self.model({**candidate, "seed": 0, "restart": 0})
        if model.estimate == MODE:
            return True
        try:
            for part in model._parts(None):
                part.estimating(model.estimate)
        except InvalidParameter:
            return False
        return True

    def search_settings(self, unit: Mapping[str, Any]) -> dict[str, Any]:
        """The other settings of the unit's model: when a default changes, old results are not mistaken for new ones."""
        told = {"n_intentions", "pseudo_count", "random_state", "mdp", "n_jobs", "progress"}
        model = self.model(unit)
        settings = model.get_params(deep=False) | {"dynamics": model._dynamics()}
        return {name: plain(value) for name, value in sorted(settings.items()) if name not in told}

    def fingerprint(self, history: Hashable) -> str:
        """A hash of everything about data and world that a fit depends on."""
        digest = hashlib.sha256(json.dumps([digest_of(self.data[history]), self.discount]).encode())
        if self.mdp is not None:
            parts = self.mdp.transitions if self.mdp.is_sparse else (self.mdp.transitions,)
            for part in parts:
                for array in (part.data, part.indices, part.indptr) if self.mdp.is_sparse else (part,):
                    digest.update(array.tobytes())
            digest.update(repr(self.mdp.discount).encode())
        return digest.hexdigest()[:20]


@dataclass(frozen=True)
class Plan:
    """The axes of a sweep. Every session is held out once; or every subject, or part of a session, with ``hold_out``
    (:mod:`hiql.sweep.holding_out`); or nothing, with ``n_folds=0``, for rules that need no held-out scores."""

    n_intentions: tuple[int, ...] = (1, 2, 3, 4, 5)
    families: tuple[str, ...] = ("hiql",)
    pseudo_counts: tuple[float, ...] = (USUAL_PSEUDO_COUNT,)
    dynamics: tuple[str, ...] = (registry.DEFAULT,)
    priors: tuple[str, ...] = ("flat",)
    pools: tuple[str | None, ...] = (None,)
    n_folds: int = 5
    n_restarts: int = 3
    hold_out: str = "sessions"
    seed: int = 0

    def __post_init__(self) -> None:
        check_families(self.families)
        if self.hold_out not in holding_out.KINDS:
            remedy = f"choose {' or '.join(holding_out.KINDS)}"
            raise InvalidParameter(parameter="hold_out", value=self.hold_out, remedy=remedy)
        for parameter, given, known in (("prior", self.priors, PRIORS), ("pool", self.pools, POOLS)):
            for value in given:
                if value not in known:
                    remedy = f"choose from {', '.join(map(str, known))}"
                    raise InvalidParameter(parameter=parameter, value=value, remedy=remedy)
        for axis in ("n_intentions", "families", "pseudo_counts", "dynamics", "priors", "pools"):
            if not getattr(self, axis):
                raise InvalidParameter(parameter=axis, value=(), remedy="give at least one value")
        for number, least in (("n_restarts", 1), ("n_folds", 2)):
            if getattr(self, number) < least and (number, getattr(self, number)) != ("n_folds", NO_FOLDS):
                raise InvalidParameter(parameter=number, value=getattr(self, number), remedy=f"choose at least {least}")

    def check(self, source: Source) -> None:
        """Refuse unknown clocks, and more folds than there are sessions, or subjects, to hold out."""
        for name in self.dynamics:
            if name not in source.clocks:
                registry.make_dynamics(name)
        for data in source.data.values():
            most = holding_out.groups(data, self.hold_out)
            if self.n_folds > most:
                raise InvalidParameter(
                    parameter="n_folds",
                    value=self.n_folds,
                    remedy=f"every fold needs {self.hold_out} of its own, and the data have {most}: choose a whole "
                    f"number from 2 to {most} (--folds on the command line)",
                )

    def units(self, source: Source) -> list[dict[str, Any]]:
        """All fits: for each candidate and restart one to all the data, and one without each fold."""
        return self.units_of(source, self.candidates(source))

    def candidates(self, source: Source) -> list[dict[str, Any]]:
        """Every combination of the axes."""
        self.check(source)
        axes = source.data, self.families, self.pseudo_counts, self.dynamics, self.priors, self.pools, self.n_intentions
        names = "history", "family", "pseudo_count", "dynamics", "prior", "pool", "n_intentions"
        return [dict(zip(names, values, strict=True)) for values in product(*axes)]

    def units_of(self, source: Source, candidates: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """The fits of these candidates."""
        folds, restarts = (ALL_SESSIONS, *range(self.n_folds)), range(self.n_restarts)
        prints = {history: source.fingerprint(history) for history in source.data}
        fits = (dict(each, fold=fold, restart=i) for each in candidates for fold in folds for i in restarts)
        return [self._unit(source, fit | {"data": prints[fit["history"]]}) for fit in fits]

    def _unit(self, source: Source, fit: dict[str, Any]) -> dict[str, Any]:
        """All that the result of a fit depends on, and nothing else: a fit to all sessions knows no folds."""
        folds = {} if fit["fold"] is ALL_SESSIONS else {"n_folds": self.n_folds, "hold_out": self.hold_out}
        unit = {name: value for name, value in fit.items() if name not in LATER or value != LATER[name]}
        unit |= folds | {"seed": self.seed}
        return unit | {"search": source.search_settings(unit)}
