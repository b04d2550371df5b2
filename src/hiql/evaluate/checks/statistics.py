"""Numbers that sum up a data set, to compare real and simulated ones by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hiql.data.codes import label_text
from hiql.data.trajectories import Trajectories
from hiql.evaluate.measures.occupancy import shares

SWITCHES = "switch rate"


def action_rates(data: Trajectories) -> dict[str, float]:
    """How often each action was taken."""
    taken = np.bincount(data.actions[data.actions >= 0], minlength=data.n_actions)
    rates = shares(taken.astype(np.float64))
    return {f"rate of {action}": float(rate) for action, rate in zip(_actions(data), rates, strict=True)}


def intention_spells(data: Trajectories, decoded: npt.NDArray[np.int64], names: Sequence[str]) -> dict[str, float]:
    """How often decoded intentions (N,) change, and how long each lasts; NaN where it never occurs."""
    begins = data.time == 0
    switched = ~begins
    switched[1:] &= decoded[1:] != decoded[:-1]
    steps = np.bincount(decoded, minlength=len(names))
    spells = np.bincount(decoded[begins | switched], minlength=len(names))
    dwell = np.where(spells > 0, steps / np.maximum(spells, 1), np.nan)
    lasting = {f"dwell time, {name}": float(mean) for name, mean in zip(names, dwell, strict=True)}
    return {SWITCHES: float(switched.sum() / max((~begins).sum(), 1)), **lasting}


def trial_statistics(data: Trajectories) -> dict[str, float]:
    """What is asked of tables of trials, where outcomes are amounts: their mean, and how choices follow them.

    Trials without a choice are left out: the last trial is the last one with a choice. Of none, the mean is NaN.
    """
    if data.outcomes is None or data.outcome_labels is not None:
        return {}
    made = np.flatnonzero(data.actions >= 0)
    actions, outcomes, session = data.actions[made], data.outcomes[made], data.session_of_step[made]
    follows = session[1:] == session[:-1]
    changed = actions[1:] != actions[:-1]
    won, lost = outcomes[:-1] > 0, outcomes[:-1] <= 0
    return {
        "mean outcome": _mean(outcomes[~np.isnan(outcomes)]),
        "change of action after reward": _mean(changed[follows & won]),
        "change of action after none": _mean(changed[follows & lost]),
        "run of one action": len(made) / max(len(made) - int((follows & ~changed).sum()), 1),
    }


def input_statistics(data: Trajectories) -> dict[str, float]:
    """The mean of each input where each action was taken; memories of past trials are left out."""
    remembered = data.memory.names if data.memory else ()
    shown = [(i, name) for i, name in enumerate(data.input_names) if name not in remembered]
    return {
        f"mean {name} at {action}": _mean(data.inputs[(data.actions == code) & data.observed, column])
        for column, name in shown
        for code, action in enumerate(_actions(data))
    }


def _mean(values: npt.NDArray[np.bool_] | npt.NDArray[np.float64]) -> float:
    return float(np.mean(values)) if len(values) else float("nan")


def _actions(data: Trajectories) -> list[str]:
    return [label_text(label) for label in data.action_labels or range(data.n_actions)]
