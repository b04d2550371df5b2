"""Forward–backward where each intention is a row of phases: O(P + K²) a step, not O(P²).

Intention i has n phases. At each step it stays in its phase (probability s_i) or goes on to the next one (g_i, that is
1 − s_i); from the last phase it goes on to another intention j, with probability Λ_ij, and enters that at phase m with
probability E_j(m). With the emission e_t(j), the same in all phases of an intention, the forward pass is

    α_t(j, m) = e_t(j) [s_j α_{t−1}(j, m) + g_j α_{t−1}(j, m − 1) + E_j(m) in_t(j)],
    in_t(j) = Σ_i out_t(i) Λ_ij,  out_t(i) = g_i α_{t−1}(i, n).

What posteriors say in place of probabilities need not sum to 1 (``docs/theory/evidence.md``), s and g neither.

The backward pass is the same the other way, on v_t = e_t β_t. The twin in plain numpy is ``tests/oracles/phases.py``.

*Only what flows is kept.* Going back, the chance of having entered j at step t is in_t(j) Σ_m E_j(m) v_t(j, m), that
of having left i is out_t(i) Σ_j Λ_ij Σ_m E_j(m) v_t(j, m): posteriors follow by adding and subtracting. So K numbers
are kept of each step, not P, and phases stay where the processor is quick to find them. How often a phase was left for
the next follows from where intentions are entered, left, and found in the end (``dynamics/phase_chain.py``).

*Scales* are those of :mod:`hiql.kernels.smoother`: where Σ α has fallen below ``TINY`` the next one is multiplied by
1/TINY, and v at the same step, so that Σ α β = 1 all along and no step needs a logarithm or a division.

*Nothing is lost unseen.* Phases in a row have zeros by nature: what underflows cannot come back by itself, and might
matter later. So a ``SPARK`` of 1e-200 is added to what enters each intention at each step (and no E_j(m) is below
``FLOOR``): more than can get lost. What share of the likelihood is due to these is found on the way back. Sessions
where it is more than ``NEGLIGIBLE`` are done again in logarithms (:mod:`hiql.kernels.log_phases`), the others are exact
to rounding.

*Short ways from step to step.* What an intention is left by, and what entering it is worth, each step must know of the
one before. Both are one sum of products away: what the new flow adds to them goes through the last phase alone, and the
rest can be had earlier. And scaling is a branch, seldom taken, so that nothing waits for Σ α.

*Four phases in one instruction* (:mod:`hiql.kernels.fours`): they are a multiple of four, filled up in front with some
that are never entered. ``fours`` is a tuple as long as there are fours, so that their loops unroll.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from hiql.kernels.compiling import packed
from hiql.kernels.exact_smoother import NEGLIGIBLE, raised
from hiql.kernels.fours import everywhere, fourth, fused, moved_back, moved_on, plus, read, third, times, total, write
from hiql.kernels.log_phases import log_phase_tables, log_smooth_phases
from hiql.kernels.log_smoother import log_table
from hiql.kernels.registers import fma, inlined, matrix, vector
from hiql.kernels.smoother import FLOOR, LOG_TINY, TINY

SPARK = 1e-200
compiled = njit(nogil=True, cache=True, error_model="numpy")


@inlined
def _ahead(fours, alpha, at, flows, entry, amount):  # type: ignore[no-untyped-def]
    """α_t(j, ·) in place of α_{t−1}(j, ·), the row at ``at``; ``amount`` and it, and what is in the last two phases.

    ``flows`` are what each phase keeps, hands on, and gets from outside per E, all times the emission.
    """
    staying, going, coming = everywhere(flows[0]), everywhere(flows[1]), everywhere(flows[2])
    last = x = everywhere(0.0)
    for four in range(len(fours)):
        m = at + 4 * four
        old = read(alpha, m)
        x = fused(staying, old, times(going, moved_on(last, old)))
        x = fused(coming, read(entry, m), x)
        write(alpha, m, x)
        last, amount = old, plus(amount, x)
    return amount, third(x), fourth(x)


@inlined
def _back(fours, v, at, flows, worth_of_leaving, entry, entries):  # type: ignore[no-untyped-def]
    """v_{t−1}(j, ·) in place of v_t(j, ·), the row at ``at``; entries into it are counted, but for E.

    ``flows`` are what each phase keeps and hands on, times the emission, and what enters. Σ_m E_j(m) v_{t−1}(j, m) is
    returned, but for what the last phase is worth because it can be left.
    """
    staying, going, coming = everywhere(flows[0]), everywhere(flows[1]), everywhere(flows[2])
    nothing = worth = everywhere(0.0)
    old = read(v, at)
    for four in range(len(fours)):
        m, end = at + 4 * four, four == len(fours) - 1
        after = nothing if end else read(v, m + 4)
        new = fused(staying, old, times(going, moved_back(old, after)))
        worth = fused(read(entry, m), new, worth)
        write(v, m, fused(going, moved_back(nothing, everywhere(worth_of_leaving)), new) if end else new)
        write(entries, m, fused(coming, old, read(entries, m)))
        old = after
    return total(worth)


@inlined
def _entering(intentions, leaving, following, least, entering):  # type: ignore[no-untyped-def]
    """``entering`` (K,) = ``leaving`` Λ + ``least``."""
    for j in range(len(intentions)):
        amount = least
        for i in range(len(intentions)):
            amount = fma(leaving[i], following[0, i, j], amount)
        entering[j] = amount


@packed
@compiled
def smooth_phases(intentions, fours, pairs, first, tables, room, posterior, counted):  # type: ignore[no-untyped-def]
    """One session: ``posterior`` (T, K) receives p(z_t | session); counts are added to, but for the factors of tables.

    ``first`` (K, n) is how it begins; ``tables`` are stay (K,), leave (K,), entry (K, n), Λ (K, K) and emission
    (rows, K); ``room`` is for out (T, K) and scales (T,). ``counted`` are those of beginnings (K, n), entries (K, n),
    followers (K, K), ends (2, K), the last step's posterior and its phase times that, and rows (rows, K); entries lack
    the factor E and followers Λ. The log-likelihood is returned, and the share of sparks in it.
    """
    (stays, goes, entry, onward, emission), (left, scale) = tables, room
    firsts, entries, follows, ends, counts = counted
    K, n, T = len(intentions), entry.shape[1], pairs.shape[0]
    stay, go, leaving, entering = vector(intentions), vector(intentions), vector(intentions), vector(intentions)
    worth, worth_of_leaving, here = vector(intentions), vector(intentions), vector(intentions)
    before, final, onto_last = vector(intentions), vector(intentions), vector(intentions)
    following, moved = matrix(intentions), matrix(intentions)
    alpha, v = np.empty((K, n)), np.empty((K, n))
    amount, n_scaled = 0.0, 0
    for i in range(K):
        stay[i], go[i] = stays[i], goes[i]
        for j in range(K):
            following[0, i, j] = onward[i, j]
        for m in range(n):
            alpha[i, m] = (first[i, m] + SPARK) * emission[pairs[0], i]
            amount += alpha[i, m]
        leaving[i] = alpha[i, n - 1] * go[i]
        before[i], final[i], onto_last[i] = alpha[i, n - 2], alpha[i, n - 1], entry[i, n - 1]
    scale[:T] = 1.0
    for t in range(1, T):
        pair, c = np.uintp(pairs[np.uintp(t)]), 1.0
        if amount < TINY:
            scale[np.uintp(t)] = c = 1.0 / TINY
            n_scaled += 1
        _entering(intentions, leaving, following, SPARK, entering)
        in_fours = everywhere(0.0)
        for j in range(K):
            left[np.uintp(t - 1), j] = leaving[j]
            x = emission[pair, j] * c
            flows = x * stay[j], x * go[j], x * entering[j]
            kept = flows[1] * fma(stay[j], final[j], go[j] * before[j])
            leaving[j] = fma(flows[1] * onto_last[j], entering[j], kept)
            in_fours, before[j], final[j] = _ahead(fours, alpha, j * n, flows, entry, in_fours)
        amount = total(in_fours)

    sparks = 0.0
    for j in range(K):
        x = emission[pairs[T - 1], j] * scale[T - 1]
        later = 0.0
        for m in range(n):
            v[j, m] = x / amount
            alpha[j, m] /= amount
            here[j] += alpha[j, m]
            later += entry[j, m] * v[j, m]
            ends[1, j] += m * alpha[j, m]
        worth[j] = later
        ends[0, j] += here[j]
        posterior[T - 1, j] = here[j]
        counts[pairs[T - 1], j] += here[j]
    for t in range(T - 1, 0, -1):
        pair = np.uintp(pairs[np.uintp(t - 1)])
        for i in range(K):
            leaving[i] = left[np.uintp(t - 1), i]
        _entering(intentions, leaving, following, 0.0, entering)
        for i in range(K):
            later = 0.0
            for j in range(K):
                later = fma(following[0, i, j], worth[j], later)
                moved[0, i, j] = fma(leaving[i], worth[j], moved[0, i, j])
            worth_of_leaving[i] = later
            sparks += worth[i]
            here[i] += leaving[i] * later - entering[i] * worth[i]
        for j in range(K):
            x = emission[pair, j] * scale[np.uintp(t - 1)]
            flows = x * stay[j], x * go[j], entering[j]
            kept = _back(fours, v, j * n, flows, worth_of_leaving[j], entry, entries)
            worth[j] = fma(flows[1] * onto_last[j], worth_of_leaving[j], kept)
            here[j] = max(here[j], 0.0) if x > 0.0 else 0.0
            posterior[np.uintp(t - 1), j] = here[j]
            counts[pair, j] += here[j]
    for j in range(K):
        for m in range(n):
            firsts[j, m] += first[j, m] * v[j, m]
            sparks += v[j, m]
        for i in range(K):
            follows[i, j] += moved[0, i, j]
    return math.log(amount) + n_scaled * LOG_TINY, SPARK * sparks


@compiled
def _strays(entry, entries):  # type: ignore[no-untyped-def]
    """What has entered only because no entry is below ``FLOOR``."""
    total = 0.0
    for n in range(entry.size):
        if entry.flat[n] < FLOOR:
            total += FLOOR * entries.flat[n]
    return total


@compiled
def smooth_phase_sessions(intentions, fours, steps, firsts, tables, posterior, counted):  # type: ignore[no-untyped-def]
    """All sessions, one after another; the sum of their log-likelihoods.

    ``steps`` are the offsets of sessions, the row of the emissions of each step (N,) and that of ``firsts`` (R, K, n)
    of each session; ``posterior`` is (N, K), or shorter, (max T, K), and is then reused; ``counted`` as in
    :func:`smooth_phases`, with a row of beginnings for each of ``firsts``, receives the expected counts.
    """
    (offsets, pairs, begins), (stay, leave, entry, following, emission) = steps, tables
    begun, entries, follows, ends, counts = counted
    raised_tables, longest = (stay, leave, raised(entry), following, emission), 0
    for s in range(offsets.shape[0] - 1):
        longest = max(longest, offsets[s + 1] - offsets[s])
    room = np.empty((longest, len(intentions))), np.empty(longest)
    lost, n_lost, known, log_likelihood = np.zeros(offsets.shape[0] - 1, np.bool_), 0, -1, 0.0
    while known != n_lost:  # once; if sessions are lost, once more without them
        known, log_likelihood = n_lost, 0.0
        begun[:], entries[:], follows[:], ends[:], counts[:] = 0.0, 0.0, 0.0, 0.0, 0.0
        for s in range(offsets.shape[0] - 1):
            if lost[s]:
                continue
            first, last, b = offsets[s], offsets[s + 1], begins[s]
            at = first if posterior.shape[0] == pairs.shape[0] else 0
            here, here_counted = posterior[at : at + last - first], (begun[b], entries, follows, ends, counts)
            strays = _strays(entry, entries)
            gained, sparks = smooth_phases(
                intentions, fours, pairs[first:last], firsts[b], raised_tables, room, here, here_counted
            )
            log_likelihood += gained
            lost[s] = not _strays(entry, entries) - strays + sparks <= NEGLIGIBLE
            n_lost += lost[s]
    for n in range(entry.size):
        entries.flat[n] *= entry.flat[n]
    for n in range(following.size):
        follows.flat[n] *= following.flat[n]
    if n_lost > 0:
        log_firsts, log_tables = log_table(firsts), log_phase_tables(tables)
        for s in range(offsets.shape[0] - 1):
            if lost[s]:
                first, last, b = offsets[s], offsets[s + 1], begins[s]
                at = first if posterior.shape[0] == pairs.shape[0] else 0
                here, here_counted = posterior[at : at + last - first], (begun[b], entries, follows, ends, counts)
                log_likelihood += log_smooth_phases(pairs[first:last], log_firsts[b], log_tables, here, here_counted)
    return log_likelihood
