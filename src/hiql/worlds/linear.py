"""Solving (I − γ P) x = b for a stochastic matrix P: dense LU, sparse LU or a Krylov method, by the world's shape.

The better sparse method depends on the shape of the world more than on its size, and the two fail in opposite
places (``benchmarks/linear_solvers.py``). Sparse LU fills in where everything is close to everything: among
bandit histories or random graphs it is slower than BiCGSTAB from some hundred states on, and hopeless from
10⁴. BiCGSTAB needs a few dozen products with P there and some hundred in a grid, whatever the size, because
the spectrum of γP lies in the disc of radius γ; in long one-way corridors with γ near 1 it takes thousands
or breaks down, and just there sparse LU has next to no fill-in. What tells them apart is how wide the world is: if its
states can be put in a line so that no step leads far, LU fills in no more than that band. So: LU in narrow worlds,
BiCGSTAB in others, and LU again where BiCGSTAB does not finish.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse_linalg

NARROW = 128
"""The bandwidth up to which sparse LU was the faster in every world we tried, of 64 to 20,000 states."""
RESIDUAL = 1e-12
MAX_ITERATIONS = 2_000
MOST_STARTS = 3

Solve = Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]


class LinearSolver(NamedTuple):
    """``solve(b)`` for right-hand sides (S,) or (S, n); ``method`` says how."""

    method: str
    solve: Solve


def linear_solver(transition: Any, discount: float) -> LinearSolver:
    """A solver for (I − γ P) x = b; ``transition`` = P (S, S), dense or sparse, has rows of sum ≤ 1."""
    if not sparse.issparse(transition):
        factors = linalg.lu_factor(np.eye(len(transition)) - discount * transition)
        return LinearSolver("dense LU", _column_by_column(lambda b: linalg.lu_solve(factors, b)))
    stochastic: Any = transition
    return sparse_solver(sparse.csr_array(sparse.eye_array(stochastic.shape[0]) - discount * stochastic))


def sparse_solver(matrix: Any) -> LinearSolver:
    """A solver for a sparse I − γ P."""
    if is_narrow(matrix):
        return LinearSolver("sparse LU", sparse_lu_solver(matrix))
    return LinearSolver("BiCGSTAB", bicgstab_solver(matrix))


def is_narrow(matrix: Any) -> bool:
    """Whether the states, in their own order or in one looked for, have all their steps in a narrow band."""
    entries = matrix.tocoo()
    if np.abs(entries.row - entries.col).max() <= NARROW:
        return True
    order = csgraph.reverse_cuthill_mckee(matrix)
    place = np.empty_like(order)
    place[order] = np.arange(len(order), dtype=order.dtype)
    return bool(np.abs(place[entries.row] - place[entries.col]).max() <= NARROW)


def sparse_lu_solver(matrix: Any) -> Solve:
    """Sparse LU ordered by A + Aᵀ, with pivots on the diagonal, which dominates every row of I − γP."""
    factors = sparse_linalg.splu(
        matrix.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
    )
    return factors.solve


def bicgstab_solver(matrix: Any) -> Solve:
    """BiCGSTAB with the diagonal as preconditioner, each right-hand side to a relative residual of 1e-12.

    The residual that the method carries along drifts away from the true one; so it starts again from what it has found
    until that holds, some times at most. Where it takes too long or breaks down, sparse LU takes over, factorised once.
    """
    diagonal = matrix.diagonal()
    precondition = sparse_linalg.LinearOperator(matrix.shape, matvec=lambda x: x / diagonal)
    direct = cache(lambda: sparse_lu_solver(matrix))

    def solve_one(b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        x, allowed = np.zeros_like(b), RESIDUAL * np.linalg.norm(b)
        for _ in range(MOST_STARTS):
            x, info = sparse_linalg.bicgstab(
                matrix, b, x, rtol=RESIDUAL, atol=0.0, maxiter=MAX_ITERATIONS, M=precondition
            )
            if info != 0:
                return direct()(b)
            if np.linalg.norm(b - matrix @ x) <= allowed:
                break
        return x

    return _column_by_column(solve_one)


def _column_by_column(solve_one: Solve) -> Solve:
    """Several right-hand sides in turn. LAPACK would share them out among threads, and wait for busy cores."""

    def solve(b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return solve_one(b) if b.ndim == 1 else np.stack([solve_one(column) for column in b.T], axis=1)

    return solve
