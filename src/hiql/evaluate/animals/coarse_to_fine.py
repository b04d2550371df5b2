"""Back-off: rich states explained with the help of poorer ones.

Long histories make many states, most of them rare; plain counts overfit there. So fit the coarse states first, and let
each intention's policy in a fine state s be pulled towards its policy in the coarse state that s refines:

    π_i(a|s) ∝ n_i(s, a) + c · π_i^coarse(a | parent(s)),

n_i the expected counts and c the strength. This is the general policy prior of the solvers (a base policy times a
strength), so every level is an exact EM; nothing in it is special to bandits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.folds import session_folds
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, UnequalLengths
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]
MakeModel = Callable[[float | FloatArray], IntentionModel]
STRENGTHS = (1.0, 4.0, 16.0, 64.0, 256.0)


class Level(NamedTuple):
    """The same sessions with coarser or finer states. ``parent`` (S,) maps these states to the level before; the first
    level has none."""

    data: Trajectories
    parent: npt.NDArray[np.int64] | None = None

    def select(self, sessions: npt.ArrayLike) -> Level:
        """The sessions with these indices, at the same level."""
        return Level(self.data.select(sessions), self.parent)


def fit_coarse_to_fine(
    make_model: MakeModel, levels: Sequence[Level], strength: float, pseudo_count: float = 0.1
) -> IntentionModel:
    """Fit ``make_model(pseudo_count)`` to the coarsest level, then each finer one from the last fit and towards it.

    Intentions keep their numbers from level to level.
    """
    if len({level.data.n_steps for level in levels}) != 1:
        sizes = [level.data.n_steps for level in levels]
        raise UnequalLengths(field="finest level", length=sizes[-1], other="coarsest level", other_length=sizes[0])
    model = make_model(pseudo_count).fit(levels[0].data)
    for level in levels[1:]:
        if level.parent is None:
            raise InvalidParameter(parameter="parent", value=None, remedy="say which coarse state each state refines")
        base = model.lifted(level.parent)
        model = make_model(strength * base.policy_).fit(level.data, init=base)
    return model


def choose_strength(
    make_model: MakeModel,
    levels: Sequence[Level],
    strengths: Sequence[float] = STRENGTHS,
    *,
    n_folds: int = 3,
    random_state: int = 0,
) -> float:
    """The strength whose fits predict held-out *training* sessions best; no test session is looked at."""
    data = levels[-1].data
    folds = session_folds(data, min(n_folds, data.n_sessions), strata=data.subjects, random_state=random_state)

    def held_out(strength: float) -> float:
        total = 0.0
        for train, test in folds:
            model = fit_coarse_to_fine(make_model, [level.select(train) for level in levels], strength)
            total += model.score(data.select(test))
        return total

    return max(strengths, key=held_out)
