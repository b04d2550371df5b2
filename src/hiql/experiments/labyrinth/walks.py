"""Ways through the maze: where a policy leads, and the shortest."""

from __future__ import annotations

import numpy as np

from hiql.worlds.mdp import World


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
