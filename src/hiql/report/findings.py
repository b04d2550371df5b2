"""Everything the report tells about a fitted model and its data, computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import linear_sum_assignment

from hiql.data.trajectories import Trajectories
from hiql.errors import HiqlError
from hiql.evaluate.measures.effects import Drives, Effects, drives, effects, effects_by_group, on_one_scale
from hiql.evaluate.measures.occupancy import expected_visits
from hiql.evaluate.words.dwell import Runs, expected_dwell, find_runs
from hiql.evaluate.words.lasting import Lasting, lasting
from hiql.evaluate.words.naming import suggest_names
from hiql.evaluate.words.strategies import strategy_profile
from hiql.models import IntentionModel
from hiql.models.posterior import Name
from hiql.models.scoring import taken_proba
from hiql.plots.labels import FloatArray, IntArray, labelled
from hiql.worlds.mdp import MDP


@dataclass(frozen=True)
class Findings:
    """A fitted model looked at through some data. N steps, K intentions.

    Attributes
    ----------
    names : K names of intentions
    profile : (K, 3) switch, win-stay and lose-switch of a choice task; None for other data
    smoothed, causal : (N, K) p(z_t | the whole session) and p(z_t | steps up to t)
    decoded : (N,) the most likely path
    taken : (N,) p(a_t | s_t and the steps before t) of the action taken; NaN where state or action is missing
    """

    model: IntentionModel
    data: Trajectories
    world: MDP | None
    names: tuple[str, ...]
    profile: FloatArray | None
    smoothed: FloatArray
    causal: FloatArray
    decoded: IntArray
    taken: FloatArray

    @property
    def n_intentions(self) -> int:
        return len(self.names)

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """S names: the labels of the data, or the codes."""
        return labelled(self.data.state_labels, self.data.n_states, "state")

    @property
    def action_names(self) -> tuple[str, ...]:
        """A names: the labels of the data, or what the world calls them, or the codes."""
        called = getattr(self.world, "action_names", None) or None
        return labelled(self.data.action_labels or called, self.data.n_actions, "action")

    @cached_property
    def predicted(self) -> FloatArray:
        """(N, A) p(a_t | s_t and the steps before t) of all actions."""
        return self.model.predict_action_proba(self.data)

    @cached_property
    def share(self) -> FloatArray:
        """(K,) how much of the data each intention accounts for."""
        return self.smoothed.mean(axis=0)

    @cached_property
    def dwell(self) -> FloatArray:
        """(K,) how many steps in a row the chain expects each intention to last."""
        return expected_dwell(self.model.transition_)

    @cached_property
    def runs(self) -> Runs:
        return find_runs(self.data, self.decoded)

    @cached_property
    def lasting(self) -> list[Lasting]:
        """How long each intention lasts, and would if the clock were right."""
        return lasting(self.model, self.data)

    @property
    def typical_probability(self) -> float:
        """exp(mean log p(a_t | past)): the geometric mean of the probability of the actions taken."""
        known = self.taken[~np.isnan(self.taken)]
        with np.errstate(divide="ignore"):  # without a prior, an action may be impossible
            return float(np.exp(np.log(known).mean())) if len(known) else float("nan")

    @cached_property
    def visits(self) -> FloatArray:
        """(K, S) expected visits of each intention to each state, Σ_t p(z_t = i | session) 1[s_t = s]."""
        return expected_visits(self.data, self.smoothed)

    @cached_property
    def effects(self) -> Effects:
        """What inputs do to choices, with errors; of models that weigh inputs."""
        return effects(self.model, self.data)

    @cached_property
    def effects_by_subject(self) -> dict[str, Effects]:
        """The same of each subject, by name; of models that give every subject weights of its own."""
        return effects_by_group(self.model, self.data)

    @cached_property
    def whiskers(self) -> FloatArray:
        """(2, K, C, D + 1) how far effects reach below and above: 95 % of the draws, or else one standard error."""
        bounds = self.interval(lambda model: on_one_scale(model, model.weights_))
        if bounds is None:
            return np.nan_to_num(np.stack([self.effects.error, self.effects.error]))
        return np.maximum(np.stack([self.effects.size - bounds[0], bounds[1] - self.effects.size]), 0.0)

    def interval(self, name: Name) -> FloatArray | None:
        """(2, …) where 95 % of the draws of a quantity lie; None for a model that has no draws."""
        return self.model.interval(name) if self.is_drawn else None

    @property
    def is_drawn(self) -> bool:
        """Whether the model brings draws from its posterior along."""
        return hasattr(self.model, "posterior_")

    @cached_property
    def bounds(self) -> dict[str, FloatArray | None]:
        """(2, K) of shares, durations and beginnings."""
        return {name: self.interval(name) for name in ("share_", "durations", "initial_")}

    @cached_property
    def drives(self) -> Drives:
        """What inputs do to switching, with errors; of models whose switching they drive."""
        return drives(self.model, self.data)

    @cached_property
    def truth(self) -> IntArray | None:
        """(N,) the true intentions where a simulation knows them, numbered like the model's.

        They are matched one to one so that as many decoded steps as possible agree; −1 where there is no partner.
        """
        true = self.data.intentions
        if true is None or not (true >= 0).any():
            return None
        together = np.zeros((int(true.max()) + 1, self.n_intentions))
        np.add.at(together, (true[true >= 0], self.decoded[true >= 0]), 1)
        partner = np.full(len(together) + 1, -1)  # the last entry serves the code -1
        rows, columns = linear_sum_assignment(-together)
        partner[rows] = columns
        return partner[true]


def find(model: IntentionModel, data: Trajectories, world: MDP | None, names: Sequence[str] | None) -> Findings:
    """Decode the data with the model, and name its intentions unless ``names`` are given, or in its file."""
    given = getattr(model, "about_", {}).get("names") if names is None else names
    profile = _profile(model, data)
    k = model.n_intentions_
    return Findings(
        model=model,
        data=data,
        world=world,
        names=suggest_names(model, data, world) if given is None else labelled(given, k, "intention"),
        profile=profile,
        smoothed=model.smooth_proba(data),
        causal=model.filter_proba(data),
        decoded=model.decode(data),
        taken=taken_proba(model, data),
    )  # fmt: skip


def _profile(model: IntentionModel, data: Trajectories) -> FloatArray | None:
    """What intentions do after wins and losses, if the data are trials of a choice task with numbers as outcomes."""
    try:
        return strategy_profile(model, data)
    except HiqlError:
        return None
