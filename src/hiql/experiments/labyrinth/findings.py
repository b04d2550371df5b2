"""The paper's findings about the mice, as statements that a fitted model either bears out or does not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.evaluate.courses import mean_course
from hiql.models import IntentionModel
from hiql.worlds.labyrinth import HOME, WATER
from hiql.worlds.mdp import World
from hiql.worlds.planning import state_occupancy


class Finding(NamedTuple):
    """A statement, whether it holds, and the number behind it."""

    statement: str
    holds: bool
    evidence: str


def findings(
    cohort: str, model: IntentionModel, data: Trajectories, world: World, names: tuple[str, ...]
) -> list[Finding]:
    """All findings of a cohort for a fit with two named intentions."""
    home = names.index("to home")
    other = 1 - home
    course = mean_course(data, model.smooth_proba(data)).mean
    walk_home = greedy_walk(world, model.policy_[home], WATER)
    stay = model.transition_.diagonal()
    common = [
        Finding(
            '"to home" leads from the water port to the entrance and stays there',
            walk_home[-1] == HOME and len(walk_home) == len(shortest_path(WATER, HOME)),
            " → ".join(map(str, walk_home)),
        ),
        Finding(
            f'"{names[other]}" dominates at the start of a session and falls',
            bool(course[0, other] > 0.5 and course[-1, other] < course[0, other]),
            f"from {course[0, other]:.2f} to {course[-1, other]:.2f}",
        ),
    ]
    return common + (
        _thirsty(model, world, other, home) if cohort == "restricted" else _exploring(model, world, other, home, stay)
    )


def _thirsty(model: IntentionModel, world: World, water: int, home: int) -> list[Finding]:
    walk = greedy_walk(world, model.policy_[water], HOME)
    there, back = model.transition_[water, home], model.transition_[home, water]
    return [
        Finding(
            '"to water" leads from the entrance to the water port along the shortest path',
            walk == shortest_path(HOME, WATER),
            " → ".join(map(str, walk)),
        ),
        Finding(
            '"to water" → "to home" is likelier than the reverse', bool(there > back), f"{there:.3f} and {back:.3f}"
        ),
    ]


def _exploring(model: IntentionModel, world: World, exploring: int, home: int, stay: np.ndarray) -> list[Finding]:
    at_home = [float(state_occupancy(world, model.policy_[i], HOME, 14)[HOME]) for i in (exploring, home)]
    return [
        Finding(
            '"elsewhere" lingers in the maze, away from the entrance',
            at_home[0] < at_home[1] and at_home[0] < 0.5,
            f"time at home over 14 steps {at_home[0]:.2f}, against {at_home[1]:.2f}",
        ),
        Finding(
            '"elsewhere" is the less stable intention',
            bool(stay[exploring] < stay[home]),
            f"staying with probability {stay[exploring]:.2f} and {stay[home]:.2f}",
        ),
    ]


def greedy_walk(world: World, policy: np.ndarray, start: int, limit: int = 30) -> list[int]:
    """The nodes visited by always taking the most likely action, until it stays put or the limit is reached."""
    walk = [start]
    while len(walk) < limit:
        following = int(world.transitions[walk[-1], policy[walk[-1]].argmax()].argmax())
        if following == walk[-1]:
            break
        walk.append(following)
    return walk


def shortest_path(start: int, end: int) -> list[int]:
    """The only path without detours between two nodes of the binary tree in heap order, counted from 0."""
    up, down = [start + 1], [end + 1]
    while up[-1] != down[-1]:
        if up[-1] > down[-1]:
            up.append(up[-1] // 2)
        else:
            down.append(down[-1] // 2)
    return [node - 1 for node in up + down[-2::-1]]
