"""Open grids: up, down, left, right, stay, with a chance to slip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse

from hiql.errors import InvalidParameter
from hiql.worlds.mdp import World

ACTIONS = ("up", "down", "left", "right", "stay")
MOVES = np.array([(0, 1), (0, -1), (-1, 0), (1, 0), (0, 0)])
SPARSE_FROM = 400
"""Number of states from which transitions are kept as sparse matrices."""


def gridworld(
    size: int | tuple[int, int] = 5,
    slip: float = 0.1,
    discount: float = 0.9,
    *,
    places: Mapping[str, tuple[int, int]] | None = None,
    start: tuple[int, int] = (0, 0),
) -> World:
    """A grid of ``size`` cells a side (or width × height) with five actions.

    With probability ``slip`` an action is replaced by one drawn uniformly from all five (perhaps itself); at the border
    the agent stays. Cell (x, y) is state y · width + x; (0, 0) is drawn bottom left.
    The defaults are those of the paper's first experiment (§5.1).
    """
    width, height = _sides(size)
    if not 0.0 <= slip <= 1.0:
        raise InvalidParameter(parameter="slip", value=slip, remedy="choose a probability in [0, 1]")
    named = {"origin": (0, 0), "far corner": (width - 1, height - 1)} if places is None else places
    for name, cell in {**named, "start": start}.items():
        if not (0 <= cell[0] < width and 0 <= cell[1] < height):
            remedy = f"choose a cell (x, y) of the {width} × {height} grid"
            raise InvalidParameter(parameter=name, value=cell, remedy=remedy)
    return World(
        transitions=_transitions(width, height, slip),
        discount=discount,
        positions=cells(width, height).astype(np.float64),
        action_names=ACTIONS,
        places={name: x + y * width for name, (x, y) in named.items()},
        start=start[0] + start[1] * width,
    )


def _sides(size: int | tuple[int, int]) -> tuple[int, int]:
    sides = (size, size) if isinstance(size, int | np.integer) else size
    if np.shape(sides) != (2,) or not all(isinstance(n, int | np.integer) and n >= 1 for n in sides):
        remedy = "choose a number of cells a side, at least 1, or (width, height)"
        raise InvalidParameter(parameter="size", value=size, remedy=remedy)
    return int(sides[0]), int(sides[1])


def cells(width: int, height: int) -> npt.NDArray[np.int64]:
    """(S, 2) the x, y of every state."""
    return np.stack([np.tile(np.arange(width), height), np.repeat(np.arange(height), width)], axis=1)


def _transitions(width: int, height: int, slip: float) -> Any:
    n_states = width * height
    bounds = np.array([width - 1, height - 1])
    targets = [np.clip(cells(width, height) + move, 0, bounds) @ [1, width] for move in MOVES]
    moves = [sparse.csr_array((np.ones(n_states), (np.arange(n_states), to)), (n_states,) * 2) for to in targets]
    slipping = sum(moves[1:], start=moves[0]) * (slip / len(moves))
    matrices = [sparse.csr_array((1.0 - slip) * move + slipping) for move in moves]
    return matrices if n_states >= SPARSE_FROM else np.stack([m.toarray() for m in matrices], axis=1)
