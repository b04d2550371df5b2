"""What is counted chunk by chunk adds up to what is counted at once: the same bits in threads and on a cluster."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hiql.engine.cluster import count_part
from hiql.engine.inference import add_up, chunks, smooth
from hiql.engine.parcels import Parcel
from hiql.engine.passes import InBlocks, OnCounts
from hiql.parts import rows
from tests.contract.pairs import counting, more_data, pairs


def arrays(expectation):
    return expectation.log_likelihood, *expectation.chain, expectation.choice


def assert_same(one, other, **tolerance):
    compare = np.testing.assert_allclose if tolerance else np.testing.assert_array_equal
    for left, right in zip(one, other, strict=True):
        compare(left, right, **tolerance)


@pytest.fixture(scope="module")
def data():
    return more_data()


@pytest.fixture
def at_once(pair, data):
    """A problem, a point, and the E-step of all data at once."""
    problem = pair.problem(data)
    point = problem.start(np.random.default_rng(3))
    assert len(chunks(data)) == 1
    return problem, point, arrays(problem.expect(point))


@pytest.fixture
def in_chunks(at_once, monkeypatch):
    """The same, where the data are from now on cut into chunks so small that none reads every row of a table."""
    monkeypatch.setattr("hiql.engine.inference.STEPS_PER_CHUNK", 8)
    monkeypatch.setattr("hiql.engine.inference.MOST_CHUNKS", 100)
    assert len(chunks(at_once[0].data)) > 30
    return at_once


@pairs()
def test_chunks_add_up(pair, in_chunks):
    problem, point, whole = in_chunks
    assert_same(arrays(problem.expect(point)), whole, rtol=1e-10, atol=1e-10)


@pairs()
def test_the_same_bits_for_any_number_of_threads(pair, in_chunks):
    problem, point, _ = in_chunks
    alone, together = (arrays(replace(problem, n_threads=n).expect(point)) for n in (1, 3))
    assert_same(alone, together)


@pairs()
def test_the_same_bits_from_chunks_that_were_sent_elsewhere(pair, in_chunks):
    """A cluster's worker has a chunk of the data for all there is; what it counts must still find its place."""
    problem, point, _ = in_chunks
    parts = [replace(problem, data=problem.data.select(range(*sessions))) for sessions in chunks(problem.data)]
    counted = [count_part(Parcel(part), Parcel(point)).value for part in parts]
    assert_same(arrays(add_up(counted, problem.dynamics.add_up, problem.choice.add_up)), arrays(problem.expect(point)))


@pairs()
def test_chunks_that_count_only_the_rows_they_read(pair, in_chunks, monkeypatch):
    problem, point, _ = in_chunks
    everywhere, posteriors = arrays(problem.expect(point)), smooth(problem.read(point))
    monkeypatch.setattr(rows, "MANY_ROWS", 0)
    here = replace(
        problem
    )  # a chunk that reads one matrix of several goes the way of one matrix: the last digit may differ
    assert_same(arrays(here.expect(point)), everywhere, rtol=1e-12)
    assert_same(smooth(here.read(point)), posteriors, rtol=1e-12)


@pairs(counting)
@pytest.mark.parametrize("many_rows", [0, 4])
def test_compiled_passes_read_the_rows_that_they_should(pair, at_once, many_rows, monkeypatch):
    monkeypatch.setattr(rows, "MANY_ROWS", many_rows)
    problem, point, _ = at_once
    here = replace(problem)
    compiled, plain = (make(here, *here.priors(point)).begin(point).totals for make in (InBlocks, OnCounts))
    np.testing.assert_allclose(compiled, plain, rtol=1e-10, atol=1e-10)


@pairs()
def test_a_whole_fit_is_the_same_for_any_number_of_threads(pair, data, monkeypatch):
    monkeypatch.setattr("hiql.engine.inference.STEPS_PER_CHUNK", 20)
    alone, together = (pair.model(max_iter=5, n_jobs=n).fit(data) for n in (1, 3))
    assert alone.restarts_ == together.restarts_
    for one, other in zip(alone._point, together._point, strict=True):
        assert_same(vars(one).values(), vars(other).values())
