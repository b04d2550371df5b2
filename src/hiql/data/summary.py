"""What a set of trajectories holds, in the few numbers a user checks first."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.data.codes import label_text
from hiql.data.scales import mean_and_scale
from hiql.data.trajectories import Trajectories


def summarise(data: Trajectories) -> dict[str, Any]:
    """Plain values: how many subjects, sessions, steps and states; what is missing; how often each action was taken."""
    lengths = np.percentile(data.lengths, [0, 50, 100]).round().astype(int)
    counts = data.pair_counts
    labels = data.action_labels or range(data.n_actions)
    taken = counts.sum(axis=0)
    means, scales = mean_and_scale(data.inputs)
    scales[_constant(data)] = 0.0
    numbers = zip(data.input_names, means.tolist(), scales.tolist(), strict=True)
    labelled = zip(data.context_names, data.context_labels, strict=True)
    return {
        "subjects": len(set(data.subjects)),
        "sessions": data.n_sessions,
        "steps": data.n_steps,
        "missing": data.n_steps - data.n_observed,
        "steps_per_session": dict(zip(("least", "median", "most"), lengths.tolist(), strict=True)),
        "states": data.n_states,
        "states_visited": int((counts.sum(axis=1) > 0).sum()),
        "actions": data.n_actions,
        "action_shares": {
            label_text(label): float(n / max(taken.sum(), 1)) for label, n in zip(labels, taken, strict=True)
        },
        "inputs": {name: {"mean": mean, "scale": scale} for name, mean, scale in numbers},
        "contexts": {name: [label_text(label) for label in labels] for name, labels in labelled},
        "outcomes": _outcomes(data),
    }


def _constant(data: Trajectories) -> npt.NDArray[np.bool_]:
    """(D,) which inputs have the same value at all steps where they are known."""
    if not data.n_steps:
        return np.zeros(len(data.input_names), dtype=np.bool_)
    first, last = np.fmin.reduce(data.inputs, axis=0), np.fmax.reduce(data.inputs, axis=0)
    return np.asarray(first == last)


def _outcomes(data: Trajectories) -> str:
    """One line about what followed steps; empty if nothing is known."""
    if data.outcomes is None:
        return ""
    unknown = int(np.isnan(data.outcomes).sum())
    known = data.outcomes[~np.isnan(data.outcomes)]
    told = ", ".join(map(label_text, data.outcome_labels or ())) or (
        f"mean {known.mean():.3g}" if len(known) else "none"
    )
    return f"{told} ({unknown:,} unknown)"


def cautions(data: Trajectories) -> list[str]:
    """What is odd about the data and worth a look before any fit."""
    found = []
    taken = data.pair_counts.sum(axis=0) > 0
    if taken.sum() == 1:
        found.append("only one action was ever taken: there is nothing to explain")
    if (data.lengths == 1).all():
        found.append("every session has a single step: intentions cannot follow one another; check the session column")
    inside = np.ones(data.n_steps, dtype=bool)
    inside[data.offsets[1:] - 1] = False
    following = np.append(data.states[1:], -1) >= 0
    unfinished = int((inside & following & (data.actions >= 0) & (data.next_states < 0)).sum())
    if unfinished:
        found.append(
            f"{unfinished:,} choices have no outcome and do not enter the histories; if an empty cell means no reward, "
            "write 0 there"
        )
    if same := [repr(name) for name, alike in zip(data.input_names, _constant(data), strict=True) if alike]:
        found.append(f"{', '.join(same)}: the same at all steps, so nothing can depend on it")
    visits = data.pair_counts.sum(axis=1)
    rare = data.n_observed / max(int((visits > 0).sum()), 1)
    if rare < 2 * data.n_actions:
        found.append(
            f"states are visited {rare:.1f} times on average: policies will be mostly guesses; use coarser states"
        )
    return found
