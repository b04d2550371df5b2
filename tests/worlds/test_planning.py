"""Planning, against the equations it solves and against simulation."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.special import logsumexp, softmax

from hiql import MDP
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.worlds import (
    boltzmann_policy,
    evaluate_policy,
    soft_value_iteration,
    state_occupancy,
    value_iteration,
)

S, A = 12, 3
RNG = np.random.default_rng(0)
TRANSITIONS = RNG.dirichlet(np.full(S, 0.3), size=(S, A))
REWARD = RNG.normal(size=(S, A))
POLICY = RNG.dirichlet(np.ones(A), size=S)


@pytest.fixture(params=["dense", "sparse"])
def world(request):
    def make(discount=0.9):
        thin = [sparse.csr_array(TRANSITIONS[:, a]) for a in range(A)]
        return MDP(TRANSITIONS if request.param == "dense" else thin, discount)

    return make


SOLVERS = [(value_iteration, lambda q: q.max(axis=1)), (soft_value_iteration, lambda q: logsumexp(q, axis=1))]


@pytest.mark.parametrize(("solve", "backup"), SOLVERS)
@pytest.mark.parametrize("discount", [0.0, 0.5, 0.99, 0.9999])
def test_values_solve_their_bellman_equation(world, solve, backup, discount):
    mdp = world(discount)
    q = solve(mdp, REWARD)
    assert_allclose(q, REWARD + discount * TRANSITIONS @ backup(q), rtol=1e-11, atol=1e-10)


@pytest.mark.parametrize(("solve", "backup"), SOLVERS)
@pytest.mark.parametrize("tol", [10.0, 1e-1, 1e-6])
def test_the_error_is_within_the_tolerance(world, solve, backup, tol):
    exact = np.zeros((S, A))
    for _ in range(1000):  # plain iteration
        exact = REWARD + 0.95 * TRANSITIONS @ backup(exact)
    assert np.abs(solve(world(0.95), REWARD, tol=tol) - exact).max() <= tol


@pytest.mark.parametrize(("solve", "backup"), SOLVERS)
def test_ties_between_actions_do_no_harm(world, solve, backup):
    q = solve(world(0.99), np.zeros(S))
    assert_allclose(q, 0.99 * TRANSITIONS @ backup(q), atol=1e-10)


@pytest.mark.parametrize(("solve", "backup"), SOLVERS)
def test_an_unreachable_tolerance_still_ends(world, solve, backup):
    q = solve(world(0.99), 1e6 * REWARD, tol=1e-13)
    assert_allclose(q, 1e6 * REWARD + 0.99 * TRANSITIONS @ backup(q), rtol=1e-12)


def test_a_reward_of_states_counts_for_every_action(world):
    by_state = REWARD[:, 0]
    repeated = np.repeat(by_state[:, None], A, axis=1)
    assert_allclose(value_iteration(world(), by_state), value_iteration(world(), repeated))


def test_the_optimal_value_is_that_of_the_greedy_policy(world):
    q = value_iteration(world(), REWARD)
    greedy = np.eye(A)[q.argmax(axis=1)]
    assert_allclose(evaluate_policy(world(), greedy, REWARD), q.max(axis=1), atol=1e-9)


def test_policy_evaluation_is_the_sum_over_a_long_run(world):
    step = np.einsum("sa,sat->st", POLICY, TRANSITIONS)
    expected, reward = np.zeros(S), (POLICY * REWARD).sum(axis=1)
    for t in range(400):
        expected += 0.9**t * np.linalg.matrix_power(step, t) @ reward
    assert_allclose(evaluate_policy(world(), POLICY, REWARD), expected, atol=1e-9)


@pytest.mark.parametrize("beta", [0.0, 1.0, 10.0, 1e4])
def test_boltzmann_policies(beta):
    q = np.stack([REWARD, -REWARD])
    policy = boltzmann_policy(q, beta)
    assert_allclose(policy, softmax(beta * q, axis=-1), atol=1e-15)
    assert_allclose(policy.sum(axis=-1), 1)
    ratio = np.log(policy[0, 0, 0] / policy[0, 0, 1]) if beta < 100 else beta * (q[0, 0, 0] - q[0, 0, 1])
    assert_allclose(ratio, beta * (q[0, 0, 0] - q[0, 0, 1]), atol=1e-9)


@pytest.mark.parametrize("start", [3, np.full(S, 1 / S)], ids=["state", "distribution"])
def test_occupancy_is_the_mean_of_matrix_powers(world, start):
    step = np.einsum("sa,sat->st", POLICY, TRANSITIONS)
    here = np.eye(S)[start] if isinstance(start, int) else start
    expected = np.mean([here @ np.linalg.matrix_power(step, t) for t in range(6)], axis=0)
    occupancy = state_occupancy(world(), POLICY, start, n_steps=6)
    assert_allclose(occupancy, expected)
    assert_allclose(occupancy.sum(), 1)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda m: state_occupancy(m, POLICY, n_steps=0), InvalidParameter, ["n_steps is 0", "at least 1"]),
        (lambda m: state_occupancy(m, POLICY, start=S), InvalidParameter, ["start is 12", "0…11"]),
        (lambda m: state_occupancy(m, POLICY, start=-1), InvalidParameter, ["start is -1"]),
        (lambda m: state_occupancy(m, POLICY, start=np.ones(3)), ShapeMismatch, ["start", "(3,)", "(12,)"]),
        (lambda m: value_iteration(m, REWARD, tol=0), InvalidParameter, ["tol is 0", "positive"]),
        (lambda m: value_iteration(m, REWARD.T), ShapeMismatch, ["reward", "(3, 12)", "(12, 3)"]),
        (lambda m: evaluate_policy(m, POLICY[:3], REWARD), ShapeMismatch, ["policy", "(3, 3)", "(12, 3)"]),
    ],
)
def test_bad_arguments_are_named(world, call, error, words):
    with pytest.raises(error) as caught:
        call(world())
    assert [word for word in words if word not in str(caught.value)] == []
