"""Rows of phases against their twins in plain numpy: zeros among them, several beginnings, ragged sessions."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.dynamics.chain import Done
from hiql.dynamics.durations import duration_proba, survival_proba
from hiql.dynamics.phase_chain import PhaseChain
from tests.oracles import phases


@pytest.fixture(scope="module", params=[0, 1, 2])
def drawn(request):
    """Two intentions of three phases, one of which never begins there; four sessions, two kinds of beginning."""
    rng, lengths = np.random.default_rng(request.param), np.array([7, 1, 6, 9])
    n_steps = int(lengths.sum())
    firsts, entry = rng.dirichlet(np.ones(6), 2).reshape(2, 2, 3), rng.dirichlet(np.ones(3), 2)
    firsts[0, 1], entry[1] = 0.0, [0.0, 0.4, 0.6]
    firsts[0] /= firsts[0].sum()
    stay = rng.uniform(0.05, 0.9, 2)
    offsets, rows = np.r_[0, np.cumsum(lengths)], rng.integers(0, 4, n_steps).astype(np.uint32)
    chain = PhaseChain(
        firsts,
        np.array([0, 1, 1, 0], dtype=np.uint32),
        np.zeros(n_steps, dtype=np.uint32),
        stay,
        1.0 - stay,
        entry,
        np.array([[0.0, 1.0], [1.0, 0.0]]),
    )
    return chain, Done(offsets, rows, rng.uniform(0.02, 1.0, (4, 2)))


def sessions(done):
    return [slice(*ends) for ends in zip(done.offsets[:-1], done.offsets[1:], strict=True)]


@pytest.mark.parametrize("averaged", [1.0, 0.6])
@pytest.mark.parametrize("scale", [1.0, 1e-250])
def test_posteriors_and_counts_are_those_of_the_twin(drawn, averaged, scale):
    """Of probabilities, and of what a posterior says in their place; also where sessions are done in logarithms."""
    chain, done = drawn
    chain, done = chain._replace(leave=averaged * chain.leave), done._replace(table=scale * done.table)
    posterior = np.empty((len(done.rows), 2))
    ours = chain.smoothed(done, posterior)
    tables = chain.stay, chain.leave, chain.entry, chain.following
    theirs = [
        phases.smooth_phases(done.table[done.rows[here]], chain.firsts[b], *tables)
        for here, b in zip(sessions(done), chain.begins, strict=True)
    ]
    assert ours.log_likelihood == pytest.approx(sum(each.log_likelihood for each in theirs), abs=1e-10)
    np.testing.assert_allclose(posterior, np.concatenate([each.posterior for each in theirs]), atol=1e-11)
    begun = [sum(each.firsts for each, b in zip(theirs, chain.begins, strict=True) if b == kind) for kind in (0, 1)]
    np.testing.assert_allclose(ours.moved.firsts, begun, atol=1e-11)
    for name in ("entries", "stays", "following"):
        np.testing.assert_allclose(getattr(ours.moved, name), sum(getattr(e, name) for e in theirs), atol=1e-10)


def test_the_best_segments_are_those_of_all_ways_to_cut(drawn):
    chain, done = drawn
    found = chain.best_path(done)
    with np.errstate(divide="ignore"):
        *firsts, last = (
            np.log([of(table, chain.stay, done.longest) for of in (duration_proba, survival_proba)])
            for table in (*chain.firsts, chain.entry)
        )
        log_following, log_table = np.log(chain.following), np.log(done.table)
    for here, b in zip(sessions(done), chain.begins, strict=True):
        best = phases.best_segments(log_table[done.rows[here]], firsts[b], last, log_following)
        assert found[here].tolist() == best.tolist()
