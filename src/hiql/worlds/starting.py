"""The same environment with sessions that begin elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.worlds.draws import draw
from hiql.worlds.environment import Environment, FloatArray, IntArray, Like, Moment, Wrapped


@dataclass(frozen=True, eq=False)
class Starting(Wrapped):
    """``environment`` whose sessions begin in the state ``start``, or in states drawn from a distribution (S,)."""

    start: IntArray | FloatArray

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:
        moment = self.environment.begin(n_sessions, rng)
        if self.start.ndim == 0:
            return moment._replace(states=np.full(n_sessions, self.start))
        return moment._replace(states=draw(np.broadcast_to(self.start, (n_sessions, len(self.start))), rng))


def starting(environment: Environment, start: int | npt.ArrayLike) -> Starting:
    """Sessions begin in the given state, or in states drawn from the given distribution (S,)."""
    n_states = environment.format.n_states
    where = np.asarray(start)
    is_state = where.ndim == 0 and np.issubdtype(where.dtype, np.integer) and 0 <= where < n_states
    is_distribution = where.shape == (n_states,) and (where >= 0).all() and abs(where.sum() - 1.0) < 1e-6
    if not (is_state or is_distribution):
        raise InvalidParameter(
            parameter="start",
            value=start,
            remedy=f"give a state 0…{n_states - 1}, or {n_states} probabilities that sum to 1",
        )
    return Starting(environment, where)


def starting_like(environment: Environment, data: Trajectories) -> Environment:
    """The sessions of the data, begun in states drawn from those in which these begin, as far as they are known."""
    first = data.states[data.offsets[:-1]]
    counts = np.bincount(first[first >= 0], minlength=data.n_states)
    like = Like(environment, data)
    return starting(like, counts / counts.sum()) if counts.any() else like
