"""One pass of EM over data in blocks of sessions: each block's E-step is followed by an M-step at once.

This is incremental EM (Neal & Hinton 1998). ``memory`` (B, n) holds the expected counts of each block as they were
when it was last visited. A visit replaces the block's counts by those under the present parameters; the parameters are
the shares of all counts plus pseudo-counts. Each visit and each M-step raises the free energy

    F = Σ_b [ℓ_b(θ_b) − n_b · log θ_b] + (Σ_b n_b + c) · log θ,

where θ_b are the parameters that block b has met, ℓ_b is its log-likelihood, and c are the pseudo-counts. F is at most
the log-likelihood plus log-prior of θ, and equals it where EM has converged; so it is the objective of these passes.

Where a posterior is wanted instead of a mode, the same passes read exp E log θ in place of shares, and F ends in
log B(Σ_b n_b + c) − log B(c), the lower bound of the evidence (:mod:`hiql.kernels.expected_logs`).

Counts are flat: those of beginnings (R, K), moves (M, K, K) and rows of the choice (S·A, K), one after another. The
twin in plain numpy is ``tests/oracles/incremental_em.py``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from hiql.kernels.compiling import packed
from hiql.kernels.exact_smoother import smooth_sessions
from hiql.kernels.expected_logs import expected_emission, expected_shares, log_evidence, log_evidence_of_policies
from hiql.kernels.log_tables import NEXT_TO_NOTHING
from hiql.kernels.logarithm import log
from hiql.kernels.registers import vector

compiled = njit(nogil=True, cache=True, error_model="numpy")


@compiled
def _add_up(memory, totals):  # type: ignore[no-untyped-def]
    """``totals`` (n,): the counts of all blocks (B, n). Loops compile in a tenth of the time of array expressions."""
    for n in range(totals.shape[0]):
        totals[n] = 0.0
    for block in range(memory.shape[0]):
        for n in range(totals.shape[0]):
            totals[n] += memory[block, n]


@compiled
def _shares(counts, pseudo_counts, result):  # type: ignore[no-untyped-def]
    """``result`` (R, K): each row's shares of counts plus pseudo-counts; equal shares where the row is empty."""
    for row in range(counts.shape[0]):
        total = 0.0
        for k in range(counts.shape[1]):
            total += counts[row, k] + pseudo_counts[row, k]
        for k in range(counts.shape[1]):
            share = (counts[row, k] + pseudo_counts[row, k]) / total
            result[row, k] = share if total > NEXT_TO_NOTHING else 1.0 / counts.shape[1]


@packed
@compiled
def _emission(intentions, counts, pseudo_counts, n_actions, result):  # type: ignore[no-untyped-def]
    """``result`` (S·A + 1, K): p(a|s) of each intention from counts (S·A, K), each row divided by its maximum.

    An intention with no counts in a state has equal shares there; an action that no intention takes has ones.
    """
    total = vector(intentions)
    for first in range(0, counts.shape[0], n_actions):
        for k in range(len(intentions)):
            total[k] = 0.0
        for pair in range(first, first + n_actions):
            for k in range(len(intentions)):
                result[pair, k] = counts[pair, k] + pseudo_counts[pair, k]
                total[k] += result[pair, k]
        for k in range(len(intentions)):
            if not total[k] > NEXT_TO_NOTHING:
                total[k] = n_actions
                for pair in range(first, first + n_actions):
                    result[pair, k] = 1.0
            total[k] = 1.0 / total[k]
        for pair in range(first, first + n_actions):
            top = 0.0
            for k in range(len(intentions)):
                result[pair, k] *= total[k]
                top = max(top, result[pair, k])
            scale = 1.0 / top
            for k in range(len(intentions)):
                result[pair, k] = result[pair, k] * scale if top > 0.0 else 1.0


@compiled
def _times_log(counts, table):  # type: ignore[no-untyped-def]
    """Σ counts · log table, both flat; in four sums, so that no addition waits for the one before."""
    terms = np.empty(counts.shape[0])
    for n in range(terms.shape[0]):
        terms[n] = counts[n] * log(table[n])
    in_fours = terms.shape[0] - terms.shape[0] % 4
    first = second = third = fourth = 0.0
    for n in range(0, in_fours, 4):
        first += terms[n]
        second += terms[n + 1]
        third += terms[n + 2]
        fourth += terms[n + 3]
    for n in range(in_fours, terms.shape[0]):
        first += terms[n]
    return (first + second) + (third + fourth)


@compiled
def _log_of_shares(counts, pseudo_counts):  # type: ignore[no-untyped-def]
    """Σ x log(x / its row's sum) for x = counts + pseudo-count (R, K)."""
    result = 0.0
    for row in range(counts.shape[0]):
        total = 0.0
        for k in range(counts.shape[1]):
            x = counts[row, k] + pseudo_counts[row, k]
            result += x * log(x)
            total += x
        result -= total * log(total)
    return result


@compiled
def _log_of_policies(raised, n_actions):  # type: ignore[no-untyped-def]
    """Σ x log(x / its sum over the actions of the state) for raised counts x (S·A, K)."""
    sums = np.zeros((raised.shape[0] // n_actions, raised.shape[1]))
    for state in range(sums.shape[0]):
        for pair in range(state * n_actions, (state + 1) * n_actions):
            for k in range(sums.shape[1]):
                sums[state, k] += raised[pair, k]
    return _times_log(raised.ravel(), raised.ravel()) - _times_log(sums.ravel(), sums.ravel())


@compiled
def sweep_blocks(intentions, renewing, steps, priors, memory, tables, work):  # type: ignore[no-untyped-def]
    """Visit every block once; ``memory`` and the tables are renewed in place, and F is returned.

    Block b has the sessions b, b + B, b + 2B, …. Unless ``renewing``, all blocks meet the tables as they are given:
    that is how a climb begins. ``steps`` are the offsets of sessions, the rows of the choice (N,), of beginnings
    (n_sessions,) and of moves (N,) or None; ``tables`` initial (R, K), bank (M, K, K) and emission (S·A + 1, K);
    ``priors`` the pseudo-counts of each, without the last row, the number of rows that share one sum, and whether the
    posterior is wanted (else the mode); ``work`` has room for the longest session (max T, K).
    """
    initial, bank, emission = tables
    initial_prior, bank_prior, pair_prior, n_actions, posterior = priors
    K, n_blocks, n_sessions = len(intentions), memory.shape[0], steps[0].shape[0] - 1
    chain_start, pair_start, totals = initial.size, initial.size + bank.size, np.empty(memory.shape[1])
    first_totals = totals[:chain_start].reshape(initial.shape)
    move_totals = totals[chain_start:pair_start].reshape(-1, K)
    pair_totals = totals[pair_start:].reshape(-1, K)
    move_prior, moves_table = bank_prior.reshape(-1, K), bank.reshape(-1, K)
    flat_initial, flat_bank, flat_emission = initial.ravel(), bank.ravel(), emission[:-1].ravel()
    energy = 0.0
    _add_up(memory, totals)
    for block in range(n_blocks):
        if renewing and posterior:
            expected_shares(first_totals, initial_prior, initial)
            expected_shares(move_totals, move_prior, moves_table)
            expected_emission(pair_totals, pair_prior, n_actions, emission)
        elif renewing:
            _shares(first_totals, initial_prior, initial)
            _shares(move_totals, move_prior, moves_table)
            _emission(intentions, pair_totals, pair_prior, n_actions, emission)
        fresh = np.empty(totals.shape[0] + K)  # the last row is that of missing steps
        first_part, move_part, pair_part = fresh[:chain_start], fresh[chain_start:pair_start], fresh[pair_start:-K]
        firsts, moves = first_part.reshape(initial.shape), move_part.reshape(bank.shape)
        visits = fresh[pair_start:].reshape(-1, K)
        sessions = (block, n_sessions, n_blocks)
        energy += smooth_sessions(intentions, sessions, steps, tables, work, (firsts, moves, visits))
        energy -= _times_log(first_part, flat_initial) + _times_log(move_part, flat_bank)
        energy -= _times_log(pair_part, flat_emission)
        for n in range(totals.shape[0]):
            totals[n] = max(totals[n] + (fresh[n] - memory[block, n]), 0.0)
            memory[block, n] = fresh[n]
    _add_up(memory, totals)  # anew, for differences leave rounding errors where little is left
    if posterior:
        energy += log_evidence(first_totals, initial_prior) + log_evidence(move_totals, move_prior)
        return energy + log_evidence_of_policies(pair_totals, pair_prior, n_actions)
    energy += _log_of_shares(first_totals, initial_prior) + _log_of_shares(move_totals, move_prior)
    return energy + _log_of_policies(pair_totals + pair_prior, n_actions)
