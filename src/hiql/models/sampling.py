"""Simulating behaviour from a fitted model: its clock and its policies as an agent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hiql.choices.choice import Choice
from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import IntentionDynamics
from hiql.engine.problem import Point
from hiql.errors import InvalidParameter
from hiql.parts.part import FloatArray
from hiql.worlds.draws import draw
from hiql.worlds.environment import Environment, IntArray, Sessions
from hiql.worlds.playing import Mind, now


@dataclass(frozen=True)
class FittedAgent:
    """An animal as a model describes it.

    The clock is asked for its rows as it is when fitting, with what is seen so far in place of the data: n sessions of
    the last two steps. Of the rows it gives, those of the second steps lead into now. So any dynamics can be simulated
    whose rows depend on the two steps they lie between, whatever it reads of them.
    """

    dynamics: IntentionDynamics
    choice: Choice
    point: Point

    def intend(self, seen: Trajectories, before: IntArray | None, rng: np.random.Generator) -> Mind:
        chain = self.dynamics.chain(self.point.dynamics, self.dynamics.bind(seen))((0, seen.n_sessions)).dense()
        odds = chain.initial[chain.begins] if before is None else chain.bank[chain.rows[now(seen)], before]
        phases = draw(odds, rng)
        if before is None:
            _, firsts, numbers = np.unique(self.dynamics.units(seen), return_index=True, return_inverse=True)
            phases = phases[firsts[numbers]]  # the sessions of a unit begin alike
        return Mind(phases, chain.phases[phases])

    def choose(self, seen: Trajectories, intentions: IntArray) -> FloatArray:
        return self.choice.proba(self.point.choice, seen, now(seen))[np.arange(len(intentions)), intentions]


def chosen_sessions(world: Environment, n_sessions: int | None, n_steps: int | npt.ArrayLike | None) -> Sessions:
    """The world's sessions, or as many as are asked for, of one length for all or one for each."""
    lengths = np.asarray(1 if n_steps is None else n_steps)
    whole = isinstance(n_sessions, int | np.integer | None) and np.issubdtype(lengths.dtype, np.integer)
    if whole and (n_sessions is None or n_sessions >= 1):
        sessions = world.sessions(n_sessions)
        if lengths.shape in ((), sessions.lengths.shape) and (lengths >= 1).all():
            given = np.broadcast_to(lengths, len(sessions.lengths)).astype(np.int64)
            return sessions if n_steps is None else sessions._replace(lengths=given)
    raise InvalidParameter(
        parameter="n_sessions, n_steps",
        value=(n_sessions, n_steps),
        remedy="choose whole numbers ≥ 1, and one length for all sessions or one for each",
    )
