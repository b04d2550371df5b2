"""What the animals did under each intention: profiles, performance, and what happens when the good side changes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.evaluate.measures.occupancy import expected_visits, shares
from hiql.evaluate.words.strategies import profile_of_policy
from hiql.experiments.reversal.sources import Task
from hiql.models import HIQL

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BEFORE, AFTER, NEAR = 10, 20, 5
"""Trials shown before and after a change of blocks, and how many of them make the means of Figure 7g."""
N_BINS = 5


class Animals(NamedTuple):
    """Each by itself: names, profiles (M, K, 3), chains (M, K, K), the posterior (N, K) and owner of each trial."""

    names: tuple[str, ...]
    profiles: FloatArray
    transitions: FloatArray
    posterior: FloatArray
    owner: IntArray


def animals(together: HIQL, data: Trajectories) -> Animals:
    """Each animal by its own policies and chain of one fit in which all share and differ."""
    parts = data.by_subject()
    names = tuple(parts)
    owner = np.array([names.index(subject) for subject in data.subjects])[data.session_of_step]
    posterior = together.smooth_proba(data)
    visits = [shares(expected_visits(part, posterior[owner == i])) for i, part in enumerate(parts.values())]
    profiles = [profile_of_policy(together.policy_of(name), visits[i], data) for i, name in enumerate(names)]
    transitions = [together.transition_of(name) for name in names]
    return Animals(names, np.stack(profiles), np.stack(transitions), posterior, owner)


def performance(group: Animals, correct: FloatArray) -> dict[str, Any]:
    """Share of correct trials, overall and under each intention (weighted by its posterior), mean over animals."""
    known = np.isfinite(correct)
    weights = np.column_stack([np.ones(len(correct)), group.posterior])[known]
    rates = [_weighted(correct[known], weights, group.owner[known] == i) for i in range(len(group.names))]
    mean, error = over_animals(np.array(rates))
    return {"mean": mean, "error": error, "by_animal": np.array(rates)}


def _weighted(values: FloatArray, weights: FloatArray, where: npt.NDArray[np.bool_]) -> FloatArray:
    total = weights[where].sum(axis=0)
    return np.where(total > 0, values[where] @ weights[where] / np.where(total > 0, total, 1.0), np.nan)


def block_switches(data: Trajectories, block: IntArray) -> IntArray:
    """(n,) the first trials of new blocks within sessions."""
    changed = np.flatnonzero(np.diff(block) != 0) + 1
    return changed[data.time[changed] > 0]


def around_switches(group: Animals, data: Trajectories, task: Task) -> dict[str, Any] | None:
    """Performance and posteriors from 10 trials before to 20 after a change of blocks, mean over animals.

    Only trials of the block just left and of the block just begun count. None without blocks or changes.
    """
    if task.block is None or not len(changes := block_switches(data, task.block)):
        return None
    lags = np.arange(-BEFORE, AFTER)
    courses = np.column_stack([task.correct, group.posterior])
    windows = np.stack([_window(courses, data, task.block, at, lags) for at in changes])
    parts = [windows[group.owner[changes] == i] for i in range(len(group.names))]
    each = np.stack([_mean(part) for part in parts if len(part)])
    mean, error = over_animals(each)
    return {"lags": lags, "mean": mean, "error": error, "by_animal": each, "n_switches": len(changes)}


def _window(courses: FloatArray, data: Trajectories, block: IntArray, at: int, lags: IntArray) -> FloatArray:
    """(L, C) the courses around trial ``at``, NaN outside its session and outside the two blocks that meet there."""
    trials = np.clip(at + lags, 0, len(block) - 1)
    same = data.session_of_step[trials] == data.session_of_step[at]
    expected = np.where(lags < 0, block[at - 1], block[at])
    inside = same & (block[trials] == expected) & (trials == at + lags)
    return np.where(inside[:, None], courses[trials], np.nan)


def before_and_after(
    group: Animals, data: Trajectories, task: Task, exploiting: int, exploring: int
) -> dict[str, Any] | None:
    """P(exploitation) in the 5 trials before a change against P(exploration) in the 5 after it, over animals.

    Bins hold equal numbers of all changes; in each, the mean and error over the animals' means. The correlation is each
    animal's own, over its changes.
    """
    if task.block is None or len(changes := block_switches(data, task.block)) < N_BINS:
        return None
    lags = np.arange(-NEAR, NEAR)
    windows = np.stack([_window(group.posterior, data, task.block, at, lags) for at in changes])
    pairs = np.column_stack([_mean(windows[:, :NEAR, exploiting], 1), _mean(windows[:, NEAR:, exploring], 1)])
    bins = np.argsort(np.argsort(pairs[:, 0], kind="stable")) * N_BINS // len(changes)
    each = [pairs[group.owner[changes] == i] for i in range(len(group.names))]
    binned = np.array(
        [[_mean(pairs[(group.owner[changes] == i) & (bins == b)]) for b in range(N_BINS)] for i in range(len(each))]
    )
    mean, error = over_animals(binned)
    r, r_error = over_animals(np.array([_correlation(own) for own in each]))
    return {
        "before": mean[:, 0],
        "after": mean[:, 1],
        "error": error[:, 1],
        "by_animal": binned.transpose(0, 2, 1),
        "correlation": {"mean": float(r), "error": float(r_error), "pooled": _correlation(pairs)},
        "n_switches": len(changes),
    }


def _correlation(pairs: FloatArray) -> float:
    """Of n pairs (n, 2); NaN where there are fewer than three, or no spread."""
    spread = len(pairs) > 2 and bool((pairs.std(axis=0) > 0).all())
    return float(np.corrcoef(pairs[:, 0], pairs[:, 1])[0, 1]) if spread else np.nan


def nearest_roles(profile: FloatArray) -> tuple[int, int]:
    """Which intentions exploit (win-stay and lose-switch) and explore (leave even after a win) the most."""
    exploiting = int(np.argmax(profile[:, 1] + profile[:, 2]))
    others = [i for i in range(len(profile)) if i != exploiting] or [exploiting]
    return exploiting, min(others, key=lambda i: profile[i, 1])


def example_session(data: Trajectories, task: Task) -> int:
    """The session with the most changes of blocks; the longest where no blocks are known."""
    if task.block is None or not len(changes := block_switches(data, task.block)):
        return int(data.lengths.argmax())
    return int(np.bincount(data.session_of_step[changes]).argmax())


def over_animals(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard error over the first axis; NaN entries are left out."""
    known = np.isfinite(values).sum(axis=0)
    mean = _mean(values)
    spread = np.sqrt(np.nansum((values - mean) ** 2, axis=0) / np.maximum(known - 1, 1))
    return mean, spread / np.sqrt(np.maximum(known, 1))


def _mean(values: FloatArray, axis: int = 0) -> FloatArray:
    """Mean of what is known; NaN, without a warning, where nothing is."""
    known = np.isfinite(values).sum(axis=axis)
    return np.where(known > 0, np.nansum(values, axis=axis) / np.maximum(known, 1), np.nan)
