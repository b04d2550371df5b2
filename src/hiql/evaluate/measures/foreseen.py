r"""Does the model act as the animal does? Shares of what was done, beside what the model expected just before.

With :math:`F_t` everything before step t, the model expects of an event :math:`E_t` (the choice is repeated, the second
action is taken) :math:`p_t = \sum_{a \in E_t} p(a \mid F_t)`. If the model is right, the sum of what happened minus
:math:`p_t` over any steps that the past picks out is a martingale with variance :math:`\sum_t p_t (1 - p_t)`. So shares
after wins, at a stimulus or of an animal have a range that they should lie in, and no world has to be simulated: tables
of trials, of which nobody knows what another choice would have paid, are checked as mazes are.

Looking one step ahead, the model knows what the animal just did: how long intentions last is a question of its own
(:mod:`hiql.evaluate.words.lasting`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.codes import label_text
from hiql.data.histories import has_histories
from hiql.data.trajectories import Trajectories
from hiql.evaluate.measures.psychometric import bins_of

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
N_MOMENTS, MOST_RUN, MOST_OUTCOMES, MOST_INPUTS, MOST_PLACES, MOST_BEFORE, MOST_SUBJECTS = 8, 5, 5, 4, 4, 6, 12
ENOUGH = 10
"""Shares of fewer steps are left out: normal ranges would not hold."""
NORMAL = 1.96


class Foreseen(NamedTuple):
    """Of G groups of steps: the ``share`` with an event, the share that was ``expected``, its ``error``, and ``n``.

    ``event`` and ``by`` say what is counted, and what tells the groups apart; ``at`` are their labels, or numbers.
    """

    event: str
    by: str
    at: tuple[str, ...] | FloatArray
    share: FloatArray
    expected: FloatArray
    error: FloatArray
    n: IntArray

    @property
    def inside(self) -> BoolArray:
        """(G,) whether the share lies where that of a right model would in 95 of 100 cases."""
        return np.asarray(np.abs(self.share - self.expected) <= NORMAL * self.error + 0.5 / self.n)


class Steps(NamedTuple):
    """Observed steps ``at`` (n,) of the data, and of each whether the ``event`` (n, A) has an action in it."""

    at: IntArray
    event: BoolArray
    told: str


def foreseen(data: Trajectories, predicted: FloatArray) -> list[Foreseen]:
    """What there is to compare in these data; ``predicted`` (N, A) is p(a_t | the steps before t)."""
    if not data.observed.any():
        return []
    return [found for found in _all(data, predicted) if len(found.n) > 1]


def _all(data: Trajectories, predicted: FloatArray) -> Iterator[Foreseen]:
    seen = np.flatnonzero(data.observed)
    common = _common_action(data)
    takes = Steps(seen, np.broadcast_to(np.arange(data.n_actions) == common, (len(seen), data.n_actions)), "")
    takes = takes._replace(told=f"takes {_labels(data.action_labels, data.n_actions)[common]}")
    moments = bins_of(data.time[seen].astype(np.float64), N_MOMENTS)
    middles = np.bincount(moments, data.time[seen]) / np.bincount(moments)
    yield compared(data, predicted, takes, moments, "step of the session", middles)
    for column, name in _plain_inputs(data):
        values = data.inputs[seen, column]
        groups = bins_of(values)
        means = np.bincount(groups, values) / np.bincount(groups)
        yield compared(data, predicted, takes, groups, name, means)
    if data.n_states == 1 or has_histories(data):
        yield from _trials(data, predicted)
    else:
        yield from _places(data, predicted)
    subjects = tuple(dict.fromkeys(map(str, data.subjects)))
    owner = np.array([subjects.index(str(name)) for name in data.subjects])[data.session_of_step[seen]]
    few = owner < MOST_SUBJECTS
    yield compared(data, predicted, _of(takes, few), owner[few], "subject", subjects[:MOST_SUBJECTS])


def compared(
    data: Trajectories, predicted: FloatArray, steps: Steps, groups: IntArray, by: str, at: tuple[str, ...] | FloatArray
) -> Foreseen:
    """Counts of the event in each group (n,) of steps, and what was expected of them."""
    p = np.sum(predicted[steps.at] * steps.event, axis=1)
    happened = steps.event[np.arange(len(steps.at)), data.actions[steps.at]]
    n = np.bincount(groups, minlength=len(at))
    kept = np.flatnonzero(n >= ENOUGH)
    share, mean, variance = (
        np.bincount(groups, each, minlength=len(at))[kept] / n[kept] for each in (happened, p, p * (1.0 - p))
    )
    labels = tuple(at[i] for i in kept) if isinstance(at, tuple) else np.asarray(at)[kept]
    return Foreseen(steps.told, by, labels, share, mean, np.sqrt(variance / n[kept]), n[kept])


# --- what is compared ----------------------------------------------------------------------------------------------


def _trials(data: Trajectories, predicted: FloatArray) -> Iterator[Foreseen]:
    """Is the last choice repeated: by what it led to, and by how often it was made in a row?"""
    at, before, run = _repeatable(data)
    repeats = Steps(at, data.actions[before][:, None] == np.arange(data.n_actions), "repeats the last choice")
    if data.outcomes is not None:
        values, codes = np.unique(data.outcomes[before], return_inverse=True)
        known = ~np.isnan(data.outcomes[before])
        if len(values := values[~np.isnan(values)]) <= MOST_OUTCOMES and known.any():
            named = data.outcome_labels
            labels = tuple(f"{value:g}" if named is None else label_text(named[int(value)]) for value in values)
            yield compared(data, predicted, _of(repeats, known), codes[known], "last outcome", labels)
    longest = np.minimum(run, MOST_RUN) - 1
    labels = (*map(str, range(1, MOST_RUN)), f"{MOST_RUN} or more")
    yield compared(data, predicted, repeats, longest, "how often it was made in a row", labels)


def _places(data: Trajectories, predicted: FloatArray) -> Iterator[Foreseen]:
    """Where the animal is most: does what it does there depend on where it came from, as the model has it?"""
    later = np.flatnonzero(data.observed & (data.time > 0))
    later = later[data.states[later - 1] >= 0]
    names = _labels(data.state_labels, data.n_states)
    split = data.pair_counts.sum(axis=1) - data.pair_counts.max(axis=1)  # a place with one thing to do tells nothing
    for place in np.argsort(-split, kind="stable")[:MOST_PLACES]:
        here = later[data.states[later] == place]
        came, codes = np.unique(data.states[here - 1], return_inverse=True)
        most = np.argsort(-np.bincount(codes), kind="stable")[:MOST_BEFORE]
        action = int(data.pair_counts[place].argmax())
        taken = _labels(data.action_labels, data.n_actions)[action]
        event = np.broadcast_to(np.arange(data.n_actions) == action, (len(here), data.n_actions))
        steps = _of(Steps(here, event, f"at {names[place]}: takes {taken}"), np.isin(codes, most))
        number = np.full(len(came), -1)
        number[most] = np.arange(len(most))
        groups = number[codes[np.isin(codes, most)]]
        yield compared(data, predicted, steps, groups, "state before", tuple(names[s] for s in came[most]))


def _repeatable(data: Trajectories) -> tuple[IntArray, IntArray, IntArray]:
    """Observed steps whose session has made a choice before: the step, that of the last choice, and how many choices
    in a row were the same up to that one."""
    made = np.flatnonzero(data.actions >= 0)
    session, actions = data.session_of_step[made], data.actions[made]
    begins = np.ones(len(made), dtype=bool)
    begins[1:] = (session[1:] != session[:-1]) | (actions[1:] != actions[:-1])
    at = np.arange(len(made))
    run = at - np.maximum.accumulate(np.where(begins, at, 0)) + 1
    follows = np.flatnonzero((np.diff(session, prepend=-1) == 0) & data.observed[made])
    return made[follows], made[follows - 1], run[follows - 1]


def _of(steps: Steps, kept: BoolArray) -> Steps:
    return Steps(steps.at[kept], steps.event[kept], steps.told)


def _common_action(data: Trajectories) -> int:
    """The second of two actions, or the most common of several."""
    return 1 if data.n_actions == 2 else int(data.pair_counts.sum(axis=0).argmax())


def _plain_inputs(data: Trajectories) -> list[tuple[int, str]]:
    """Inputs that are no memories of past trials, and that vary."""
    remembered = data.memory.names if data.memory else ()
    plain = [(i, name) for i, name in enumerate(data.input_names) if name not in remembered]
    return [each for each in plain if np.ptp(data.inputs[data.observed, each[0]]) > 0][:MOST_INPUTS]


def _labels(labels: object, n: int) -> tuple[str, ...]:
    return tuple(label_text(label) for label in (labels or range(n)))  # type: ignore[attr-defined]
