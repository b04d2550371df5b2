"""The smoother of a set of sessions, exact also where the chain has zeros: impossible moves stay impossible.

The fast pass (:mod:`hiql.kernels.smoother`) needs a chain without zeros, so it is given one: A⁺ = max(A, FLOOR). Its
own counts tell what that has changed. Let N be the expected number, under A⁺ and given the session, of moves (and
starts) that only the floor allows. The paths that use one hold a share of at most N of the likelihood, so

    log L⁺ + log(1 − N) ≤ log L ≤ log L⁺,

and posteriors and counts are off by no more than about N. Where N is at most ``NEGLIGIBLE`` the fast answer is thus
exact to rounding. The other sessions, such as one that changes its mind under a chain that cannot, are *lost* to the
fast pass, and are done again in logarithms (:mod:`hiql.kernels.log_smoother`). Chains without zeros are not checked.
Chains that never leave an intention need no recursion at all (:mod:`hiql.kernels.kept`).
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hiql.kernels.compiling import packed
from hiql.kernels.kept import kept_sessions, never_leaves, part_of
from hiql.kernels.log_smoother import log_smooth_session, log_table
from hiql.kernels.smoother import FLOOR, smooth_session

NEGLIGIBLE = 2.0**-47
"""The expected number of impossible moves in a session, 7e-15, that no answer shows."""

compiled = njit(nogil=True, cache=True, error_model="numpy")


@compiled
def raised(table):  # type: ignore[no-untyped-def]
    """The table with no entry below ``FLOOR``."""
    result = np.empty_like(table)
    for n in range(table.size):
        result.flat[n] = max(table.flat[n], FLOOR)
    return result


@compiled
def has_raised(table):  # type: ignore[no-untyped-def]
    """Whether ``FLOOR`` changes the table."""
    lowest = FLOOR
    for n in range(table.size):
        lowest = min(lowest, table.flat[n])
    return lowest < FLOOR


@compiled
def _strays_in(matrix, counts):  # type: ignore[no-untyped-def]
    """Σ FLOOR · counts over entries of a matrix (K, K) that the floor has raised."""
    total = 0.0
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[1]):
            if matrix[i, j] < FLOOR:
                total += FLOOR * counts[i, j]
    return total


@compiled
def _strays(rows, bank, bank_counts):  # type: ignore[no-untyped-def]
    """The same for the matrices that lead into the steps of a session; a matrix met twice counts twice."""
    if rows is None:
        return _strays_in(bank[0], bank_counts[0])
    total = 0.0
    for t in range(1, rows.shape[0]):
        total += _strays_in(bank[rows[t]], bank_counts[rows[t]])
    return total


@compiled
def _stray_start(initial, posterior):  # type: ignore[no-untyped-def]
    """The posterior (K,) of a session's first step where only the floor lets it begin."""
    total = 0.0
    for k in range(initial.shape[0]):
        if initial[k] < FLOOR:
            total += posterior[k]
    return total


@compiled
def _in_logarithms(lost, steps, tables, work, counted):  # type: ignore[no-untyped-def]
    """The lost sessions: counts are added to; the sum of their log-likelihoods."""
    (offsets, pairs, begins, rows), (initial, bank, emission) = steps, tables
    initial_counts, bank_counts, counts = counted
    log_initial, log_bank, log_likelihood = log_table(initial), log_table(bank), 0.0
    for s in range(lost.shape[0]):
        if lost[s]:
            first, last = offsets[s], offsets[s + 1]
            at = first if work.shape[0] == pairs.shape[0] else 0
            those = pairs[first:last], part_of(rows, first, last)
            here = work[at : at + last - first]
            here_tables = log_initial[begins[s]], log_bank, emission
            here_counted = initial_counts[begins[s]], bank_counts, counts
            log_likelihood += log_smooth_session(those, here_tables, here, here_counted)
    return log_likelihood


@packed
@compiled
def smooth_sessions(intentions, sessions, steps, tables, work, counted):  # type: ignore[no-untyped-def]
    """The sessions of the range ``sessions`` (first, last, step), in turn; the sum of their log-likelihoods.

    ``steps`` are the offsets of sessions, the row of the emissions that each step reads (N,), the row of ``initial``
    that each session begins with, and the matrix that leads into each step (N,) or None; ``tables`` initial (R, K),
    bank (M, K, K) and emission (rows, K); ``counted``, of the same shapes, receives the expected counts. If
    ``work`` is (N, K) it receives the posteriors of all steps; it may be shorter, (max T, K), and is then reused.
    A session without a possible path has log-likelihood −inf (``log_smoother`` says what its posteriors are).
    """
    offsets, pairs, begins, rows = steps
    initial, bank, emission = tables
    initial_counts, bank_counts, counts = counted
    safe_initial, safe_bank = raised(initial), raised(bank)
    has_zeros, lost = has_raised(initial) or has_raised(bank), np.zeros(offsets.shape[0] - 1, np.bool_)
    log_likelihood, n_lost, known = 0.0, 0, -1
    if never_leaves(bank):
        initial_counts[:], bank_counts[:], counts[:] = 0.0, 0.0, 0.0
        log_likelihood, n_lost = kept_sessions(sessions, steps, tables, work, counted, lost)
        known = n_lost
    while known != n_lost:  # once; if sessions are lost, once more without them
        known, log_likelihood = n_lost, 0.0
        initial_counts[:], bank_counts[:], counts[:] = 0.0, 0.0, 0.0
        for s in range(sessions[0], sessions[1], sessions[2]):
            if lost[s]:
                continue
            first, last = offsets[s], offsets[s + 1]
            at = first if work.shape[0] == pairs.shape[0] else 0
            here, steps_rows = work[at : at + last - first], part_of(rows, first, last)
            strays = _strays(steps_rows, bank, bank_counts) if has_zeros else 0.0
            log_likelihood += smooth_session(
                intentions,
                pairs[first:last],
                steps_rows,
                begins[s],
                safe_initial,
                safe_bank,
                emission,
                here,
                initial_counts,
                bank_counts,
                counts,
            )
            if has_zeros:
                strays = _strays(steps_rows, bank, bank_counts) - strays + _stray_start(initial[begins[s]], here[0])
                lost[s] = not strays <= NEGLIGIBLE
                n_lost += lost[s]
    for n in range(initial.size):
        initial_counts.flat[n] *= initial.flat[n] / safe_initial.flat[n]
    for n in range(bank.size):
        bank_counts.flat[n] *= bank.flat[n]
    if n_lost > 0:
        log_likelihood += _in_logarithms(lost, steps, tables, work, counted)
    return log_likelihood
