"""One pass of EM over data in blocks of sessions: each block's E-step is followed by an M-step at once.

This is incremental EM (Neal & Hinton 1998). ``memory`` (B, n) holds the expected counts of each block as they were
when it was last visited. A visit replaces the block's counts by those under the present parameters; the parameters are
the shares of all counts plus pseudo-counts. Each visit and each M-step raises the free energy

    F = Σ_b [ℓ_b(θ_b) − n_b · log θ_b] + (Σ_b n_b + c) · log θ,

where θ_b are the parameters that block b has met, ℓ_b is its log-likelihood, and c are the pseudo-counts. F is at most
the log-likelihood plus log-prior of θ, and equals it where EM has converged; so it is the objective of these passes.

Counts are flat: those of Π (K,), Λ (K, K) and pairs (S·A, K), one after another. The twin in plain numpy is
``tests/oracles/incremental_em.py``.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from hiql.kernels.compiling import packed
from hiql.kernels.log_tables import LOWEST
from hiql.kernels.registers import vector
from hiql.kernels.smoother import FLOOR, smooth_sessions

compiled = njit(nogil=True, cache=True, error_model="numpy")


@compiled
def _shares(counts, pseudo_count, result):  # type: ignore[no-untyped-def]
    """``result`` (R, K): each row's shares of counts plus pseudo-count, and none below the smoother's floor."""
    for row in range(counts.shape[0]):
        total = 0.0
        for k in range(counts.shape[1]):
            total += counts[row, k] + pseudo_count
        for k in range(counts.shape[1]):
            share = (counts[row, k] + pseudo_count) / total if total > 0.0 else 1.0 / counts.shape[1]
            result[row, k] = max(share, FLOOR)


@packed
@compiled
def _emission(intentions, counts, pseudo_counts, n_actions, result):  # type: ignore[no-untyped-def]
    """``result`` (S·A + 1, K): p(a|s) of each intention from counts (S·A, K), each row divided by its maximum."""
    total = vector(intentions)
    for first in range(0, counts.shape[0], n_actions):
        for k in range(len(intentions)):
            total[k] = 0.0
        for pair in range(first, first + n_actions):
            for k in range(len(intentions)):
                result[pair, k] = counts[pair, k] + pseudo_counts[pair, k]
                total[k] += result[pair, k]
        for k in range(len(intentions)):
            total[k] = 1.0 / total[k] if total[k] > LOWEST else 0.0
        for pair in range(first, first + n_actions):
            top = LOWEST
            for k in range(len(intentions)):
                result[pair, k] = max(result[pair, k] * total[k], LOWEST) if total[k] > 0.0 else 1.0 / n_actions
                top = max(top, result[pair, k])
            share = 1.0 / top
            for k in range(len(intentions)):
                result[pair, k] *= share


@compiled
def _times_log(counts, table):  # type: ignore[no-untyped-def]
    """Σ counts · log table, where there are counts."""
    total = 0.0
    for row in range(counts.shape[0]):
        for k in range(counts.shape[1]):
            if counts[row, k] > 0.0:
                total += counts[row, k] * math.log(table[row, k])
    return total


@compiled
def _x_log_x(x):  # type: ignore[no-untyped-def]
    return x * math.log(x) if x > 0.0 else 0.0


@compiled
def _log_shares_of_rows(counts, pseudo_count):  # type: ignore[no-untyped-def]
    """Σ x log(x / its row's sum) for x = counts + pseudo-count (R, K)."""
    result = 0.0
    for row in range(counts.shape[0]):
        total = 0.0
        for k in range(counts.shape[1]):
            total += counts[row, k] + pseudo_count
            result += _x_log_x(counts[row, k] + pseudo_count)
        result -= _x_log_x(total)
    return result


@compiled
def _log_shares_of_actions(counts, pseudo_counts, n_actions):  # type: ignore[no-untyped-def]
    """Σ x log(x / its sum over the actions of the state) for x = counts + pseudo-counts (S·A, K)."""
    result = 0.0
    for first in range(0, counts.shape[0], n_actions):
        for k in range(counts.shape[1]):
            total = 0.0
            for pair in range(first, first + n_actions):
                total += counts[pair, k] + pseudo_counts[pair, k]
                result += _x_log_x(counts[pair, k] + pseudo_counts[pair, k])
            result -= _x_log_x(total)
    return result


@packed
@njit(nogil=True, cache=True, error_model="numpy")
def sweep_blocks(  # type: ignore[no-untyped-def]
    intentions, renewing, offsets, pairs, n_actions, chain_prior, pair_prior, memory, totals, initial, bank, emission
):
    """Visit every block once; ``memory``, its sum ``totals`` and the tables are renewed in place, and F is returned.

    Block b has the sessions b, b + B, b + 2B, …. Unless ``renewing``, all blocks meet the tables as they are given:
    that is how a climb begins. ``chain_prior`` is the pseudo-count of Π and Λ, ``pair_prior`` (S·A, K) those of pairs.
    """
    K, n_blocks, n_sessions = len(intentions), memory.shape[0], offsets.shape[0] - 1
    chain_end = K + K * K
    totals[:] = memory.sum(axis=0)
    first_totals = totals[:K].reshape(1, K)
    move_totals = totals[K:chain_end].reshape(K, K)
    pair_totals = totals[chain_end:].reshape(-1, K)
    longest = 0
    for s in range(n_sessions):
        longest = max(longest, offsets[s + 1] - offsets[s])
    work = np.empty((longest, K))
    energy = 0.0
    for block in range(n_blocks):
        if renewing:
            _shares(first_totals, chain_prior, initial.reshape(1, K))
            _shares(move_totals, chain_prior, bank[0])
            _emission(intentions, pair_totals, pair_prior, n_actions, emission)
        fresh = np.zeros(totals.shape[0] + K)  # the last row is that of missing steps
        firsts, moves, visits = fresh[:K], fresh[K:chain_end].reshape(1, K, K), fresh[chain_end:].reshape(-1, K)
        sessions = (block, n_sessions, n_blocks)
        energy += smooth_sessions(
            intentions, sessions, offsets, pairs, None, initial, bank, emission, work, firsts, moves, visits
        )
        moves *= bank
        energy -= _times_log(firsts.reshape(1, K), initial.reshape(1, K)) + _times_log(moves[0], bank[0])
        energy -= _times_log(visits[:-1], emission)
        for n in range(totals.shape[0]):
            totals[n] = max(totals[n] + (fresh[n] - memory[block, n]), 0.0)
            memory[block, n] = fresh[n]
    energy += _log_shares_of_rows(first_totals, chain_prior) + _log_shares_of_rows(move_totals, chain_prior)
    return energy + _log_shares_of_actions(pair_totals, pair_prior, n_actions)
