"""Finding the maximum of a smooth function whose gradient is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from scipy.optimize import minimize

from hiql.parts.part import FloatArray

MEMORY = 20
"""Steps that L-BFGS remembers; the posteriors here are narrow valleys, so more than its usual 10."""


class Optimum(NamedTuple):
    """Where the climb ended; ``notes`` says in sentences what the user should know about it."""

    point: FloatArray
    objective: float
    n_iter: int
    converged: bool
    notes: tuple[str, ...]


def climb(
    function: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    max_iter: int,
    tol: float,
    lowest: float | None = None,
) -> Optimum:
    """Maximise ``function``, which returns value and gradient, by L-BFGS from ``start``.

    It has converged when a step gains less than ``tol`` relative to the value. With ``lowest``, no number goes below.
    """

    def downhill(point: FloatArray) -> tuple[float, FloatArray]:
        value, gradient = function(point)
        return -value, -gradient

    options: Any = {"maxiter": max_iter, "maxfun": 20 * max_iter, "ftol": tol, "gtol": 1e-9, "maxcor": MEMORY}
    bounds = None if lowest is None else [(lowest, None)] * len(start)
    result = minimize(downhill, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    notes = () if result.success else (_complaint(result.nit, max_iter, tol, str(result.message)),)
    return Optimum(result.x, -float(result.fun), int(result.nit), bool(result.success), notes)


def _complaint(n_iter: int, max_iter: int, tol: float, message: str) -> str:
    stopped = f"the fit stopped after {n_iter} steps before it converged to tol={tol:g}"
    return f"{stopped}; raise max_iter={max_iter}" if n_iter >= max_iter else f"{stopped} ({message}); raise tol"
