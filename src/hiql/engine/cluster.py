"""The E-step on a Dask cluster, for data too large for one machine to go through quickly.

The sessions are cut into the chunks of :func:`hiql.engine.inference.chunks`, as on one machine, and each chunk is kept
by a worker. An iteration sends every chunk the parameters, gets back what it counted, and adds up the counts in the
order of the chunks: on workers with the same kind of processor the answer equals that of one machine to the last bit.

A worker may die on the way: Dask then has its chunks sent to another one (:func:`hiql.engine.parcels.send_once`), so a
fit outlives its workers as long as some are left or come back. A cluster that goes away altogether is not missed: the
data are here too, and so the fit goes on here, with the same answer.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

from hiql.engine.inference import Counted, Expectation, add_up, chunks, count_sessions
from hiql.engine.parcels import Parcel, check_client, send_once
from hiql.engine.problem import Point, Problem, expect_here
from hiql.engine.watching import SECONDS_TO_ANSWER, Watch
from hiql.errors import ClusterUnavailable, InvalidParameter, ShapeMismatch


def spread(problem: Problem, client: Any, timeout: float = SECONDS_TO_ANSWER) -> Problem:
    """The same problem with its E-step on the workers of ``client``, a ``distributed.Client``.

    A cluster without a worker for ``timeout`` seconds is a :class:`~hiql.errors.ClusterUnavailable`. Data that
    :func:`hiql.engine.inference.chunks` leaves in one piece stay here.
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
    return replace(problem, e_step=SpreadData(client, problem, timeout).expect)


class SpreadData:
    """The chunks of the data, each kept by a worker for as long as this object lives.

    A chunk travels as a problem of its own: so the worker that keeps it finds its rows once.
    """

    def __init__(self, client: Any, problem: Problem, timeout: float) -> None:
        self._client = client
        self._watch = Watch(client, timeout)
        self._problem = problem
        self._parts = self._sent()
        self._has_worked = self._is_gone = False

    def expect(self, problem: Problem, point: Point) -> Expectation:
        """The E-step on the cluster; or here, once a cluster that has done its share of the fit is gone."""
        if self._is_gone:
            return expect_here(problem, point)
        try:
            expectation = self._expect_there(point)
        except ClusterUnavailable as error:
            if not self._has_worked:
                raise
            warnings.warn(f"{error.details['problem']}: the fit goes on here, with the same answer", stacklevel=2)
            self._is_gone = True
            return expect_here(problem, point)
        self._has_worked = True
        return expectation

    def _expect_there(self, point: Point) -> Expectation:
        """The E-step: (parameters → counts) on every chunk, added up here."""
        at = Parcel(point)
        with self._watch.told():
            try:
                counted = self._counted(at)
            except ClusterUnavailable:
                raise
            except Exception:  # workers may have died too often for Dask to go on; other errors will come back
                self._parts = self._sent()
                counted = self._counted(at)
        return add_up(counted, self._problem.dynamics.add_up, self._problem.choice.add_up)

    def _sent(self) -> list[Any]:
        data = self._problem.data
        parts = (replace(self._problem, data=data.select(range(*sessions))) for sessions in chunks(data))
        return [send_once(self._client, addable(part, self._problem)) for part in parts]

    def _counted(self, at: Parcel) -> list[Counted]:
        tasks = [self._client.submit(count_part, part, at, pure=False) for part in self._parts]
        found = {task: self._watch.result(task).value for task in self._watch.completed(tasks)}
        return [found[task] for task in tasks]


def count_part(part: Parcel, at: Parcel) -> Parcel:
    """One pass over a chunk, on the worker that keeps it."""
    problem = part.value
    return Parcel(count_sessions(problem.read(at.value), (0, problem.data.n_sessions)))


def addable(part: Problem, whole: Problem) -> Problem:
    """A chunk, if it has as many kinds of beginnings and as many matrices as all data have: else no counts add up."""
    found, expected = (tuple(rows.size for rows in one.dynamics.bind(one.data)) for one in (part, whole))
    if found != expected:
        raise ShapeMismatch(
            field="what the dynamics of some sessions counts",
            shape=found,
            expected=expected,
            remedy="the data can be spread over a cluster only if the sizes of its tables do not depend on them; "
            "fit without client",
        )
    return part
