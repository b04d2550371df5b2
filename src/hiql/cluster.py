"""The E-step on a Dask cluster, for data too large for one machine to go through quickly.

The sessions are cut into the chunks of :func:`hiql.inference.chunks`, as on one machine, and each chunk is kept by a
worker. An iteration sends every chunk the parameters, gets back what it counted, and adds up the counts in the order
of the chunks: on workers with the same kind of processor the answer equals that of one machine to the last bit.

The chunks are sent as tasks rather than scattered. Dask cannot bring scattered data back when the worker that holds
them dies; a task it runs again elsewhere, so a fit outlives its workers as long as some are left. The price is that
the scheduler remembers the chunks too (12 bytes a step).
"""

from __future__ import annotations

import pickle
import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import IntentionDynamics
from hiql.em import Point, Problem
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.inference import Counted, Expectation, Tables, add_up, chunks, count_sessions, read_tables


def spread(problem: Problem, client: Any) -> Problem:
    """The same problem with its E-step on the workers of ``client``, a ``distributed.Client``.

    Data below 400,000 steps are one chunk, which one worker goes through: correct, but no faster than here.
    """
    check_client(client)
    if not problem.is_monotone:
        raise InvalidParameter(
            parameter="client",
            value=type(client).__name__,
            remedy="an M-step that draws at random needs the posterior of every step, which does not leave the "
            'workers; choose sampled=False and method="expected", or fit without client',
        )
    return replace(problem, e_step=SpreadData(client, problem.data).expect)


def check_client(client: Any) -> None:
    """Refuse what is not a connected, synchronous ``distributed.Client``."""
    has_methods = all(callable(getattr(client, name, None)) for name in ("submit", "gather"))
    if not has_methods or client.asynchronous or client.status != "running":
        raise InvalidParameter(
            parameter="client",
            value=type(client).__name__,
            remedy='give an open distributed.Client, for example Client("tcp://…"), made without asynchronous=True',
        )


def packed(value: Any) -> bytes:
    """One string of bytes to send, for ``pickle.loads``.

    Left to Dask, arrays would arrive as views at odd addresses of a message: slower, and their last bits may differ.
    """
    import cloudpickle

    return cloudpickle.dumps(value)


def send_once(client: Any, value: Any) -> Any:
    """A future of ``value``, sent to the cluster once and unpacked again elsewhere if its worker dies."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")  # large, but only once: that is the point
        return client.submit(pickle.loads, packed(value), pure=False)


class SpreadData:
    """The chunks of the data, each kept by a worker for as long as this object lives."""

    def __init__(self, client: Any, data: Trajectories) -> None:
        self._client = client
        self._pair_counts = data.pair_counts
        self._first_session = data.select([0])
        self._parts = [send_once(client, data.select(range(*sessions))) for sessions in chunks(data)]

    def expect(self, problem: Problem, point: Point) -> Expectation:
        """The E-step: (parameters → counts) on every chunk, added up here."""
        at = packed((problem.dynamics, point))
        tasks = [self._client.submit(count_part, part, at, pure=False) for part in self._parts]
        counted: list[Counted] = self._client.gather(tasks)
        tables = tables_of(self._first_session, problem.dynamics, point)
        check_addable(counted, tables)
        return add_up(counted, tables, self._pair_counts)


def count_part(part: Trajectories, at: bytes) -> Counted:
    """One pass over a chunk, on the worker that keeps it; the chain is that of the chunk's own steps."""
    dynamics, point = pickle.loads(at)
    return count_sessions(part, tables_of(part, dynamics, point), (0, part.n_sessions))


def tables_of(data: Trajectories, dynamics: IntentionDynamics, point: Point) -> Tables:
    """The bank and the emissions depend on ``point`` alone, the rows on the steps of ``data``."""
    return read_tables(data, dynamics.chain(point.dynamics, data), point.log_policy)


def check_addable(counted: Sequence[Counted], tables: Tables) -> None:
    """Counts add up only where every chunk uses the same bank of transition matrices."""
    expected = tables.chain.bank.shape
    for part in counted:
        if part.transitions.shape != expected:
            raise ShapeMismatch(
                field="the bank of transition matrices of some sessions",
                shape=part.transitions.shape,
                expected=expected,
                remedy="the data can be spread over a cluster only if the bank depends on the parameters alone; "
                "fit without client",
            )
