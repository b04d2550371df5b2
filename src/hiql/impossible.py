"""Words for sessions that a model rules out: where they show what it calls impossible, and what to do."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories


def told_impossible(data: Trajectories, steps: npt.NDArray[np.intp], under: str = "this model") -> str:
    """A sentence about impossible ``steps`` (at least one, in order) of the data ``under`` a model."""
    session, step = data.locate(int(steps[0]))
    state, action = data.states[steps[0]], data.actions[steps[0]]
    coded = (data.state_labels or range(data.n_states))[state], (data.action_labels or range(data.n_actions))[action]
    n_sessions = len(np.unique(np.searchsorted(data.offsets, steps, side="right")))
    return (
        f"{n_sessions} of {data.n_sessions} sessions are impossible under {under}, first at session {session!r}, step "
        f"{step} (state {coded[0]!r}, action {coded[1]!r}), which no path of intentions explains together with the steps "
        f"before it; their log-likelihood is −inf, and such steps were passed over like missing ones; pseudo-counts "
        f"above 0 keep everything possible"
    )
