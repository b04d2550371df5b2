r"""Standard errors of weights from the curvature of what was maximised, H: their covariance is H⁻¹ (Laplace).

The slope of the log-likelihood is that of the *expected* one (Fisher's identity), so one E-step gives it, and
differences of slopes give H: which intention ruled when is not taken as known, as it would be if H were that of the
regressions alone. The other part is held as fitted.

Where animals have weights of their own, W_s, around common ones, M, no session reads those of two animals. So H is an
arrow, of which all animals' entries are found with as many E-steps as those of one, and

.. math:: \mathrm{var}(W_s) = H_{ss}^{-1}
          + H_{ss}^{-1} H_{sM} \Big(H_{MM} - \sum_r H_{Mr} H_{rr}^{-1} H_{rM}\Big)^{-1} H_{Ms} H_{ss}^{-1} :

what the animal's own steps and the population leave open if the population is known, and what is not known of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.engine.problem import Point
from hiql.models import IntentionModel
from hiql.parts.part import IN_COMMON

FloatArray = npt.NDArray[np.float64]
Shown = Callable[[dict[str, FloatArray]], FloatArray]
NEAR = 1e-4
"""How far apart slopes are taken, in standardised units."""
FLAT = 1e-6
"""A curvature below this is that of a direction in which parameters mean the same, such as a common factor of odds."""
MOST = 2_000
"""Slopes are differed in so many directions at most: each costs two E-steps."""
DYNAMICS, CHOICE = 0, 1
WHOLE = 0
"""The block of everything where there are no others."""


class Errors(NamedTuple):
    """Standard errors, and how much of them comes ``from_common``: what is not known of weights in common."""

    all: FloatArray
    from_common: FloatArray


class Block(NamedTuple):
    """R (n, r) with RRᵀ = H_bb⁻¹, and H_bM (n, m), of the ``numbers`` (n,) of a block that can move; ``is_peak``: H_bb
    has no upward direction."""

    numbers: npt.NDArray[np.intp]
    root: FloatArray
    to_common: FloatArray
    is_peak: bool


@dataclass(frozen=True, eq=False)
class Curvature:
    """That of a fitted model's objective on some data, in the numbers of one of its parts."""

    model: IntentionModel
    data: Trajectories
    which: int = CHOICE

    def errors(self, of: Shown) -> Errors:
        """Of ``of(what the part shows)`` (B, …): row b depends, linearly, on numbers of block b and in common; NaN if
        unknown."""
        shown = np.asarray(of(self._part.summary(self._own)))
        nothing = np.full(shown.shape, np.nan)
        if self._differences is None:
            return Errors(nothing, nothing)
        moved = self._moved(of)
        found = [self._error(moved[:, b], self._blocks.get(b, self._blocks[WHOLE])) for b in range(len(shown))]
        return Errors(*(np.stack(each).reshape(shown.shape) for each in zip(*found, strict=True)))

    def _error(self, moved: FloatArray, here: Block) -> tuple[FloatArray, FloatArray]:
        """Of outputs that each direction moves so far, (directions, outputs), and how much of it comes from common."""
        nothing = np.full(moved.shape[1], np.nan)
        if not (here.is_peak and self._common.is_peak and len(here.numbers) + len(self._common.numbers)):
            return nothing, nothing
        rows, common_rows = (moved[self._direction_of[block.numbers]] for block in (here, self._common))
        own = here.root.T @ rows
        common = self._common.root.T @ (common_rows - here.to_common.T @ here.root @ own)
        return np.sqrt(np.square(own).sum(axis=0) + np.square(common).sum(axis=0)), np.linalg.norm(common, axis=0)

    def _moved(self, of: Shown) -> FloatArray:
        """(directions, B, outputs) how far each direction moves what is asked for."""
        shown = np.asarray(of(self._part.summary(self._own)))
        found = []
        for step in self._steps:
            there = self._part.summary(self._part.from_vector(self._vector + step, self._own))
            found.append((np.asarray(of(there)) - shown) / NEAR)
        return np.stack(found).reshape(len(found), len(shown), -1)

    # --- slopes ------------------------------------------------------------------------------------------------

    @cached_property
    def _problem(self) -> Any:
        return self.model._problem(self.data)

    @property
    def _part(self) -> Any:
        return self._problem.parts[self.which]

    @property
    def _own(self) -> Any:
        return self.model._point[self.which]

    @cached_property
    def _vector(self) -> FloatArray:
        return np.asarray(self._part.vector(self._own))

    @cached_property
    def _block_of(self) -> npt.NDArray[np.intp]:
        """(n,) the block of each number."""
        found = self._part.blocks(self._own, self._problem.data)
        return np.full(len(self._vector), WHOLE) if found is None else np.asarray(found)

    @cached_property
    def _direction_of(self) -> npt.NDArray[np.intp]:
        """(n,) along which direction each number moves: all blocks at once, then what is in common, one by one."""
        order, place = np.argsort(self._block_of, kind="stable"), np.empty(len(self._vector), dtype=np.intp)
        first = np.searchsorted(self._block_of[order], self._block_of[order])
        place[order] = np.arange(len(order)) - first
        common = self._block_of == IN_COMMON
        place[common] += place[~common].max(initial=-1) + 1
        return place

    def _slope(self, vector: FloatArray) -> FloatArray | None:
        params = self._part.from_vector(vector, self._own)
        here = Point(*(params if n == self.which else other for n, other in enumerate(self.model._point)))
        found = self._part.gradient(params, self._problem.expect(here)[1 + self.which])
        return None if found is None else np.asarray(found)

    @property
    def _steps(self) -> Iterator[FloatArray]:
        for direction in range(int(self._direction_of.max(initial=-1)) + 1):
            yield NEAR * (self._direction_of == direction)

    @cached_property
    def _differences(self) -> FloatArray | None:
        """(directions, n) minus the change of all slopes along each direction; None if nobody knows them."""
        if self._direction_of.max(initial=-1) >= MOST or self._slope(self._vector) is None:
            return None
        pairs = ((self._slope(self._vector - step), self._slope(self._vector + step)) for step in self._steps)
        return np.stack([(before - after) / (2 * NEAR) for before, after in pairs])  # type: ignore[operator]

    # --- the curvature -----------------------------------------------------------------------------------------

    def _bent(self, rows: npt.NDArray[np.intp], columns: npt.NDArray[np.intp]) -> FloatArray:
        """(r, c) the entries of H of these numbers; rows may move together with others that columns do not meet."""
        assert self._differences is not None
        return self._differences[np.ix_(self._direction_of[rows], columns)]

    def _free(self, block: int) -> npt.NDArray[np.intp]:
        """The numbers of a block that can move: one that is held fixed has no slope."""
        numbers = np.flatnonzero(self._block_of == block)
        return numbers[np.abs(self._bent(numbers, numbers)).sum(axis=0) > 0]

    @cached_property
    def _blocks(self) -> dict[int, Block]:
        common, found = self._free(IN_COMMON), {}
        for block in np.unique(self._block_of[self._block_of != IN_COMMON]):
            numbers = self._free(block)
            root, is_peak = root_of_inverse(self._bent(numbers, numbers))
            found[int(block)] = Block(numbers, root, self._bent(common, numbers).T, is_peak)
        return found

    @cached_property
    def _common(self) -> Block:
        """What is in common, with the blocks going along."""
        numbers = self._free(IN_COMMON)
        bent = self._bent(numbers, numbers)
        for block in self._blocks.values():
            along = block.root.T @ block.to_common
            bent = bent - along.T @ along
        root, is_peak = root_of_inverse(bent)
        return Block(numbers, root, np.zeros((len(numbers), 0)), is_peak)


def root_of_inverse(bent: FloatArray) -> tuple[FloatArray, bool]:
    """R (n, r) with RRᵀ the inverse of a curvature, flat directions left out; and whether none leads upwards."""
    curvature, axes = np.linalg.eigh(0.5 * (bent + bent.T))
    told = curvature > FLAT
    return axes[:, told] / np.sqrt(curvature[told]), bool(curvature.min(initial=0.0) >= -FLAT)
