"""Inference where chain and policies are simply given: every session begins alike, and choices are by table."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from hiql.choices import Policies, TableChoice
from hiql.dynamics import Chain as DenseChain
from hiql.dynamics import ChainCounts, MarkovChain
from hiql.engine import inference


class Chain(NamedTuple):
    """Π (P,), a bank (M, P, P), which of its matrices leads into each step (N,), and the intention of each phase."""

    initial: np.ndarray
    bank: np.ndarray
    rows: np.ndarray
    phases: np.ndarray


class Expectation(NamedTuple):
    """The log-likelihood, expected counts of the chain, and of actions (K, S, A)."""

    log_likelihood: float
    chain: ChainCounts
    actions: np.ndarray


def reading(data, chain, log_policy):
    begins = np.zeros(data.n_sessions, dtype=np.uint32)

    def of(sessions):
        first, last = data.offsets[list(sessions)]
        rows = chain.rows if len(chain.rows) != data.n_steps else chain.rows[first:last]
        return DenseChain(chain.initial[None], begins[slice(*sessions)], chain.bank, rows, chain.phases)

    choice, counting = TableChoice(), MarkovChain()
    rows, params = choice.bind(data), Policies(log_policy)
    counted, moved = partial(choice.statistics, params, rows), partial(counting.statistics, None, None)
    taken = choice.taken(params, rows)
    return inference.Reading(data, len(log_policy), of, taken, counted, choice.add_up, moved, counting.add_up)


def expect(data, chain, log_policy, n_threads=1):
    found = inference.expect(reading(data, chain, log_policy), n_threads)
    actions = found.choice[:-1].T.reshape(np.shape(log_policy))
    return Expectation(found.log_likelihood, found.chain._replace(initial=found.chain.initial[0]), actions)


def smooth(data, chain, log_policy):
    return inference.smooth(reading(data, chain, log_policy))


def causal(data, chain, log_policy):
    return inference.causal(reading(data, chain, log_policy))


def most_likely_path(data, chain, log_policy):
    return inference.most_likely_path(reading(data, chain, log_policy))
