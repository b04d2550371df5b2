"""Choices that plan: what the planners promise, gradients, and the maximum causal entropy baseline as an oracle."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.baselines import MaxCausalEntropyIRL
from hiql.choices import Goals, Planned, PlannedWithMemory
from hiql.choices.planned import Coefficients
from hiql.choices.reward_network import RewardNetwork
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.worlds.planners import PLANNERS
from hiql.worlds.planning import boltzmann_policy, value_iteration
from hiql.worlds.state_before import StateBefore
from tests.baselines.worlds import numerical_gradient, ring, soft_policy, sparse_twin, walk

REWARDS = np.random.default_rng(0).normal(0, 2, (2, 6, 3))


def certain_ring():
    return ring(slip=0.0)


@pytest.fixture(scope="module")
def seen():
    reward = np.array([0.0, 0.5, -1.0, 2.0, 0.3, -0.5])
    return walk(ring(), [soft_policy(ring(), reward)], [50] * 40, np.random.default_rng(0))


# --- planners -------------------------------------------------------------------------------------------------


def test_boltzmann_plans_have_the_optimal_values():
    planner = PLANNERS["boltzmann"](ring())
    plan = planner.plan(REWARDS)
    for i, reward in enumerate(REWARDS):
        q = value_iteration(ring(), reward, tol=1e-12)
        np.testing.assert_allclose(np.exp(plan.log_policy[i]), boltzmann_policy(q), atol=1e-9)
        np.testing.assert_allclose(planner.q(plan)[i], q, atol=1e-8)


@pytest.mark.parametrize("name", ["soft", "linearly-solvable"])
def test_action_values_obey_their_equation(name):
    mdp = ring()
    planner = PLANNERS[name](mdp)
    plan = planner.plan(REWARDS)
    value, q = plan.value, planner.q(plan)
    np.testing.assert_allclose(np.log(np.exp(q).sum(axis=2)), value, atol=1e-9)
    ahead = {
        "soft": mdp.discount * mdp.expect(value),
        "linearly-solvable": np.log(mdp.expect(np.exp(mdp.discount * value))),
    }
    np.testing.assert_allclose(q, REWARDS + ahead[name], atol=1e-9)


def test_where_nothing_is_left_to_chance_linearly_solvable_is_soft():
    plans = [PLANNERS[name](certain_ring()).plan(REWARDS) for name in ("soft", "linearly-solvable")]
    np.testing.assert_allclose(plans[0].log_policy, plans[1].log_policy, atol=1e-9)


def test_sparse_worlds_are_planned_with_the_same_answer():
    dense = PLANNERS["linearly-solvable"](ring())
    counts = np.random.default_rng(1).integers(0, 5, (2, 6, 3)).astype(float)
    one = dense.likelihood(REWARDS, counts)
    other = PLANNERS["linearly-solvable"](sparse_twin(ring())).likelihood(REWARDS, counts)
    np.testing.assert_allclose(other.plan.log_policy, one.plan.log_policy, atol=1e-9)
    np.testing.assert_allclose(other.gradient, one.gradient, atol=1e-8)


@pytest.mark.parametrize("name", PLANNERS)
@pytest.mark.parametrize("shape", [(2, 6), (2, 6, 3)], ids=["state", "state and action"])
def test_gradients_agree_with_finite_differences(name, shape):
    rng, planner = np.random.default_rng(3), PLANNERS[name](ring())
    counts = rng.integers(0, 5, (2, 6, 3)).astype(float)
    reward = rng.normal(size=shape)
    exact = planner.likelihood(reward, counts).gradient
    by_differences = numerical_gradient(lambda r: planner.likelihood(r.reshape(shape), counts).total, reward.ravel())
    np.testing.assert_allclose(exact.ravel(), by_differences, atol=1e-6)


# --- fits -----------------------------------------------------------------------------------------------------


def fitted(seen, k=1, tol=1e-13, **options):
    return hiql.IntentionModel(k, choice=Planned(mdp=ring(), **options), tol=tol, patience=0, progress=False).fit(seen)


@pytest.mark.parametrize("features", [None, np.eye(6)[:, [3, 0]]], ids=["states", "features"])
def test_one_intention_is_maximum_causal_entropy(seen, features):
    penalty = 0.001 * seen.n_sessions
    baseline = MaxCausalEntropyIRL(mdp=ring(), features=features, tol=1e-14).fit(seen)
    model = fitted(seen, features=features, ridge=2 * penalty)
    assert model.objective_ == pytest.approx(baseline.objective_, abs=1e-6)
    np.testing.assert_allclose(model.policy_, baseline.policy_, atol=1e-6)
    found, wanted = model.reward_[0, :, 0], baseline.reward_
    constant = 0.0 if features is not None else (found - wanted).mean()  # the data cannot tell, the prior hardly
    np.testing.assert_allclose(found - constant, wanted, atol=1e-4)
    assert model.n_free_ == baseline.n_free_


def test_features_of_state_and_action_can_express_any_policy(seen):
    every = np.eye(18).reshape(6, 3, 18)
    model = fitted(seen, features=every, ridge=1e-6)
    counts = seen.pair_counts
    np.testing.assert_allclose(model.policy_[0], counts / counts.sum(axis=1, keepdims=True), atol=1e-3)
    assert model.n_free_ == 12


def test_a_network_finds_a_reward_that_is_not_linear(tmp_path):
    """To be near one of two things is worth something, near both nothing: no sum of features can say so."""
    near = np.array([[0, 0], [1, 0], [1, 1], [1, 1], [0, 1], [0, 0]], dtype=float)
    reward = 2.0 * (near.sum(axis=1) == 1)
    data = walk(ring(), [soft_policy(ring(), reward)], [50] * 40, np.random.default_rng(0))
    linear, network = (fitted(data, features=near, hidden=hidden, ridge=0.01, tol=1e-9) for hidden in ((), (4,)))
    assert network.log_likelihood_ > linear.log_likelihood_ + 50
    found = network.reward_[0, :, 0]
    np.testing.assert_allclose(found - found[0], reward - reward[0], atol=0.25)
    assert network.coefficients_.shape == (1, 2 * 4 + 4 + 4)
    assert network.n_free_ == 3  # four kinds of places, and a reward that is the same everywhere
    network.save(tmp_path / "network.hiql")
    np.testing.assert_array_equal(hiql.load(tmp_path / "network.hiql").reward_, network.reward_)


@pytest.mark.parametrize("hidden", [(), (3,), (4, 2)])
def test_slopes_of_networks_agree_with_finite_differences(hidden):
    rng = np.random.default_rng(0)
    network = RewardNetwork(rng.normal(size=(7, 3)), hidden)
    theta, by_reward = network.drawn(1, rng)[0], rng.normal(size=(2, 7))
    found = network.slope(theta, by_reward)
    for slope, weights in zip(found, by_reward, strict=True):
        by_differences = numerical_gradient(lambda at, w=weights: w @ network.reward(at), theta)
        np.testing.assert_allclose(slope, by_differences, atol=1e-7)


def test_a_lasso_leaves_few_rewards(seen):
    loose, tight = (fitted(seen, ridge=0.0, lasso=lasso) for lasso in (0.1, 60.0))
    assert (np.abs(tight.coefficients_) < 1e-9).sum() > (np.abs(loose.coefficients_) < 1e-9).sum()
    assert tight.coefficients_[0].argmax() == 3


def test_coefficients_are_held_to_a_common_one():
    choice = Planned(mdp=ring(), ridge=2.0, around="common")
    theta = Coefficients(np.random.default_rng(4).normal(size=(3, 6)))
    centres = np.linspace(-1, 1, 201)
    best = max(
        -np.square(theta.coefficients[:, 0] - c).sum() - c**2 for c in centres + theta.coefficients[:, 0].sum() / 4
    )
    one = Coefficients(theta.coefficients[:, :1] * np.eye(6)[:1])
    assert choice.log_prior(one) == pytest.approx(best, abs=1e-9)


def test_what_was_planned_for_is_shown_drawn_and_kept(seen, tmp_path):
    model = fitted(seen, 2)
    assert model.world_ is model.choice.mdp
    assert model.reward_.shape == model.q_.shape == (2, 6, 3)
    np.testing.assert_allclose(model.reward_[:, :, 0], model.coefficients_, atol=1e-12)
    ahead = model.world_.discount * model.world_.expect(model.value_)
    np.testing.assert_allclose(model.q_, model.reward_ + ahead, atol=1e-9)
    model.save(tmp_path / "planned.hiql")
    back = hiql.load(tmp_path / "planned.hiql")
    np.testing.assert_array_equal(back.reward_, model.reward_)
    np.testing.assert_array_equal(back.permuted([1, 0]).value_, model.value_[::-1])


def test_a_reward_that_is_given_has_the_last_word(seen):
    choice = Planned(mdp=ring())
    model = hiql.IntentionModel(1, choice=choice, reward=hiql.rewards.IAVI(mdp=ring()), progress=False).fit(seen)
    np.testing.assert_allclose(model.reward_[0], hiql.iavi(model.policy_[0], ring()).reward, atol=1e-9)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"planner": "magic"}, InvalidParameter),
        ({"mdp": "labyrinth"}, InvalidParameter),
        ({"ridge": -1.0}, InvalidParameter),
        ({"lasso": np.nan}, InvalidParameter),
        ({"around": "mean"}, InvalidParameter),
        ({"around": "common", "hidden": (3,)}, InvalidParameter),
        ({"hidden": (0,)}, InvalidParameter),
        ({"hidden": 2.5}, InvalidParameter),
        ({"features": np.zeros((5, 2))}, ShapeMismatch),
        ({"features": "distances"}, ShapeMismatch),
        ({"features": np.full((6, 2), np.inf)}, InvalidParameter),
    ],
)
def test_settings_that_make_no_sense_are_named(options, error):
    with pytest.raises(error, match=next(iter(options))):
        Planned(**{"mdp": ring()} | options)


def test_goals_are_found():
    simulation = hiql.worlds.simulate_places(10, 100, random_state=1)
    choice = Goals(mdp=simulation.environment)
    model = hiql.IntentionModel(2, choice=choice, dynamics="by-state", progress=False).fit(simulation.data)
    assert sorted(model.goal_) == [0, 24]
    assert model.sharpness_.tolist() == [10.0, 10.0]
    assert (model.decode(simulation.data) == np.argsort(model.goal_)[::-1][simulation.data.intentions]).mean() > 0.9
    with pytest.raises(InvalidParameter, match="sharpness"):
        Goals(mdp=simulation.environment, sharpness=())


# --- the state before -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def remembered():
    """A walk on a ring that goes on as it came."""
    return walk(ring(slip=0.0), [np.tile([0.2, 0.6, 0.2], (6, 1))], [60] * 20, np.random.default_rng(1))


def test_with_memory_it_is_a_plan_in_the_world_of_pairs(remembered):
    """The same objective and policies as planning there on data that were recoded by hand."""
    choice = PlannedWithMemory(mdp=ring(slip=0.0))
    pairs = choice.pairs
    features = np.hstack([np.eye(6)[pairs.now], np.eye(len(pairs.now))[:, 6:]])
    search = {"n_init": 1, "max_iter": 3, "patience": 0, "progress": False, "random_state": 3}
    model = hiql.IntentionModel(2, choice=choice, **search).fit(remembered)
    by_hand = hiql.IntentionModel(2, choice=Planned(mdp=pairs.mdp, features=features), **search)
    by_hand.fit(pairs.seen(remembered))
    assert model.objective_ == pytest.approx(by_hand.objective_, abs=1e-6)
    np.testing.assert_allclose(model.pair_policy_, by_hand.policy_, atol=1e-6)
    assert model.n_free_ == by_hand.n_free_


def test_with_memory_it_tells_what_came_before(remembered, tmp_path):
    """Who never turns round: only the state before says which way that is."""
    world, n = ring(slip=0.0), 6
    pairs = StateBefore(world)
    reward = np.where((pairs.before >= 0) & (pairs.now == (pairs.before + 1) % n), 2.0, 0.0)
    plan = PLANNERS["soft"](pairs.mdp).plan(reward[None])
    rng, states, actions = np.random.default_rng(0), [], []
    for _ in range(20):
        before, now, acts, path = -1, int(rng.integers(n)), [], []
        for _ in range(40):
            a = int(rng.choice(3, p=np.exp(plan.log_policy[0, pairs.pair(before, now)])))
            acts.append(a)
            path.append(now)
            before, now = now, int(world.next_states(np.array([now]), np.array([a]), rng)[0])
        states.append(path)
        actions.append(acts)
    data = hiql.Trajectories.from_arrays(states, actions, n_states=n, n_actions=3)
    search = {"patience": 0, "progress": False}
    with_memory, without = (
        hiql.IntentionModel(1, choice=kind(mdp=world), **search).fit(data) for kind in (PlannedWithMemory, Planned)
    )
    assert with_memory.log_likelihood_ > without.log_likelihood_ + 20
    with_memory.save(tmp_path / "memory.hiql")
    back = hiql.load(tmp_path / "memory.hiql")
    np.testing.assert_array_equal(back.predict_action_proba(data), with_memory.predict_action_proba(data))
    live = back.live()
    for t in range(5):
        np.testing.assert_allclose(live.predict(state=states[0][t]), back.predict_action_proba(data)[t], atol=1e-12)
        live.step(state=states[0][t], action=actions[0][t])
    simulated = back.sample(world, n_sessions=3, n_steps=20)
    assert simulated.n_steps == 60
    with pytest.raises(ShapeMismatch, match="features"):
        PlannedWithMemory(mdp=world, features=np.zeros((6, 3, 2)))


def test_plans_are_not_seen_over_finer_states(seen):
    model = fitted(seen, tol=1e-3)
    with pytest.raises(InvalidParameter, match="only tables of policies"):
        model.lifted(np.repeat(np.arange(6), 2))
