"""Objectworld (Levine et al. 2011), the non-linear benchmark of Kalweit et al. (2020)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.errors import InvalidParameter
from hiql.worlds.gridworld import cells, gridworld
from hiql.worlds.mdp import World


class Objectworld(NamedTuple):
    """A grid with coloured objects: world, true reward (S,), the objects' cells and colours, distances."""

    world: World
    reward: npt.NDArray[np.float64]
    objects: npt.NDArray[np.int64]
    colours: npt.NDArray[np.int64]
    distances: npt.NDArray[np.float64]


def objectworld(
    size: int = 32,
    n_objects: int = 50,
    n_colours: int = 2,
    slip: float = 0.3,
    discount: float = 0.9,
    random_state: int | np.random.Generator = 0,
) -> Objectworld:
    """Objects of random outer colours lie in random cells of a slippery grid.

    A state is worth +1 within distance 3 of colour 0 and within distance 2 of colour 1, −1 within distance 3
    of colour 0 only, and 0 elsewhere; further colours distract. ``distances`` (S, n_colours) to the nearest
    object of each colour are the features of the original benchmark.
    """
    if n_colours < 2 or not n_colours <= n_objects <= size * size:
        raise InvalidParameter(
            parameter="n_objects, n_colours",
            value=(n_objects, n_colours),
            remedy=f"choose at least 2 colours and from n_colours to {size * size} objects",
        )
    rng = np.random.default_rng(random_state)
    grid = cells(size, size)
    objects = grid[rng.choice(len(grid), n_objects, replace=False)]
    colours = np.concatenate([np.arange(n_colours), rng.integers(n_colours, size=n_objects - n_colours)])
    to_object = np.linalg.norm(grid[:, None] - objects[None], axis=2)
    distances = np.stack([to_object[:, colours == c].min(axis=1) for c in range(n_colours)], axis=1)
    near = distances[:, 0] <= 3
    reward = np.where(near & (distances[:, 1] <= 2), 1.0, np.where(near, -1.0, 0.0))
    return Objectworld(gridworld(size, slip, discount, places={}), reward, objects, colours, distances)
