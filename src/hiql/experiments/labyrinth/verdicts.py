"""The claims of §5.2, judged."""

from __future__ import annotations

import numpy as np

from hiql.evaluate.courses import mean_course
from hiql.experiments.labyrinth.compute import CohortResult, LabyrinthResult
from hiql.experiments.verdicts import Verdict
from hiql.models import IntentionModel
from hiql.worlds.labyrinth import HOME, WATER
from hiql.worlds.mdp import World
from hiql.worlds.planning import state_occupancy

WHERE = {"restricted": "§5.2, Figure 5", "unrestricted": "§5.2, Figure 6"}


def verdicts(result: LabyrinthResult) -> list[Verdict]:
    """All claims about both cohorts, judged on their two-intention fits."""
    return [verdict for cohort, part in result.cohorts.items() for verdict in _cohort(cohort, part)]


def _cohort(cohort: str, part: CohortResult) -> list[Verdict]:
    model, world, where = part.model, part.maze.mdp, WHERE[cohort]
    home = part.names.index("to home")
    other = 1 - home
    course = mean_course(part.maze.data, model.smooth_proba(part.maze.data)).mean
    walk_home = greedy_walk(world, model.policy_[home], WATER)
    common = [
        Verdict(
            where,
            '"to home" leads from the water port to the entrance and stays there',
            " → ".join(map(str, walk_home)),
            "the shortest path",
            "yes",
            walk_home[-1] == HOME and len(walk_home) == len(shortest_path(WATER, HOME)),
        ),
        Verdict(
            where,
            f'"{part.names[other]}" dominates at the start of a session and falls',
            f"from {course[0, other]:.2f} to {course[-1, other]:.2f}",
            "> 0.5 at the start, less at the end",
            "yes",
            bool(course[0, other] > 0.5 and course[-1, other] < course[0, other]),
        ),
    ]
    more = _thirsty if cohort == "restricted" else _exploring
    return common + more(model, world, other, home, where)


def _thirsty(model: IntentionModel, world: World, water: int, home: int, where: str) -> list[Verdict]:
    walk = greedy_walk(world, model.policy_[water], HOME)
    there, back = model.transition_[water, home], model.transition_[home, water]
    return [
        Verdict(
            where,
            '"to water" leads from the entrance to the water port along the shortest path',
            " → ".join(map(str, walk)),
            "the shortest path",
            "yes",
            walk == shortest_path(HOME, WATER),
        ),
        Verdict(
            where,
            '"to water" → "to home" is likelier than the reverse',
            f"{there:.3f} and {back:.3f}",
            "first > second",
            "yes",
            bool(there > back),
        ),
    ]


def _exploring(model: IntentionModel, world: World, exploring: int, home: int, where: str) -> list[Verdict]:
    at_home = [float(state_occupancy(world, model.policy_[i], HOME, 14)[HOME]) for i in (exploring, home)]
    stay = model.transition_.diagonal()
    return [
        Verdict(
            where,
            '"elsewhere" lingers in the maze, away from the entrance',
            f"time at home over 14 steps {at_home[0]:.2f}, against {at_home[1]:.2f}",
            "less than half, and less than the other",
            "yes",
            at_home[0] < at_home[1] and at_home[0] < 0.5,
        ),
        Verdict(
            where,
            '"elsewhere" is the less stable intention',
            f"staying with probability {stay[exploring]:.2f} and {stay[home]:.2f}",
            "first < second",
            "yes",
            bool(stay[exploring] < stay[home]),
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
