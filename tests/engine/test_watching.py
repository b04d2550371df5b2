"""How long a cluster is waited for, by a clock that the test turns."""

from __future__ import annotations

import pytest

from hiql.engine import watching
from hiql.engine.watching import Watch
from hiql.errors import ClusterUnavailable


class Cluster:
    """Stands for a client; every question about its workers takes five seconds."""

    status = "running"

    def __init__(self, workers):
        self.now, self.asked, self._workers = 0.0, 0, workers

    def nthreads(self, callback_timeout):
        self.now += 5.0
        self.asked += 1
        return self._workers(self.now)


class Task:
    """Has ended, or never will."""

    def __init__(self, *, ended):
        self._ended = ended

    def add_done_callback(self, call):
        if self._ended:
            call(self)


@pytest.fixture
def watched(monkeypatch):
    def make(workers, timeout=10.0):
        cluster = Cluster(workers)
        monkeypatch.setattr(watching.time, "monotonic", lambda: cluster.now)
        monkeypatch.setattr(watching, "SECONDS_BETWEEN_LOOKS", 0.01)
        return cluster, Watch(cluster, timeout)

    return make


def test_without_a_first_worker_the_timeout_counts(watched):
    cluster, watch = watched(lambda now: {})
    with pytest.raises(ClusterUnavailable, match="no workers for 10 s"):
        list(watch.completed([Task(ended=False)]))
    assert cluster.now == 10.0


def test_a_scheduler_that_is_busy_at_first_is_not_given_up(watched):
    """It imports hiql with its first task; how long that takes says nothing about workers."""

    def silent_for_a_while(now):
        if now < 55.0:
            raise TimeoutError
        return {"a": 1} if now == 55.0 else {}

    cluster, watch = watched(silent_for_a_while)
    with pytest.raises(ClusterUnavailable, match="no workers for 60 s"):
        list(watch.completed([Task(ended=False)]))
    assert cluster.now == 115.0


def test_a_scheduler_that_stays_silent_is_given_up(watched):
    def silent(now):
        raise TimeoutError

    cluster, watch = watched(silent)
    with pytest.raises(ClusterUnavailable, match="does not answer"):
        list(watch.completed([Task(ended=False)]))
    assert cluster.now == 60.0


def test_workers_that_have_been_there_have_longer_to_come_back(watched):
    cluster, watch = watched(lambda now: {"a": 1} if now == 5.0 else {})
    with pytest.raises(ClusterUnavailable, match="no workers for 60 s"):
        list(watch.completed([Task(ended=False)]))
    assert cluster.now == 65.0


def test_a_result_is_a_sign_of_life(watched):
    """Nobody looks at a cluster while results pour in: the time since the last look must not count against it."""
    cluster, watch = watched(lambda now: {})
    stream = watch.completed([Task(ended=True), Task(ended=True), Task(ended=False)])
    next(stream)
    cluster.now += 1000.0
    next(stream)
    with pytest.raises(ClusterUnavailable, match="no workers for 60 s"):
        next(stream)
    assert cluster.asked == 12


def test_a_longer_timeout_counts_throughout(watched):
    _, watch = watched(lambda now: {"a": 1} if now == 5.0 else {}, timeout=300.0)
    with pytest.raises(ClusterUnavailable, match="no workers for 300 s"):
        list(watch.completed([Task(ended=False)]))
