"""A fit spread over a cluster gives the bits of a fit on one machine, even if a worker dies on the way."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

import hiql
from hiql.dynamics import Chain, MarkovChain
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.inference import chunks
from hiql.models import IntentionModel
from hiql.solvers.iavi import IAVI
from tests.clusters import cluster_of_two
from tests.problems import random_mdp, random_policy, switching_data

MDP = random_mdp(np.random.default_rng(0), n_states=8, n_actions=4)


@pytest.fixture(scope="module")
def client():
    pytest.importorskip("distributed")
    with cluster_of_two() as client:
        yield client


@pytest.fixture(scope="module")
def large():
    """420,000 steps: eight chunks. Two intentions with policies of their own take turns."""
    rng = np.random.default_rng(1)
    shape = (1400, 300)
    intentions = (rng.integers(2, size=(shape[0], 1)) + np.cumsum(rng.random(shape) < 0.03, axis=1)) % 2
    states = rng.integers(8, size=shape)
    likely = np.cumsum(random_policy(rng, 2, 8, 4) ** 3, axis=-1)
    actions = (rng.random((*shape, 1)) * likely[intentions, states][..., -1:] > likely[intentions, states]).sum(-1)
    data = hiql.Trajectories.from_arrays(states, actions, n_states=8, n_actions=4)
    assert len(chunks(data)) == 8
    return data


@pytest.fixture(scope="module")
def alone(large):
    return model().fit(large)


def model(**settings):
    return hiql.HIAVI(2, mdp=MDP, **{"n_init": 2, "patience": 0, "max_iter": 12} | settings)


def assert_same(one, other):
    for name in ("initial_", "transition_", "policy_", "reward_", "trace_", "share_"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    assert one.log_likelihood_ == other.log_likelihood_


def test_a_fit_on_a_cluster_has_the_bits_of_a_fit_here(client, large, alone):
    spread = model().fit(large, client=client)
    assert_same(spread, alone)
    assert alone.log_likelihood_ > -large.n_steps * np.log(4)


def test_attempts_side_by_side_and_a_given_start_have_the_same_bits_too(client, large, alone):
    assert_same(model(n_jobs=2).fit(large, client=client), alone)
    assert_same(model().fit(large, init=alone, client=client), model().fit(large, init=alone))


@dataclass(frozen=True, eq=False)
class DeadlyIAVI(IAVI):
    """Kills a worker in two of its M-steps."""

    client: object = field(default=None, kw_only=True)
    calls: list = field(default_factory=list, kw_only=True)

    def policy(self, evidence):
        self.calls.append(None)
        if len(self.calls) in (3, 8):
            os.kill(next(iter(self.client.run(os.getpid).values())), signal.SIGKILL)
        return super().policy(evidence)


def test_a_fit_outlives_its_workers(client, large, alone):
    client.wait_for_workers(2, timeout=60)
    before = set(client.run(os.getpid).values())
    solver = DeadlyIAVI(mdp=MDP, client=client)
    survivor = IntentionModel(2, solver=solver, n_init=2, patience=0, max_iter=12).fit(large, client=client)
    assert len(solver.calls) > 8
    assert_same(survivor, alone)
    client.wait_for_workers(2, timeout=60)
    assert set(client.run(os.getpid).values()) != before


# --- without a cluster ----------------------------------------------------------------------------------------


class Threads:
    """Stands for a client: tasks run in a thread."""

    asynchronous, status = False, "running"

    def __init__(self):
        self._pool = ThreadPoolExecutor(1)
        self.troubles = []

    def submit(self, function, *arguments, pure):
        return self._pool.submit(_call, function, arguments)

    def gather(self, tasks):
        if self.troubles:
            raise self.troubles.pop()
        return [task.result() for task in tasks]


def _call(function, arguments):
    return function(*(a.result() if hasattr(a, "result") else a for a in arguments))


@pytest.fixture
def threads():
    client = Threads()
    yield client
    client._pool.shutdown()


@pytest.fixture
def small(monkeypatch):
    """Data that are cut into eight chunks."""
    monkeypatch.setattr("hiql.inference.STEPS_PER_CHUNK", 150)
    data, _, _ = switching_data(np.random.default_rng(2), n_states=8, n_actions=4)
    assert len(chunks(data)) == 8
    return data


class ByState(MarkovChain):
    """One matrix for each state: the chain depends on the steps, its bank does not."""

    def chain(self, params, data):
        chain = super().chain(params, data)
        sharpened = chain.bank ** (1 + np.arange(data.n_states)[:, None, None] / 4)
        return Chain(chain.initial, sharpened, data.states.astype(np.uint32), chain.phases)

    def update(self, params, counts):
        return super().update(params, counts._replace(transitions=counts.transitions.sum(axis=0, keepdims=True)))


class ByStep(MarkovChain):
    """One matrix for each step: counts of different sessions cannot be added."""

    def chain(self, params, data):
        chain = super().chain(params, data)
        return chain._replace(
            bank=np.repeat(chain.bank, data.n_steps, axis=0), rows=np.arange(data.n_steps, dtype=np.uint32)
        )


def test_the_chain_of_a_chunk_is_that_of_its_own_steps(small, threads):
    settings = {"dynamics": ByState(), "n_init": 2, "patience": 2, "max_iter": 20}
    assert_same(model(**settings).fit(small, client=threads), model(**settings).fit(small))


def test_hiql_needs_every_step_only_at_the_end(small, threads):
    fits = [hiql.HIQL(2, n_init=2, patience=0, max_iter=20).fit(small, client=client) for client in (threads, None)]
    assert_same(*fits)


def test_chunks_that_dask_has_given_up_are_sent_again_once(small, threads):
    threads.troubles = [RuntimeError("the workers died")]
    assert_same(model().fit(small, client=threads), model().fit(small))
    threads.troubles = 2 * [RuntimeError("the workers died")]
    with pytest.raises(RuntimeError, match="the workers died"):
        model().fit(small, client=threads)


def test_a_bank_that_depends_on_the_steps_is_refused(small, threads):
    with pytest.raises(ShapeMismatch, match="fit without client"):
        model(dynamics=ByStep()).fit(small, client=threads)


def test_a_random_m_step_is_refused_with_the_remedy(small, threads):
    for estimator in (hiql.HIAVI(2, mdp=MDP, sampled=True), hiql.HIQL(2, method="stochastic")):
        with pytest.raises(InvalidParameter, match='sampled=False and method="expected", or fit without client'):
            estimator.fit(small, client=threads)


def test_what_is_not_an_open_client_is_refused(small, threads):
    closed, awaiting = Threads(), Threads()
    closed.status, awaiting.asynchronous = "closed", True
    for wrong in ("tcp://127.0.0.1:8786", closed, awaiting):
        with pytest.raises(InvalidParameter, match="give an open distributed.Client"):
            model().fit(small, client=wrong)


def test_columns_travel_with_the_chunks(client, large):
    """Steps with a missing input carry no evidence on the workers either."""
    inputs = np.where(np.random.default_rng(0).random((large.n_steps, 2)) < 0.01, np.nan, 1.0)
    holes = replace(large, inputs=inputs, input_names=("light", "tone"), outcomes=np.ones(large.n_steps))
    assert holes.n_observed < large.n_observed
    assert_same(model().fit(holes, client=client), model().fit(holes))
