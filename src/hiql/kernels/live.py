"""One step of the causal pass, for a running experiment: nothing is allocated.

``mind`` (2, P) has what is known of the phases after the last step, and room to compute in. ``bank`` (rows, P, P) are
matrices that lead into a step; a session's beginning is one of them, all of whose rows are Π. ``likely`` (pairs, P) and
``proba`` (states, P, A) are what the phases do. ``codes`` say how rows are numbered (:data:`CODES`). The twin in plain
numpy is :class:`hiql.models.asked_steps.AskedSteps`.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

CODES = AFTER, BY_LEFT, BY_ACTION, BY_ENTERED, WIDTH, FROM_LAST, ENTERED, OF_CONTEXTS, NO_EVIDENCE = range(9)
"""Places among ``codes``. The row leading into a step is ``FROM_LAST`` + ``ENTERED`` · state + ``OF_CONTEXTS``, where
``FROM_LAST`` = ``AFTER`` + ``BY_LEFT`` · state + ``BY_ACTION`` · action of the last step, ``ENTERED`` = ``BY_ENTERED``,
and both are 0 before the first. The pair of a step is (state + 1) · ``WIDTH`` + action + 1, or 0 if ``NO_EVIDENCE``."""
compiled = njit(nogil=True, cache=True, error_model="numpy")


@compiled
def _numbered(codes, state, action):  # type: ignore[no-untyped-def]
    """The row and the pair of a step; then it is the last one."""
    row = codes[FROM_LAST] + codes[ENTERED] * state + codes[OF_CONTEXTS]
    pair = 0 if codes[NO_EVIDENCE] else (state + 1) * codes[WIDTH] + action + 1
    codes[FROM_LAST] = codes[AFTER] + codes[BY_LEFT] * state + codes[BY_ACTION] * action
    codes[ENTERED] = codes[BY_ENTERED]
    return row, pair


@compiled
def forward_step(mind, bank, likely, phases, codes, out, state, action):  # type: ignore[no-untyped-def]
    """mind ∝ (mind · bank[row]) ∘ likely[pair]; ``out`` (K,) receives its sums over the phases of each intention."""
    row, pair = _numbered(codes, state, action)
    P, total = mind.shape[1], 0.0
    for j in range(P):
        p = 0.0
        for i in range(P):
            p += mind[0, i] * bank[row, i, j]
        mind[1, j] = p * likely[pair, j]
        total += mind[1, j]
    out[:] = 0.0
    for j in range(P):
        mind[0, j] = mind[1, j] / total
        out[phases[j]] += mind[0, j]


@compiled
def predict_step(mind, bank, proba, codes, out, state):  # type: ignore[no-untyped-def]
    """``out`` (A,) = mind · bank[row] · proba[state + 1]."""
    row = codes[FROM_LAST] + codes[ENTERED] * state + codes[OF_CONTEXTS]
    P = mind.shape[1]
    out[:] = 0.0
    for j in range(P):
        p = 0.0
        for i in range(P):
            p += mind[0, i] * bank[row, i, j]
        for a in range(out.shape[0]):
            out[a] += p * proba[state + 1, j, a]


@compiled
def log_forward_step(log_mind, log_bank, likely, phases, codes, out, state, action):  # type: ignore[no-untyped-def]
    """As :func:`forward_step`, in logarithms; a step that nothing explains is passed over like a missing one."""
    row, pair = _numbered(codes, state, action)
    P, top = log_mind.shape[1], -np.inf
    for j in range(P):
        log_mind[1, j] = _log_ahead(log_mind, log_bank, row, j)
        if likely[pair, j] > 0.0:
            top = max(top, log_mind[1, j] + math.log(likely[pair, j]))
    passed_over, total = top == -np.inf, 0.0
    for j in range(P):
        if not passed_over:
            log_mind[1, j] += math.log(likely[pair, j]) if likely[pair, j] > 0.0 else -np.inf
            log_mind[1, j] -= top
        total += math.exp(log_mind[1, j])
    out[:] = 0.0
    for j in range(P):
        log_mind[0, j] = log_mind[1, j] - math.log(total)
        out[phases[j]] += math.exp(log_mind[0, j])


@compiled
def log_predict_step(log_mind, log_bank, proba, codes, out, state):  # type: ignore[no-untyped-def]
    """As :func:`predict_step`, in logarithms."""
    row = codes[FROM_LAST] + codes[ENTERED] * state + codes[OF_CONTEXTS]
    out[:] = 0.0
    for j in range(log_mind.shape[1]):
        p = math.exp(_log_ahead(log_mind, log_bank, row, j))
        for a in range(out.shape[0]):
            out[a] += p * proba[state + 1, j, a]


@compiled
def _log_ahead(log_mind, log_bank, row, j):  # type: ignore[no-untyped-def]
    """log Σ_i mind_i · bank[row]_ij; −inf if there is no way to j."""
    P, top, total = log_mind.shape[1], -np.inf, 0.0
    for i in range(P):
        top = max(top, log_mind[0, i] + log_bank[row, i, j])
    if top == -np.inf:
        return top
    for i in range(P):
        total += math.exp(log_mind[0, i] + log_bank[row, i, j] - top)
    return top + math.log(total)
