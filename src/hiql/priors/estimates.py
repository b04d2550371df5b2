"""What counts and pseudo-counts make of a row: its mode, or its posterior. One definition of each prior serves both.

==========  ============================  ==========================================  ===========================
estimate    θ of a row, pseudo-counts c   the smoother reads                          the objective adds
==========  ============================  ==========================================  ===========================
"mode"      mode under Dirichlet(1 + c)   (n + c) / Σ(n + c)                          Σ c log θ
"bayes"     posterior under Dirichlet(c)  exp(ψ(n + c) − ψ(Σ(n + c)))                 log B(n + c) − log B(c)
==========  ============================  ==========================================  ===========================

Either way what a fit shows is the same function of counts, (n + c) / Σ(n + c): the mode of the one is the mean of the
other. The maths is on the page ``docs/theory/evidence.md``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hiql.errors import InvalidParameter
from hiql.kernels.expected_logs import expected_logs, log_evidence
from hiql.kernels.log_tables import log_shares

FloatArray = npt.NDArray[np.float64]
ESTIMATES = MODE, BAYES = "mode", "bayes"
TIE = 3.0
"""Nats below which evidence does not decide: one candidate is then not 20 times as likely as the other."""


def check_estimate(estimate: object) -> None:
    if estimate not in ESTIMATES:
        remedy = f"choose from {', '.join(map(repr, ESTIMATES))}"
        raise InvalidParameter(parameter="estimate", value=estimate, remedy=remedy)


def concentration(estimate: str, pseudo_counts: float | FloatArray) -> FloatArray:
    """That of the prior of a row: what is drawn of it, given whole counts n, is Dirichlet(concentration + n)."""
    return np.asarray({MODE: 1.0, BAYES: 0.0}[estimate] + pseudo_counts)


def log_rows(estimate: str, raised: FloatArray) -> FloatArray:
    """(…, A) the logarithms of what the smoother reads of rows of counts plus pseudo-counts."""
    rows = {MODE: log_shares, BAYES: expected_logs}[estimate]
    array = np.ascontiguousarray(raised, dtype=np.float64)
    return np.asarray(rows(array.reshape(-1, array.shape[-1]))).reshape(array.shape)


def evidence_of_rows(counts: FloatArray, pseudo_counts: float | FloatArray) -> float:
    """Σ log B(n + c) − log B(c) over rows (…, A)."""
    n, c = (
        np.ascontiguousarray(np.broadcast_to(each, np.shape(counts)), np.float64) for each in (counts, pseudo_counts)
    )
    return float(log_evidence(n.reshape(-1, n.shape[-1]), c.reshape(-1, n.shape[-1])))


def times_log(counts: FloatArray, log_table: FloatArray) -> float:
    """Σ n log θ, where 0 · log 0 = 0."""
    return float((counts * np.where(counts > 0, log_table, 0.0)).sum())
