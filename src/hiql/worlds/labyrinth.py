"""The 127-node binary maze of Rosenberg et al. (2021), as used in the paper's second experiment (§5.2)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hiql.worlds.mdp import World

ACTIONS = ("left", "right", "reverse", "stay")
LEVELS = 6
N_NODES = 2 ** (LEVELS + 1) - 1
HOME, WATER = 0, 100


def labyrinth(discount: float = 0.99) -> World:
    """127 nodes of a binary tree in heap order, counted from 0; home is node 0, the water port node 100.

    With n = node + 1, "left" leads to 2n, "right" to 2n + 1, "reverse" to n // 2 and "stay" to n. At the 64
    end nodes left and right stay put, at home reverse stays put. Positions: the H-tree of the real maze.
    """
    heap = np.arange(1, N_NODES + 1)
    inner = heap <= N_NODES // 2
    targets = np.stack(
        [
            np.where(inner, 2 * heap, heap),  # left
            np.where(inner, 2 * heap + 1, heap),  # right
            np.maximum(heap // 2, 1),  # reverse
            heap,  # stay
        ],
        axis=1,
    )
    transitions = np.zeros((N_NODES, len(ACTIONS), N_NODES))
    state, action = np.indices(targets.shape)
    transitions[state, action, targets - 1] = 1.0
    return World(
        transitions=transitions,
        discount=discount,
        positions=h_tree(LEVELS),
        action_names=ACTIONS,
        places={"home": HOME, "water": WATER},
        links=np.stack([heap[1:] // 2 - 1, heap[1:] - 1], axis=1),
        start=HOME,
    )


def h_tree(levels: int) -> npt.NDArray[np.float64]:
    """(2^(levels+1) − 1, 2) positions of a binary tree laid out as an H-tree, the root in the middle.

    Branches alternate between the vertical and the horizontal axis and halve every second level; "left" and
    "right" are as seen by an animal walking away from the root, which it enters from the left.
    """
    positions = np.zeros((2 ** (levels + 1) - 1, 2))
    heading = np.tile([1.0, 0.0], (len(positions), 1))
    for child in range(1, len(positions)):
        parent = (child - 1) // 2
        level = int(np.log2(child + 1))
        dx, dy = heading[parent]
        turned = np.array([-dy, dx]) if child % 2 == 1 else np.array([dy, -dx])
        positions[child] = positions[parent] + turned * 2.0 ** ((levels - level) // 2)
        heading[child] = turned
    return positions
