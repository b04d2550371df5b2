"""A fit spread over a cluster gives the bits of a fit on one machine, even if a worker dies on the way."""

from __future__ import annotations

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

import hiql
from hiql.dynamics import MarkovChain
from hiql.engine.cluster import count_part
from hiql.engine.inference import chunks
from hiql.engine.problem import Problem
from hiql.errors import ClusterUnavailable, InvalidParameter, ShapeMismatch
from hiql.models import IntentionModel
from hiql.parts import Rows
from hiql.rewards.iavi import IAVI
from tests.clusters import OtherProcess, cluster
from tests.problems import random_mdp, random_policy, switching_data

pytestmark = pytest.mark.usefixtures("nothing_left")

MDP = random_mdp(np.random.default_rng(0), n_states=8, n_actions=4)


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


def in_m_step(monkeypatch, numbers, act):
    """Do something in the M-steps of these numbers, from 1 on; the list that is returned has one entry for each."""
    calls, update = [], Problem.update

    def counted(problem, *args):
        calls.append(None)
        if len(calls) in numbers:
            act()
        return update(problem, *args)

    monkeypatch.setattr(Problem, "update", counted)
    return calls


def test_a_fit_outlives_its_workers(client, large, alone, monkeypatch):
    client.wait_for_workers(2, timeout=60)
    killed = set()

    def kill():
        victim = next(iter(client.run(os.getpid).values()))
        os.kill(victim, signal.SIGKILL)
        killed.add(victim)

    in_m_step(monkeypatch, (3, 8), kill)
    survivor = IntentionModel(2, reward=IAVI(mdp=MDP), n_init=2, patience=0, max_iter=12).fit(large, client=client)
    assert len(killed) == 2
    assert_same(survivor, alone)


# --- without a cluster ----------------------------------------------------------------------------------------


class Threads:
    """Stands for a client: tasks run in a thread."""

    asynchronous, status = False, "running"

    def __init__(self):
        self._pool = ThreadPoolExecutor(1)
        self.troubles = {}
        self.n_counted = 0

    def submit(self, function, *arguments, pure):
        return self._pool.submit(self._call, function, arguments)

    def gather(self, tasks):
        return [task.result() for task in tasks]

    def nthreads(self, callback_timeout):
        return {"here": 1}

    def _call(self, function, arguments):
        if function is count_part:
            self.n_counted += 1
            if self.n_counted in self.troubles:
                raise self.troubles[self.n_counted]
        return function(*(a.result() if hasattr(a, "result") else a for a in arguments))


@pytest.fixture
def threads():
    client = Threads()
    yield client
    client._pool.shutdown()


@pytest.fixture
def small(monkeypatch):
    """Data that are cut into eight chunks."""
    monkeypatch.setattr("hiql.engine.inference.STEPS_PER_CHUNK", 150)
    data, _, _ = switching_data(np.random.default_rng(2), n_states=8, n_actions=4)
    assert len(chunks(data)) == 8
    return data


class ByState(MarkovChain):
    """One matrix for each state: the chain depends on the steps, its bank does not."""

    def bind(self, data):
        return super().bind(data)._replace(moves=Rows.of_steps(data.n_states, data.states, data.offsets))


class ByStep(MarkovChain):
    """One matrix for each step: counts of different sessions cannot be added."""

    def bind(self, data):
        return super().bind(data)._replace(moves=Rows.of_steps(data.n_steps, np.arange(data.n_steps), data.offsets))


def test_the_chain_of_a_chunk_is_that_of_its_own_steps(small, threads):
    settings = {"dynamics": ByState(), "n_init": 2, "patience": 2, "max_iter": 20}
    assert_same(model(**settings).fit(small, client=threads), model(**settings).fit(small))


def test_hiql_needs_every_step_only_at_the_end(small, threads):
    fits = [hiql.HIQL(2, n_init=2, patience=0, max_iter=20).fit(small, client=client) for client in (threads, None)]
    assert_same(*fits)


def test_chunks_that_dask_has_given_up_are_sent_again_once(small, threads):
    threads.troubles = {3: RuntimeError("the workers died")}
    assert_same(model().fit(small, client=threads), model().fit(small))
    threads.troubles = {threads.n_counted + part: RuntimeError("the workers died") for part in (1, 9)}
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


# --- a cluster that fails -------------------------------------------------------------------------------------


def test_a_fit_outlives_its_cluster(small, monkeypatch):
    distributed = pytest.importorskip("distributed")
    options = {"reward": IAVI(mdp=MDP), "n_init": 2, "patience": 0, "max_iter": 12}
    alone = IntentionModel(2, **options).fit(small)
    with OtherProcess() as other, distributed.Client(other.address, timeout=5) as client:
        calls = in_m_step(monkeypatch, (5,), lambda: other.send(signal.SIGKILL))
        with pytest.warns(UserWarning, match="went away: the fit goes on here, with the same answer"):
            survivor = IntentionModel(2, **options).fit(small, client=client)
    assert len(calls) > 6
    assert_same(survivor, alone)


def test_a_fit_on_a_cluster_without_workers_is_refused_in_time(small):
    pytest.importorskip("distributed")
    with cluster(0, processes=False) as client, pytest.raises(ClusterUnavailable, match="no workers"):
        model().fit(small, client=client, timeout=0.5)
