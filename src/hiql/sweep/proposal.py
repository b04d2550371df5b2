"""What to try on data that nobody has said anything about: readings, kinds of model, clocks, animals, K.

A proposal is made of what the data have, not of what they say: nothing is fitted here. What is given is taken and
crossed in full; what is proposed is tried in turn (:mod:`hiql.sweep.stages`).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hiql.data.histories import has_histories
from hiql.data.readings import told_reading
from hiql.data.trajectories import Trajectories
from hiql.dynamics import ByState, registry
from hiql.dynamics.chain import IntentionDynamics
from hiql.sweep import holding_out
from hiql.sweep.plan import USUAL_PSEUDO_COUNT, can_pool, check_families, check_pseudo_counts
from hiql.worlds.mdp import MDP

Clock = str | IntentionDynamics
NUMBERS = (1, 2, 3, 4, 5)
FIRST_NUMBERS = (1, 2, 3)
"""What is tried of each reading before one is chosen."""
SHORT = 20
"""Sessions shorter than this are not cut into parts."""
BY_ENTERED, BY_OUTCOME = "by state entered", "by last outcome"
CLOCKS: Mapping[str, IntentionDynamics] = {
    BY_ENTERED: ByState(context="state entered"),
    BY_OUTCOME: ByState(context="last outcome"),
}
"""Clocks that are proposed and have no name of their own in the registry."""
IN_WORDS = {
    "markov": "switching at any time",
    "by-state": "by the state left",
    BY_ENTERED: "by the state entered",
    BY_OUTCOME: "by the last outcome",
    "session-wise": "one intention a session",
}
FAMILIES_IN_WORDS = {
    "hiql": "probabilities for each state",
    "hiavi": "probabilities for each state of the known world",
    "glmhmm": "inputs that are weighed",
    "stochastic": "probabilities for each state (stochastic rewards)",
}


@dataclass(frozen=True)
class Proposal:
    """What to try.

    Attributes
    ----------
    families : the kinds of model for each reading of the data
    n_intentions, clocks, priors, pools, pseudo_counts : the values of the other axes; clocks by name
    given : the axes that were not proposed but asked for: "reading", "family", "clock", "pool", "n_intentions"
    hold_out : what is held out
    reasons : why, in sentences
    """

    families: Mapping[Hashable, tuple[str, ...]]
    clocks: Mapping[str, Clock]
    pools: tuple[str | None, ...] = (None,)
    priors: tuple[str, ...] = ("flat",)
    n_intentions: tuple[int, ...] = NUMBERS
    pseudo_counts: tuple[float, ...] = (USUAL_PSEUDO_COUNT,)
    hold_out: str = holding_out.SESSIONS
    given: frozenset[str] = frozenset()
    reasons: tuple[str, ...] = field(default=(), compare=False)


def propose(
    data: Trajectories | Mapping[Any, Trajectories],
    mdp: MDP | None = None,
    *,
    n_intentions: Sequence[int] | None = None,
    family: str | Sequence[str] | None = None,
    dynamics: Clock | Sequence[Clock] | None = None,
    pool: Sequence[str | None] | None = None,
    prior: Sequence[str] | None = None,
    pseudo_count: Sequence[float] | None = None,
    hold_out: str | None = None,
) -> Proposal:
    """What :func:`hiql.select` tries if it is told nothing; what is told here is taken.

    Parameters
    ----------
    data : trajectories, or one for each reading of a table (:func:`hiql.data.readings.readings`)
    mdp : the world, if it is known
    """
    sets: Mapping[Hashable, Trajectories] = {None: data} if isinstance(data, Trajectories) else data
    first = next(iter(sets.values()))
    check_families(() if family is None else several(family))
    families = {key: _families(each, mdp) if family is None else several(family) for key, each in sets.items()}
    counts = (USUAL_PSEUDO_COUNT,) if pseudo_count is None else several(pseudo_count)
    check_pseudo_counts({name for names in families.values() for name in names}, counts)
    clocks = _clocks(first, sets) if dynamics is None else named(several(dynamics))
    n_subjects = len(set(first.subjects))
    pools = (_pools(n_subjects, families) if pool is None else tuple(pool)) or (None,)
    kept = _hold_out(first) if hold_out is None else hold_out
    said = {"n_intentions": n_intentions, "family": family, "clock": dynamics, "pool": pool}
    return Proposal(
        families,
        clocks,
        pools,
        ("flat",) if prior is None else several(prior),
        NUMBERS if n_intentions is None else tuple(map(int, n_intentions)),
        counts,
        kept,
        frozenset(name for name, value in said.items() if value is not None),
        (
            f"Choices: {_told_families(families)}.",
            f"Switching: {', '.join(IN_WORDS.get(name, name) for name in clocks)}.",
            _told_animals(n_subjects, pools),
            _told_hold_out(first, kept),
        ),
    )


def several(given: Any) -> tuple[Any, ...]:
    """One value, or several, as a tuple."""
    return tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else (given,)


def named(clocks: Sequence[Clock]) -> dict[str, Clock]:
    """Clocks by what tells them apart."""
    return {clock if isinstance(clock, str) else repr(clock): clock for clock in clocks}


# --- from what the data have ---------------------------------------------------------------------------------------


def _families(data: Trajectories, mdp: MDP | None) -> tuple[str, ...]:
    """Inputs are weighed; states have probabilities each, also where there are inputs beside them."""
    by_state = "hiql" if mdp is None else "hiavi"
    weighing = ["glmhmm"] if data.input_names and data.n_actions > 1 else []
    return (*([by_state] if data.n_states > 1 or not weighing else []), *weighing)


def _clocks(data: Trajectories, sets: Mapping[Any, Trajectories]) -> dict[str, Clock]:
    """A chain; by place where states are places, by outcome where states are past trials; one intention a session."""
    chain: dict[str, Clock] = {registry.DEFAULT: registry.DEFAULT}
    are_places = all(each.n_states > 1 and not has_histories(each) for each in sets.values())
    places: dict[str, Clock] = {"by-state": "by-state", BY_ENTERED: CLOCKS[BY_ENTERED]} if are_places else {}
    are_trials = any(has_histories(each) for each in sets.values()) and _has_few_outcomes(data)
    outcomes: dict[str, Clock] = {BY_OUTCOME: CLOCKS[BY_OUTCOME]} if are_trials else {}
    whole: dict[str, Clock] = {"session-wise": "session-wise"} if data.n_sessions > 1 else {}
    return chain | places | outcomes | whole


def _has_few_outcomes(data: Trajectories, most: int = 10) -> bool:
    if data.outcomes is None:
        return False
    known = np.unique(data.outcomes[~np.isnan(data.outcomes)])
    return 1 < len(known) <= most


def _pools(n_subjects: int, families: Mapping[Hashable, tuple[str, ...]]) -> tuple[str | None, ...]:
    can = any(can_pool(name) for names in families.values() for name in names)
    return (None, "subjects") if n_subjects > 1 and can else (None,)


def _hold_out(data: Trajectories) -> str:
    """Sessions, unless most subjects have but one: then parts of sessions, so that every animal is met."""
    per_subject = data.n_sessions / len(set(data.subjects))
    return holding_out.PARTS if per_subject < 2 and np.median(data.lengths) >= SHORT else holding_out.SESSIONS


def _told_families(families: Mapping[Hashable, tuple[str, ...]]) -> str:
    readings: dict[str, list[str]] = {}
    for key, names in families.items():
        for name in names:
            told = told_reading(key) or ("as they are" if len(families) > 1 else "")
            readings.setdefault(FAMILIES_IN_WORDS.get(name, name), []).append(told)
    texts = {words: "; ".join(filter(None, keys)) for words, keys in readings.items()}
    return ", or ".join(f"{words} ({keys})" if keys else words for words, keys in texts.items())


def _told_animals(n_subjects: int, pools: Sequence[str | None]) -> str:
    if n_subjects == 1:
        return "Animals: one, so nothing can be said of differences."
    each = ", or around a population, each animal its own" if "subjects" in pools else ""
    return f"Animals: {n_subjects:,}, alike{each}; and animals that differ but never switch."


def _told_hold_out(data: Trajectories, hold_out: str) -> str:
    why = " (most subjects have one session only)" if hold_out == holding_out.PARTS and data.n_sessions > 1 else ""
    return f"Judged by: {hold_out if hold_out != holding_out.PARTS else 'parts of sessions'} held out{why}."
