"""The E-step on a Dask cluster, for data too large for one machine to go through quickly.

The sessions are cut into the chunks of :func:`hiql.inference.chunks`, as on one machine, and each chunk is kept by a
worker. An iteration sends every chunk the parameters, gets back what it counted, and adds up the counts in the order
of the chunks: on workers with the same kind of processor the answer equals that of one machine to the last bit.

A worker may die on the way: Dask then has its chunks sent to another one (see :func:`hiql.parcels.send_once`), so a
fit outlives its workers as long as some are left or come back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.inference import Counted, Expectation, add_up, chunks, count_sessions
from hiql.parcels import Parcel, check_client, send_once
from hiql.problem import Point, Problem


def spread(problem: Problem, client: Any) -> Problem:
    """The same problem with its E-step on the workers of ``client``, a ``distributed.Client``.

    Data that :func:`hiql.inference.chunks` leaves in one piece stay here.
    """
    check_client(client)
    if not problem.is_monotone:
        raise InvalidParameter(
            parameter="client",
            value=type(client).__name__,
            remedy="an M-step that draws at random needs the posterior of every step, which does not leave the "
            'workers; choose sampled=False and method="expected", or fit without client',
        )
    if len(chunks(problem.data)) == 1:
        return problem
    return replace(problem, e_step=SpreadData(client, problem).expect)


class SpreadData:
    """The chunks of the data, each kept by a worker for as long as this object lives.

    A chunk travels as a problem of its own: so the worker that keeps it finds its rows once.
    """

    def __init__(self, client: Any, problem: Problem) -> None:
        self._client = client
        self._problem = problem
        self._parts = self._sent()

    def expect(self, problem: Problem, point: Point) -> Expectation:  # noqa: ARG002
        """The E-step: (parameters → counts) on every chunk, added up here."""
        at = Parcel(point)
        try:
            counted = self._counted(at)
        except Exception:  # workers may have died too often for Dask to go on; other errors will come back
            self._parts = self._sent()
            counted = self._counted(at)
        check_addable(counted)
        return add_up(counted)

    def _sent(self) -> list[Any]:
        data = self._problem.data
        parts = (replace(self._problem, data=data.select(range(*sessions))) for sessions in chunks(data))
        return [send_once(self._client, part) for part in parts]

    def _counted(self, at: Parcel) -> list[Counted]:
        tasks = [self._client.submit(count_part, part, at, pure=False) for part in self._parts]
        return [parcel.value for parcel in self._client.gather(tasks)]


def count_part(part: Parcel, at: Parcel) -> Parcel:
    """One pass over a chunk, on the worker that keeps it."""
    problem = part.value
    return Parcel(count_sessions(problem.read(at.value), (0, problem.data.n_sessions)))


def check_addable(counted: Sequence[Counted]) -> None:
    """Counts add up only where every chunk uses the same bank of transition matrices."""
    expected = counted[0].chain.transitions.shape
    for part in counted:
        if part.chain.transitions.shape != expected:
            raise ShapeMismatch(
                field="the bank of transition matrices of some sessions",
                shape=part.chain.transitions.shape,
                expected=expected,
                remedy="the data can be spread over a cluster only if the bank depends on the parameters alone; "
                "fit without client",
            )
