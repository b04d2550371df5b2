"""Solving (I − γ P) x = b for a stochastic matrix P: dense LU, sparse LU or a Krylov method, by size.

Measured by ``benchmarks/linear_solvers.py`` on square grids with γ = 0.99: sparse LU is the fastest up to about
10⁴ states, after which its fill-in grows faster than the states do. BiCGSTAB needs some hundred products with P
whatever the size, because the spectrum of γP lies within the disc of radius γ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import linalg, sparse
from scipy.sparse import linalg as sparse_linalg

DIRECT_LIMIT = 20_000
RESIDUAL = 1e-12


class LinearSolver(NamedTuple):
    """``solve(b)`` for right-hand sides (S,) or (S, n); ``method`` says how."""

    method: str
    solve: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]


def linear_solver(transition: Any, discount: float) -> LinearSolver:
    """A solver for (I − γ P) x = b, with ``transition`` = P (S, S) dense or sparse (rows may sum to less than 1)."""
    if not sparse.issparse(transition):
        factors = linalg.lu_factor(np.eye(len(transition)) - discount * transition)
        return LinearSolver("dense LU", lambda b: linalg.lu_solve(factors, b))
    n_states = transition.shape[0]
    matrix = (sparse.eye_array(n_states) - discount * transition).tocsc()
    if n_states <= DIRECT_LIMIT:
        return LinearSolver("sparse LU", sparse_linalg.splu(matrix).solve)
    return LinearSolver("BiCGSTAB", krylov(matrix.tocsr()))


def krylov(matrix: Any) -> Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]:
    """BiCGSTAB with the diagonal as preconditioner, each right-hand side to a relative residual of 1e-12."""
    diagonal = matrix.diagonal()
    precondition = sparse_linalg.LinearOperator(matrix.shape, matvec=lambda x: x / diagonal)

    def solve_one(b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        x, info = sparse_linalg.bicgstab(matrix, b, rtol=RESIDUAL, atol=0.0, maxiter=100_000, M=precondition)
        if info != 0:  # a breakdown, not bad input: fall back on the method that cannot break down
            x = sparse_linalg.spsolve(matrix.tocsc(), b)
        return x

    def solve(b: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return solve_one(b) if b.ndim == 1 else np.stack([solve_one(column) for column in b.T], axis=1)

    return solve
