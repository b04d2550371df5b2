"""Paths and tables drawn by compiled code: against plain numpy with the same random numbers, and enumeration."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest

import hiql
from hiql.kernels.table_draws import draw_tables
from tests.kernels.plain import Chain, reading
from tests.kernels.test_structural_zeros import chain_of, logs, policy_with_zeros
from tests.oracles import path_draws as plain
from tests.problems import random_data, random_policy


class Given:
    """A generator that gives the numbers it was made with."""

    def __init__(self, *uniforms):
        self._left = list(uniforms)

    def random(self, n):
        return self._left.pop(0)[:n]


def drawn(data, chain, policy, rng):
    return reading(data, chain, logs(policy)).all_sessions.drawn(rng)


@pytest.mark.parametrize(("n_intentions", "n_rows"), [(1, 1), (2, 3), (4, 1)])
def test_paths_are_those_of_the_numpy_twin(n_intentions, n_rows):
    rng = np.random.default_rng([n_intentions, n_rows])
    data = random_data(rng, lengths=(30, 1, 17), missing=0.2)
    initial = rng.dirichlet(np.ones(n_intentions))
    bank = rng.dirichlet(np.ones(n_intentions), (n_rows, n_intentions))
    rows = rng.integers(n_rows, size=data.n_steps).astype(np.uint32)
    chain = Chain(initial, bank, rows, np.arange(n_intentions))
    policy, u = random_policy(rng, n_intentions, data.n_states, data.n_actions), rng.random(data.n_steps)
    used, path = drawn(data, chain, policy, Given(u))
    at = [data.session(s) for s in range(data.n_sessions)]
    own = [plain.draw_path(data.pairs[t], rows[t], initial, bank, policy, u[t]) for t in at]
    np.testing.assert_array_equal(path, np.concatenate(own))
    moves, counts = np.zeros(bank.shape), np.zeros(used.rows.shape)
    np.add.at(counts, (data.pairs, path), 1)
    for t in at:
        np.add.at(moves, (rows[t][1:], path[t][:-1], path[t][1:]), 1)
    np.testing.assert_array_equal(used.moved.transitions, moves)
    np.testing.assert_array_equal(used.rows, counts)
    np.testing.assert_array_equal(used.moved.initial[0], np.bincount(path[data.offsets[:-1]], minlength=n_intentions))


@pytest.mark.parametrize("kind", ["full", "absorbing", "left to right", "cycle"])
def test_paths_have_the_odds_that_enumeration_gives_them(kind):
    """Also where the chain has zeros, so that some paths are thrown away and drawn again."""
    rng = np.random.default_rng(3)
    one = hiql.Trajectories.from_arrays([[0, 1, 1, 0]], [[0, 1, 0, 1]], n_states=2, n_actions=2)
    many = one.select(np.zeros(20_000, dtype=int))
    if kind == "full":
        chain = Chain(
            rng.dirichlet([1.0, 1.0]), rng.dirichlet([1.0, 1.0], (1, 2)), np.zeros(4, np.uint32), np.arange(2)
        )
    else:
        chain = chain_of(kind, rng, one, 2, 1, np.array([0.3, 0.7]))
    policy = policy_with_zeros(rng, 2, 2, 2)
    paths = list(product(range(2), repeat=4))
    odds = np.array([
        chain.initial[z[0]]
        * np.prod([chain.bank[0, i, j] for i, j in pairwise(z)])
        * np.prod(policy[list(z), one.states, one.actions])
        for z in paths
    ])  # fmt: skip
    there = chain._replace(rows=np.zeros(many.n_steps, np.uint32))
    _, path = drawn(many, there, policy, np.random.default_rng(4))
    seen = np.bincount(path.reshape(-1, 4) @ [8, 4, 2, 1], minlength=16) / 20_000
    expected = odds / odds.sum()
    assert (seen[expected == 0] == 0).all()
    assert (np.abs(seen - expected) <= 4.5 * np.sqrt(expected * (1 - expected) / 20_000) + 1e-12).all()


def test_a_session_that_speaks_for_both_under_a_chain_that_never_switches_is_drawn_with_the_right_odds():
    """The halves speak for different intentions; the fast pass alone would switch between them."""
    n = 400
    actions = np.repeat([0, 1], n // 2)
    one = hiql.Trajectories.from_arrays([np.zeros(n, int)], [actions], n_actions=2)
    policy = np.array([[[0.99, 0.01]], [[0.01003, 0.98997]]])
    both = (np.log(policy[:, 0, 0]) + np.log(policy[:, 0, 1])) * n / 2
    first = 1.0 / (1.0 + np.exp(both[1] - both[0]))
    assert 0.001 < first < 0.999
    many = one.select(np.zeros(3000, dtype=int))
    chain = Chain(np.array([0.5, 0.5]), np.eye(2)[None], np.zeros(many.n_steps, np.uint32), np.arange(2))
    _, path = drawn(many, chain, policy, np.random.default_rng(0))
    by_session = path.reshape(-1, n)
    assert (by_session == by_session[:, :1]).all()
    assert abs((by_session[:, 0] == 0).mean() - first) < 4.5 * np.sqrt(first * (1 - first) / 3000)


def test_steps_that_nothing_explains_are_passed_over():
    """Only intention 0 could begin, which never does what was done; it stays, so the step after says nothing new."""
    data = hiql.Trajectories.from_arrays([[0, 0, 1]], [[0, 1, 0]], n_states=2, n_actions=2)
    policy = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.5, 0.5], [0.5, 0.5]]])
    chain = Chain(np.array([1.0, 0.0]), np.eye(2)[None], np.zeros(3, np.uint32), np.arange(2))
    used, path = drawn(data, chain, policy, np.random.default_rng(0))
    assert used.log_likelihood == -np.inf
    assert path.tolist() == [0, 0, 0]


def test_tables_are_those_of_the_twin_and_have_stirlings_odds():
    rng = np.random.default_rng(0)
    weights, counts = np.array([0.5, 2.0, 0.0, 1e-300, 3.0]), np.array([6.0, 0.0, 3.0, 4.0, 9.0])
    u, found = rng.random(int(counts.sum())), np.empty(5)
    draw_tables(weights, counts, u, found)
    pieces = np.split(u, np.cumsum(counts.astype(int))[:-1])
    own = [plain.draw_tables(max(w, 1e-320), int(n), p) for w, n, p in zip(weights, counts, pieces, strict=True)]
    np.testing.assert_array_equal(found, own)
    n, x, repeats = 6, 1.7, 20_000
    found = np.empty(repeats)
    draw_tables(np.full(repeats, x), np.full(repeats, float(n)), rng.random(n * repeats), found)
    odds = np.exp(plain.log_stirling(n) + np.arange(n + 1) * np.log(x))
    odds /= odds.sum()
    seen = np.bincount(found.astype(int), minlength=n + 1) / repeats
    assert (np.abs(seen - odds) <= 4.5 * np.sqrt(odds * (1 - odds) / repeats)).all()
