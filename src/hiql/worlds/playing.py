"""Stepping an agent through an environment, many sessions side by side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hiql.data.codes import MISSING
from hiql.data.trajectories import Trajectories
from hiql.worlds.draws import draw
from hiql.worlds.environment import Environment, FloatArray, IntArray, Moment, Sessions


class Mind(NamedTuple):
    """The agent's latent: ``phases`` (n,), which the next step goes on from, and their ``intentions`` (n,)."""

    phases: IntArray
    intentions: IntArray


class Agent(Protocol):
    """Who acts. ``seen`` has n sessions, each ending with the step about to be taken, its action not yet known.

    Before it comes the last step taken, if there was one: a session of ``seen`` has two steps, or one. So an agent may
    go by the moment now, by the place it left, what it did there and what came of it, and by what belongs to the whole
    session; anything older must be in the states or in the inputs.
    """

    def intend(self, seen: Trajectories, before: IntArray | None, rng: np.random.Generator) -> Mind:
        """The intentions now, given the phases (n,) of the last step taken; None at a session's first."""
        ...

    def choose(self, seen: Trajectories, intentions: IntArray) -> FloatArray:
        """(n, A) the probabilities of actions now."""
        ...


class Played(NamedTuple):
    """One step of all sessions: the moment, what was done in it and why, and what came of it."""

    moment: Moment
    actions: IntArray
    intentions: IntArray
    outcomes: FloatArray
    next_states: IntArray


def play(agent: Agent, environment: Environment, sessions: Sessions, rng: np.random.Generator) -> Trajectories:
    """Let the agent act in the environment; ``.intentions`` of the result are the true ones.

    All sessions are stepped to the length of the longest and cut to their own afterwards: so the draws of one session
    do not depend on how long the others are.
    """
    moment = environment.begin(len(sessions.lengths), rng)
    steps: list[Played] = []
    phases = None
    for _ in range(int(sessions.lengths.max())):
        seen = _seen(steps[-1:], moment, environment, sessions)
        phases, intentions = agent.intend(seen, phases, rng)
        actions = np.where(moment.missed, MISSING, draw(agent.choose(seen, intentions), rng))
        outcomes, following = environment.answer(moment, actions, rng)
        steps.append(Played(moment, actions, intentions, outcomes, following.states))
        moment = following
    played = _collected(steps, environment, sessions)
    paid = any(not np.isnan(step.outcomes).all() for step in steps)
    return played if paid else replace(played, outcomes=None)


def now(seen: Trajectories) -> npt.NDArray[np.integer[Any]]:
    """(n,) where in the flat arrays of what is seen the step about to be taken lies."""
    return seen.offsets[1:] - 1


def _seen(last: list[Played], moment: Moment, environment: Environment, sessions: Sessions) -> Trajectories:
    """One step a session, or two: the last one taken, and the one about to be."""
    unknown = np.full(len(moment.states), MISSING)
    about = Played(moment, unknown, unknown, np.full(len(unknown), np.nan), unknown)
    window = sessions._replace(lengths=np.full(len(unknown), len(last) + 1))
    return _collected([*last, about], environment, window)


def _collected(steps: list[Played], environment: Environment, sessions: Sessions) -> Trajectories:
    """Steps, recorded time by time, session by session, each cut to its length."""
    lasts = (np.arange(len(steps)) < sessions.lengths[:, None]).ravel()  # (n · T,)
    kept = slice(None) if lasts.all() else lasts

    def flat(values: Iterable[npt.NDArray[Any]]) -> npt.NDArray[Any]:
        stacked = np.stack(list(values), axis=1)
        return stacked.reshape(len(lasts), *stacked.shape[2:])[kept]

    moments, *recorded = zip(*steps, strict=True)
    columns: dict[str, Any] = dict(zip(Played._fields[1:], map(flat, recorded), strict=True))
    columns |= {name: flat(getattr(moment, name) for moment in moments) for name in ("states", "inputs", "contexts")}
    whole = sessions._asdict() | vars(environment.format)
    offsets = np.concatenate([[0], np.cumsum(whole.pop("lengths"))])
    return Trajectories(offsets=offsets, **columns, **whole)
