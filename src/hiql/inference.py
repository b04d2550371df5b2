"""Inference for given parameters: expected counts, smoothed and causal posteriors, the most likely path."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import Chain, ChainCounts, FloatArray
from hiql.errors import InvalidNumberOfIntentions, ShapeMismatch
from hiql.kernels.exact_smoother import has_raised, smooth_sessions
from hiql.kernels.filtering import filter_sessions
from hiql.kernels.log_smoother import log_filter_sessions
from hiql.kernels.log_tables import scaled_exponentials
from hiql.kernels.smoother import MOST_PHASES
from hiql.kernels.viterbi import viterbi_sessions
from hiql.threads import map_in_threads

STEPS_PER_CHUNK = 50_000
"""A chunk has at least this many steps, and as many as there are pairs (s, a): each chunk counts for itself."""
FEWEST_CHUNKS = 8
"""Data of fewer are one chunk: a pass over them takes some milliseconds, too little to share among threads."""
MOST_CHUNKS = 16
"""Few, as their counts are kept until all are done; enough for two or four threads to end at the same time."""


class Expectation(NamedTuple):
    """The outcome of an E-step: log-likelihood and expected counts of the chain and of actions (K, S, A)."""

    log_likelihood: float
    chain: ChainCounts
    actions: FloatArray


class Emission(NamedTuple):
    """p(a|s, phase) as ``table`` (S·A + 1, P), each row divided by its maximum, whose log is ``log_scale``.

    The last row, all ones, is that of missing steps: no evidence. An action that no intention ever takes has ones, too,
    and ``log_scale`` −inf: whoever shows it is impossible.
    """

    table: FloatArray
    log_scale: FloatArray


def emission(log_policy: FloatArray, phases: npt.NDArray[np.intp]) -> Emission:
    """The emission table of log-policies (K, S, A) for phases (P,) that belong to intentions."""
    return Emission(*scaled_exponentials(log_policy.reshape(len(log_policy), -1), phases))


def expect(data: Trajectories, chain: Chain, log_policy: FloatArray, n_threads: int = 1) -> Expectation:
    """The E-step. The result does not depend on ``n_threads``: the data are cut into the same chunks regardless."""
    tables = read_tables(data, chain, log_policy)
    counted = map_in_threads(partial(count_sessions, data, tables), chunks(data), n_threads)
    return add_up(counted, tables, data.pair_counts)


class Tables(NamedTuple):
    """What the smoother looks up: the chain, which fits the data, and p(a|s, phase)."""

    chain: Chain
    emission: Emission
    n_intentions: int


class Counted(NamedTuple):
    """What one pass over some sessions has counted, before the work that needs doing only once for all of them.

    ``log_likelihood`` lacks the emission's scale; ``transitions`` (M, P, P) and ``pairs`` (S·A + 1, P) are by phase.
    """

    log_likelihood: float
    initial: FloatArray
    transitions: FloatArray
    pairs: FloatArray


def read_tables(data: Trajectories, chain: Chain, log_policy: FloatArray) -> Tables:
    checked = _checked(data, chain, len(log_policy))
    return Tables(checked, emission(log_policy, chain.phases), len(log_policy))


def count_sessions(data: Trajectories, tables: Tables, sessions: tuple[int, int]) -> Counted:
    """One pass over the sessions from the first to before the last of ``sessions``."""
    first, last = sessions
    initial, bank, table = tables.chain.initial, tables.chain.bank, tables.emission.table
    counts = np.empty(len(initial)), np.empty(bank.shape), np.empty(table.shape)
    work = np.empty((int(data.lengths[first:last].max()), len(initial)))
    offsets = data.offsets[first : last + 1]
    rows = _rows(tables.chain, slice(offsets[0], offsets[-1]))
    steps = _read_only(offsets - offsets[0]), _read_only(data.pairs_between(first, last)), rows
    at = (0,) * len(initial), (0, last - first, 1), *steps
    return Counted(smooth_sessions(*at, initial, bank, table, work, *counts), *counts)


def add_up(counted: Sequence[Counted], tables: Tables, pair_counts: FloatArray) -> Expectation:
    """The E-step of all sessions from its chunks, added in their order: the same bits wherever they were counted."""
    log_likelihoods, firsts, transitions, pairs = zip(*counted, strict=True)
    log_likelihood = sum(log_likelihoods) + _log_scale(pair_counts.ravel(), tables.emission.log_scale)
    counts = ChainCounts(sum(firsts[1:], firsts[0]), sum(transitions[1:], transitions[0]))
    actions = _by_intention(sum(pairs[1:], pairs[0])[:-1], tables.chain, tables.n_intentions).T
    return Expectation(float(log_likelihood), counts, actions.reshape(-1, *pair_counts.shape))


def smooth(data: Trajectories, chain: Chain, log_policy: FloatArray) -> FloatArray:
    """(N, K) p(z_t | the whole session); a step that makes its session impossible is passed over like a missing one."""
    (initial, bank, _, phases), (table, _), _ = read_tables(data, chain, log_policy)
    posterior = np.empty((data.n_steps, len(phases)))
    counts = np.empty(len(phases)), np.empty(bank.shape), np.empty(table.shape)
    rows = _rows(chain, slice(None))
    at = (0,) * len(phases), (0, data.n_sessions, 1), data.offsets, data.pairs, rows
    smooth_sessions(*at, initial, bank, table, posterior, *counts)
    return _by_intention(posterior, chain, len(log_policy))


def causal(data: Trajectories, chain: Chain, log_policy: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(N, K) twice: p(z_t | steps before t) and p(z_t | steps up to t).

    A chain without zeros forgets: no number becomes too small to matter later. Others are followed in logarithms.
    """
    (initial, bank, rows, _), (table, _), n_intentions = read_tables(data, chain, log_policy)
    predicted, filtered = np.empty((2, data.n_steps, len(initial)))
    kernel = log_filter_sessions if has_raised(initial) or has_raised(bank) else filter_sessions
    kernel(data.offsets, data.pairs, rows, initial, bank, table, predicted, filtered)
    return _by_intention(predicted, chain, n_intentions), _by_intention(filtered, chain, n_intentions)


def most_likely_path(data: Trajectories, chain: Chain, log_policy: FloatArray) -> npt.NDArray[np.int64]:
    """(N,) the intentions on the most likely path through each session (Viterbi)."""
    (initial, bank, rows, phases), (table, _), _ = read_tables(data, chain, log_policy)
    with np.errstate(divide="ignore"):
        log_tables = np.log(initial), np.log(bank), np.log(table)
    path = np.empty(data.n_steps, dtype=np.int64)
    viterbi_sessions(data.offsets, data.pairs, rows, *log_tables, path)
    return phases[path]


def _checked(data: Trajectories, chain: Chain, n_intentions: int) -> Chain:
    """The chain. The kernels do not check bounds, so this door to them checks that it fits the data and itself."""
    n_phases = len(chain.phases)
    if n_phases > MOST_PHASES:
        raise InvalidNumberOfIntentions(n_intentions=n_phases, remedy=f"choose at most {MOST_PHASES}")
    fits = chain.initial.shape == (n_phases,) and chain.bank.shape[1:] == (n_phases, n_phases)
    fits = fits and chain.rows.shape == (data.n_steps,) and int(_largest(chain.rows)) < len(chain.bank)
    if not (fits and all(0 <= intention < n_intentions for intention in chain.phases.tolist())):
        raise ShapeMismatch(
            field="chain",
            shape=(chain.initial.shape, chain.bank.shape, chain.rows.shape),
            expected=((n_phases,), ("M", n_phases, n_phases), (data.n_steps,)),
            remedy="let the dynamics give one row of the bank, below M, for each step, and phases of known intentions",
        )
    return chain


def _log_scale(counts: FloatArray, log_scale: FloatArray) -> float:
    """Σ counts · log_scale, where −inf counts only if it was met."""
    with np.errstate(invalid="ignore"):
        scale = float(counts @ log_scale)
    return scale if np.isfinite(scale) else float(counts[counts > 0] @ log_scale[counts > 0])


def _largest(rows: npt.NDArray[np.uint32]) -> int:
    """The largest row; a constant broadcast over all steps is looked at once."""
    return rows[0] if rows.strides == (0,) else rows.max()


def _rows(chain: Chain, steps: slice) -> npt.NDArray[np.uint32] | None:
    """What the smoother takes for ``rows`` of these steps: None where there is only one matrix to choose."""
    return None if len(chain.bank) == 1 else _read_only(np.ascontiguousarray(chain.rows[steps]))


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """A view that cannot be written to. To the compiler that is a type: so it compiles one smoother, not two."""
    view = array.view()
    view.flags.writeable = False
    return view


def _by_intention(per_phase: FloatArray, chain: Chain, n_intentions: int) -> FloatArray:
    """(…, K) sums over the phases of each intention."""
    if _is_identity(chain.phases, n_intentions):
        return per_phase
    return per_phase @ np.eye(n_intentions)[chain.phases]


def _is_identity(phases: npt.NDArray[np.intp], n_intentions: int) -> bool:
    """Whether every intention has one phase, in order: then there is nothing to map, as in a plain Markov chain."""
    return bool(phases.tolist() == list(range(n_intentions)))


def chunks(data: Trajectories) -> list[tuple[int, int]]:
    """Ranges of sessions of about equal numbers of steps; they depend on the data alone."""
    least = max(STEPS_PER_CHUNK, data.n_states * data.n_actions)
    n_chunks = min(data.n_steps // least, MOST_CHUNKS)
    if n_chunks < FEWEST_CHUNKS:
        return [(0, data.n_sessions)]
    marks = np.searchsorted(data.offsets, [data.n_steps * n // n_chunks for n in range(n_chunks + 1)])
    return list(pairwise(sorted(set(marks.tolist()))))
