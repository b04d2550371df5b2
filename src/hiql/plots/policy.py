"""Policies as arrows: from each state towards where an action leads, and a cross where it stays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import to_rgba_array

from hiql.plots.labels import FloatArray, IntArray, shaped
from hiql.plots.style import POLICY
from hiql.worlds.mdp import MDP, World


class Moves(NamedTuple):
    """n moves to draw: from ``states`` (n,) to ``targets`` (n,), taken with ``probability`` (n,)."""

    states: IntArray
    targets: IntArray
    probability: FloatArray


def targets(world: MDP) -> IntArray:
    """(S, A) the state where each action most likely leads, argmax_s' P(s, a, s')."""
    if world.is_sparse:
        return np.stack([np.asarray(matrix.argmax(axis=1)).ravel() for matrix in world.transitions], axis=1)
    return np.argmax(world.transitions, axis=2)


def all_moves(world: MDP, policy: npt.ArrayLike, visited: npt.ArrayLike | None = None, least: float = 0.1) -> Moves:
    """Every action with at least the probability ``least``, of each state (that was visited)."""
    policy = shaped("policy", policy, world.n_states, world.n_actions)
    states, actions = np.nonzero((policy >= least) & _mask(world, visited)[:, None])
    return Moves(states, targets(world)[states, actions], policy[states, actions])


def likely_moves(world: MDP, policy: npt.ArrayLike, visited: npt.ArrayLike | None = None) -> Moves:
    """The most likely action of each state (that was visited)."""
    policy = shaped("policy", policy, world.n_states, world.n_actions)
    states = np.flatnonzero(_mask(world, visited))
    actions = policy.argmax(axis=1)[states]
    return Moves(states, targets(world)[states, actions], policy[states, actions])


def _mask(world: MDP, visited: npt.ArrayLike | None) -> npt.NDArray[np.bool_]:
    everywhere = np.ones(world.n_states)
    return shaped("visited", everywhere if visited is None else visited, world.n_states) > 0


def draw_moves(
    ax: Axes,
    world: World,
    moves: Moves,
    *,
    reach: FloatArray,
    start: float = 0.0,
    width: float = 0.04,
    cross: float = 0.1,
    lane: float = 0.0,
) -> None:
    """Arrows of length ``reach`` (n,) and crosses of half-width ``cross``; the fainter the less probable.

    Lengths are in units of the world's positions. Arrows begin ``start`` away from their state, and those that meet
    another one keep ``lane`` to their right: two heads on one line would look like a cross.
    """
    origin = world.positions[moves.states]
    step = world.positions[moves.targets] - origin
    length = np.linalg.norm(step, axis=1)
    leaving = length > 0
    colours = to_rgba_array(POLICY).repeat(len(length), axis=0)
    colours[:, 3] = 0.15 + 0.85 * moves.probability
    direction = step[leaving] / length[leaving, None]
    right = np.stack([direction[:, 1], -direction[:, 0]], axis=1)
    tail = origin[leaving] + start * direction + lane * _opposed(moves)[leaving, None] * right
    ax.quiver(
        *tail.T, *(direction * reach[leaving, None]).T, color=colours[leaving], width=width, zorder=4,
        angles="xy", scale_units="xy", scale=1.0, units="xy", minlength=0.0,
        headwidth=3.8, headlength=3.6, headaxislength=3.2,
    )  # fmt: skip
    ax.add_collection(_crosses(origin[~leaving], colours[~leaving], cross))


def _opposed(moves: Moves) -> npt.NDArray[np.bool_]:
    """(n,) whether another of the moves leads the opposite way."""
    ways = set(zip(moves.states.tolist(), moves.targets.tolist(), strict=True))
    back = zip(moves.targets.tolist(), moves.states.tolist(), strict=True)
    return np.array([way in ways for way in back], dtype=np.bool_)


def _crosses(centres: FloatArray, colours: FloatArray, half: float) -> LineCollection:
    strokes = half * np.array([[(-1, -1), (1, 1)], [(-1, 1), (1, -1)]])
    segments = (centres[:, None, None, :] + strokes).reshape(-1, 2, 2)
    return LineCollection(list(segments), colors=colours.repeat(2, axis=0), linewidths=1.0, zorder=5)
