r"""What a fit does not see, and is then judged on: whole sessions, whole subjects, or parts of every session.

Whole sessions or subjects are left out, and judged by :math:`\log p(\text{session})`. Where each subject has one
session, that cannot tell animals that differ from animals that switch: who is held out was never met. So there are
*parts*: each session is cut into as many stretches as there are folds, one stretch of each is hidden (its actions are
missing, and time goes on), and it is judged by what it adds to the rest of its session,

.. math:: \log p(\text{stretch} \mid \text{rest}) = \log p(\text{session}) - \log p(\text{session without it}).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.codes import MISSING
from hiql.data.folds import session_folds
from hiql.data.trajectories import Trajectories
from hiql.models.scoring import Scored, taken_proba

IntArray = npt.NDArray[np.int64]
SESSIONS, SUBJECTS, PARTS = "sessions", "subjects", "parts"
KINDS = (SESSIONS, SUBJECTS, PARTS)
"""What can be held out."""


class HeldOut(NamedTuple):
    """``train`` is fitted; ``test`` is judged, beyond what was ``given`` of it; ``names`` numbers what is judged."""

    train: Trajectories
    test: Trajectories
    given: Trajectories | None
    names: IntArray

    def judge(self, model: Scored) -> dict[str, Any]:
        """Log-likelihood and observed steps of each session, or part, held out, as plain values."""
        log_likelihood, steps = by_session(model, self.test)
        if self.given is not None:
            rest, seen = by_session(model, self.given)
            log_likelihood, steps = log_likelihood - rest, steps - seen
        return {"sessions": self.names.tolist(), "log_likelihood": log_likelihood.tolist(), "steps": steps.tolist()}


def groups(data: Trajectories, hold_out: str) -> int:
    """How many folds there can be at most."""
    return {SESSIONS: data.n_sessions, SUBJECTS: len(set(data.subjects)), PARTS: int(data.lengths.max())}[hold_out]


def held_out(data: Trajectories, unit: Mapping[str, Any]) -> HeldOut:
    """What the fold of a unit leaves out. Sessions of each subject are spread over all folds."""
    if unit["hold_out"] == PARTS:
        return _hidden(data, unit["n_folds"], unit["fold"])
    by_subject = unit["hold_out"] == SUBJECTS
    folds = session_folds(
        data,
        unit["n_folds"],
        groups=data.subjects if by_subject else None,
        strata=None if by_subject else data.subjects,
        random_state=unit["seed"],
    )
    train, test = folds[unit["fold"]]
    return HeldOut(data.select(train), data.select(test), None, test)


def _hidden(data: Trajectories, n_folds: int, fold: int) -> HeldOut:
    """Stretch ``(fold + i) mod n_folds`` of session i, so that each fold hides beginnings, middles and ends."""
    length = data.lengths[data.session_of_step]
    stretch = data.time * n_folds // length
    hidden = stretch == (fold + data.session_of_step) % n_folds
    rest = replace(data, actions=np.where(hidden, MISSING, data.actions))
    return HeldOut(rest, data, rest, np.arange(data.n_sessions) * n_folds + fold)


def by_session(model: Scored, data: Trajectories) -> tuple[npt.NDArray[np.float64], IntArray]:
    """(sessions,) log p(a_1…a_T) = Σ_t log p(a_t | past), and how many steps were observed."""
    taken = taken_proba(model, data)
    seen = ~np.isnan(taken)
    of = data.session_of_step[seen]
    log_likelihood = np.bincount(of, np.log(taken[seen]), minlength=data.n_sessions).astype(np.float64)
    return log_likelihood, np.bincount(of, minlength=data.n_sessions).astype(np.int64)
