"""Every pair draws parameters that are its own, or says by name which part cannot."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.engine.sampling import Names, Sampling, sample_posterior, sweep, unstacked
from hiql.errors import ChainsNotMixed, NoIntervals
from tests.contract.pairs import more_data, pairs, some_data


def can_be_drawn(problem, point):
    try:
        sweep(problem, point, np.random.default_rng(0))
    except NoIntervals:
        return False
    return True


RAGGED = {"durations_"}
"""What has another length in every draw, and is refused as a whole."""


@pairs()
def test_draws_are_parameters_of_the_parts(pair, monkeypatch):
    monkeypatch.setattr("hiql.engine.inference.STEPS_PER_CHUNK", 40)
    problem = pair.problem(more_data())
    point = problem.start(np.random.default_rng(5))
    if not can_be_drawn(problem, point):
        assert None in [part.conjugate(params) for part, params in zip(problem.parts, point, strict=True)]
        return
    draws = sample_posterior(problem, point, Sampling(1, 2, 4, 1, 0), 0, lambda _: True, lambda *_: None)
    order = np.array([2, 0, 1])
    for n in range(4):
        one = unstacked(draws.point, n)
        for drawn in (one, problem.permute(one, order)):
            for part, params in zip(problem.parts, drawn, strict=True):
                part.check_params(params, problem.data, 3)
        assert np.isfinite(problem.expect(one).log_likelihood)
    np.testing.assert_allclose(draws.share.sum(axis=1), 1.0)
    assert np.isfinite(draws.log_likelihood).all()
    assert not np.array_equal(*(problem.vector(unstacked(draws.point, n)) for n in (0, 3)))


@pairs()
def test_the_names_of_intentions_do_not_matter_to_a_draw(pair):
    """With a path of no steps but missing ones nothing is learned: what is drawn is the prior, and proper."""
    problem = pair.problem(some_data(4, lengths=(7, 1), missing=1.0))
    point = problem.start(np.random.default_rng(5))
    if can_be_drawn(problem, point):
        swept = sweep(problem, point, np.random.default_rng(1))
        assert swept.use.sum() == 0
        assert sorted(Names(problem, point).order(swept.path).tolist()) == [0, 1, 2]
        for part, params in zip(problem.parts, swept.point, strict=True):
            part.check_params(params, problem.data, 3)


@pairs()
def test_intervals_survive_a_file(pair, tmp_path):
    data = some_data(lengths=(20, 1, 30, 9))
    model = pair.model(max_iter=3).fit(data)
    if not can_be_drawn(model._problem(data), model._point):
        with pytest.raises(NoIntervals):
            model.interval("transition_")
        return
    with pytest.warns(ChainsNotMixed):
        posterior = model.sample_posterior(data, n_draws=8, n_chains=2, warm_up=0, thin=1)
    model.save(tmp_path / "m.hiql")
    back = hiql.load(tmp_path / "m.hiql")
    assert back.posterior_.names == posterior.names
    for name in set(posterior.names) - RAGGED:
        np.testing.assert_array_equal(back.draws(name), model.draws(name))
