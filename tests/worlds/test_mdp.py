"""The world itself: dense and sparse agree, nothing can be changed, and bad transitions are located."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from hiql import MDP, worlds
from hiql.errors import InvalidDiscount, InvalidTransitions, ShapeMismatch

S, A = 7, 3


def random_transitions(rng=0):
    """(S, A, S) with about half of the entries zero."""
    rng = np.random.default_rng(rng)
    p = rng.random((S, A, S)) * (rng.random((S, A, S)) < 0.5) + 1e-3 * np.eye(S)[:, None, :]
    return p / p.sum(axis=2, keepdims=True)


def as_sparse(p, kind=sparse.csr_array):
    return [kind(p[:, a]) for a in range(p.shape[1])]


@pytest.fixture
def dense():
    return MDP(random_transitions(), discount=0.9)


@pytest.fixture(params=[sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix])
def thin(request):
    return MDP(as_sparse(random_transitions(), request.param), discount=0.9)


# --- dense and sparse agree ------------------------------------------------------------------------


def test_sizes(dense, thin):
    for mdp in (dense, thin):
        assert (mdp.n_states, mdp.n_actions, mdp.discount) == (S, A, 0.9)
    assert (dense.is_sparse, thin.is_sparse) == (False, True)
    assert "7 states, 3 actions, sparse, γ=0.9" in repr(thin)


@pytest.mark.parametrize("shape", [(S,), (4, S), (2, 3, S)])
def test_expect_is_the_mean_over_next_states(dense, thin, shape):
    value = np.random.default_rng(1).normal(size=shape)
    expected = np.zeros((*shape, A))
    for s, a, t in np.ndindex(S, A, S):
        expected[..., s, a] += dense.transitions[s, a, t] * value[..., t]
    assert_allclose(dense.expect(value), expected, atol=1e-12)
    assert_allclose(thin.expect(value), expected, atol=1e-12)


def test_under_mixes_the_actions(dense, thin):
    policy = np.random.default_rng(1).dirichlet(np.ones(A), size=S)
    expected = sum(policy[:, [a]] * dense.transitions[:, a] for a in range(A))
    assert_allclose(dense.under(policy), expected)
    assert_allclose(thin.under(policy).toarray(), expected)


def test_resolvent_solves_with_the_mean_over_actions(dense, thin):
    matrix = np.eye(S) - 0.9 * dense.transitions.mean(axis=1)
    b = np.random.default_rng(1).normal(size=(S, 2))
    for mdp in (dense, thin):
        assert_allclose(matrix @ mdp.resolvent.solve(b), b, atol=1e-12)
        assert_allclose(matrix @ mdp.resolvent.solve(b[:, 0]), b[:, 0], atol=1e-12)
        assert mdp.resolvent is mdp.resolvent


@pytest.mark.parametrize("layout", [np.asarray, as_sparse])
def test_next_states_are_drawn_with_their_probabilities(layout):
    mdp = MDP(layout(random_transitions()))
    n = 20_000
    states, actions = np.repeat(np.arange(S), n), np.tile(np.arange(A), S * n)[: S * n]
    drawn = mdp.next_states(states, actions, np.random.default_rng(0))
    counts = np.zeros((S, A, S))
    np.add.at(counts, (states, actions, drawn), 1)
    shares = counts / counts.sum(axis=2, keepdims=True)
    p = random_transitions()
    assert_array_equal(shares[p == 0], 0)
    assert_allclose(shares, p, atol=5 * 0.5 / np.sqrt(n / A))


def test_the_seed_decides_the_draws(thin):
    states, actions = np.arange(S), np.zeros(S, int)
    draws = [thin.next_states(states, actions, np.random.default_rng(seed)).tolist() for seed in (0, 0)]
    assert draws[0] == draws[1]


def test_explicit_zeros_and_duplicates_in_a_sparse_matrix_are_no_trouble():
    matrix = sparse.coo_array(([0.5, 0.5, 0.0, 1.0], ([0, 0, 0, 1], [1, 1, 0, 0])), (2, 2))
    mdp = MDP([sparse.csr_array(matrix)])
    assert_array_equal(mdp.next_states(np.zeros(50, int), np.zeros(50, int), np.random.default_rng(0)), 1)


# --- immutable -------------------------------------------------------------------------------------


def arrays(mdp):
    if not mdp.is_sparse:
        return [mdp.transitions]
    return [array for m in mdp.transitions for array in (m.data, m.indices, m.indptr)]


@pytest.mark.parametrize("layout", [np.asarray, as_sparse])
@pytest.mark.parametrize("through", [lambda m: m, lambda m: pickle.loads(pickle.dumps(m))])
def test_arrays_are_read_only(layout, through):
    for array in arrays(through(MDP(layout(random_transitions())))):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_callers_arrays_stay_theirs():
    p = random_transitions()
    matrices = as_sparse(p)
    dense, thin = MDP(p), MDP(matrices)
    p[:], matrices[0].data[:] = 0.0, 0.0
    assert_allclose(dense.transitions.sum(axis=2), 1)
    assert_allclose(thin.transitions[0].sum(axis=1), 1)


def test_a_world_is_shared_not_copied(dense):
    assert copy.deepcopy(dense) is dense
    assert copy.deepcopy([dense])[0] is dense
    with pytest.raises(AttributeError):
        dense.discount = 0.5


@pytest.mark.parametrize("make", [lambda: worlds.gridworld(25), worlds.labyrinth, lambda: MDP(random_transitions())])
def test_a_world_can_go_to_a_worker_even_after_it_was_factorised(make):
    world = make()
    b = np.ones(world.n_states)
    solved = world.resolvent.solve(b)
    again = pickle.loads(pickle.dumps(world))
    assert repr(again) == repr(world)
    assert_allclose(again.resolvent.solve(b), solved)


def test_the_drawing_of_a_world_is_read_only():
    maze = worlds.labyrinth()
    for array in (maze.positions, maze.links):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


# --- errors at the door ----------------------------------------------------------------------------


def broken(change):
    p = random_transitions()
    p[4, 2] = change
    return p


@pytest.mark.parametrize("layout", [lambda p: p, as_sparse], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([0.5, 0.4, 0, 0, 0, 0, 0], ["s=4", "a=2", "sums to 0.9", "sum 1"]),
        ([0] * S, ["s=4", "a=2", "sums to 0"]),
        ([1.2, -0.2, 0, 0, 0, 0, 0], ["s=4", "a=2", "s'=1", "-0.2", "below 0", "non-negative"]),
        ([np.nan, 1, 0, 0, 0, 0, 0], ["s=4", "a=2", "NaN"]),
        ([np.inf, 0, 0, 0, 0, 0, 0], ["s=4", "a=2", "inf"]),
    ],
)
def test_a_bad_row_is_located(layout, row, words):
    with pytest.raises(InvalidTransitions) as caught:
        MDP(layout(broken(row)))
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize(
    ("transitions", "words"),
    [
        (np.full((3, 3), 1 / 3), ["(3, 3)", "(S, A, S)"]),
        (np.full((2, 2, 3), 1 / 3), ["(2, 2, 3)", "(S, A, S)"]),
        (np.zeros((0, 1, 0)), ["(0, 1, 0)"]),
        ([[[1.0], [0.5, 0.5]]], ["not an array of numbers", "give P[s, a, s']"]),
        ("junk", ["not an array of numbers"]),
        (sparse.eye_array(3), ["not", "list of A sparse"]),
        ([sparse.eye_array(3), sparse.eye_array(2)], ["action 1", "(2, 2)", "(3, 3)", "one size"]),
        ([sparse.csr_array((2, 3))], ["action 0", "(2, 3)"]),
        ([], ["(0,)"]),
    ],
)
def test_bad_shapes(transitions, words):
    with pytest.raises(InvalidTransitions) as caught:
        MDP(transitions)
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("discount", [1.0, 1, -0.1, np.nan, np.inf, "x", None])
def test_discounts_outside_the_unit_interval(discount):
    with pytest.raises(InvalidDiscount, match=r"discount is .*; choose a number in \[0, 1\), for example 0.99"):
        MDP(random_transitions(), discount=discount)


@pytest.mark.parametrize("discount", [0, 0.5, 0.999999])
def test_discounts_inside(discount):
    assert MDP(random_transitions(), discount=discount).discount == discount


def test_a_policy_of_the_wrong_shape(dense):
    with pytest.raises(ShapeMismatch, match=r"policy has shape \(3, 7\) where \(7, 3\) is expected"):
        dense.under(np.ones((A, S)))
