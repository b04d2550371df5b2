"""Regressions averaged over: the bound against integration, its best q, and the step that never lowers it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_expit, logsumexp, softmax

import hiql
from hiql.choices import LinearChoice
from hiql.data.coding import Coding
from hiql.dynamics import InputDriven
from hiql.engine.problem import Point
from hiql.errors import InvalidParameter
from hiql.kernels.regression import log_likely
from hiql.models import IntentionModel
from hiql.parts import averaged
from hiql.parts.regression import contrasts, free, symmetric
from tests.oracles import regression as plain

QUIET = {"progress": False, "estimate": "bayes"}


def belief(n_actions, scale, seed=0, n_features=3):
    """Weights (1, A, F) and the covariance of their coordinates (1, n, n)."""
    rng = np.random.default_rng(seed)
    n = (n_actions - 1) * n_features
    root = rng.normal(size=(n, n)) * scale
    return symmetric(rng.normal(size=(1, n)), n_actions), (root @ root.T / n + 1e-4 * np.eye(n))[None]


def bound_by_the_loops(weights, covariance, u):
    """(A,) what a smoother reads of each action."""
    inputs, n_actions = np.tile(u, (weights.shape[1], 1)), weights.shape[1]
    result = np.empty((n_actions, 1))
    unsure = averaged.unsure(covariance, n_actions)[None]
    groups = np.zeros(n_actions, np.uint32)
    log_likely(inputs, groups, np.arange(n_actions, dtype=np.int32), weights[None], unsure, result)
    return result[:, 0]


@pytest.mark.parametrize("scale", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("n_actions", [2, 4])
def test_the_bound_is_the_best_of_its_kind_and_below_the_mean(n_actions, scale):
    weights, covariance = belief(n_actions, scale)
    u = np.array([0.7, -1.2, 1.0])
    found = bound_by_the_loops(weights, covariance, u)
    to_weights = np.kron(contrasts(n_actions).T, np.eye(3))
    of_weights = to_weights @ covariance[0] @ to_weights.T

    def tilted(x):
        return logsumexp(plain.tilted(weights[0], of_weights, u, softmax(x)))

    best = min(minimize(tilted, start, method="BFGS", tol=1e-9).fun for start in np.eye(n_actions))
    np.testing.assert_allclose(found, weights[0] @ u - best, atol=1e-5)
    drawn = np.random.default_rng(1).multivariate_normal(weights.ravel(), of_weights, 40_000)
    mean = logsumexp(drawn.reshape(-1, n_actions, 3) @ u, axis=1).mean()
    assert mean < best + 0.02 * scale
    assert best - mean < scale**3


def log_evidence(x, actions, ridge, bias_ridge):
    """log ∫ p(actions | w) p(w) dw of one slope and one bias by quadrature; w_1 − w_0 = √2 θ."""
    signs = np.where(actions == 1, 1.0, -1.0) * np.sqrt(2)

    def log_joint(slope, bias):
        likely = log_expit(signs * (slope[..., None] * x + bias[..., None])).sum(axis=-1)
        return likely - 0.5 * (ridge * slope**2 + bias_ridge * bias**2)

    axis = np.linspace(-8, 8, 241)
    inside = log_joint(*np.meshgrid(axis, axis, indexing="ij"))
    return logsumexp(inside) + 2 * np.log(axis[1] - axis[0]) + 0.5 * np.log(ridge * bias_ridge) - np.log(2 * np.pi)


@pytest.mark.parametrize(("n_steps", "slope", "lost"), [(8, 0.5, 0.3), (30, 4.0, 0.1), (200, 2.0, 0.03)])
def test_evidence_is_just_below_what_quadrature_gives(n_steps, slope, lost):
    rng = np.random.default_rng(n_steps)
    x = rng.normal(size=n_steps)
    x = (x - x.mean()) / x.std()
    actions = (rng.random(n_steps) < 1 / (1 + np.exp(-slope * x))).astype(int)
    data = hiql.Trajectories.from_arrays(None, [actions], inputs=[x[:, None]], input_names=["x"], n_actions=2)
    model = IntentionModel(1, choice=LinearChoice(1.0, bias_ridge=0.5), **QUIET).fit(data)
    exact = log_evidence(x, actions, 1.0, 0.5)
    assert exact - lost < model.evidence_ < exact + 1e-6


def weighing(n_actions=2, seed=0, n_sessions=6, n_steps=60):
    """Two intentions that weigh an input otherwise, in blocks of 20 steps."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=(n_sessions, n_steps, 1))
    kind = np.repeat(rng.integers(2, size=(n_sessions, n_steps // 20)), 20, axis=1)
    logits = np.where(kind, 4.0, -4.0)[..., None] * u * np.linspace(-1, 1, n_actions)
    actions = (logits + rng.gumbel(size=logits.shape)).argmax(axis=2)
    return hiql.Trajectories.from_arrays(None, list(actions), inputs=list(u), input_names=["u"], n_actions=n_actions)


@pytest.mark.parametrize("clock", [None, InputDriven(origin="weights")])
def test_no_step_of_either_part_lowers_the_bound(clock):
    data = weighing(3)
    model = hiql.GLMHMM(2, dynamics=clock, **QUIET)
    problem = model._problem(data, Coding.of(data), 2).estimating("bayes")
    point = problem.start(np.random.default_rng(0))
    for _ in range(15):
        expected = problem.expect(point)
        now, after = problem.objective(point, expected), problem.update(point, expected)
        for other in (Point(after.dynamics, point.choice), Point(point.dynamics, after.choice), after):
            assert problem.objective(other, problem.expect(other)) > now - 1e-9 * abs(now)
        point = after
    there = problem.from_vector(problem.vector(point), point)
    assert problem.objective(there, problem.expect(there)) == pytest.approx(now, abs=abs(now) * 0.1)
    turned = problem.permute(point, np.array([1, 0]))
    worth = problem.objective(turned, problem.expect(turned))
    assert worth == pytest.approx(problem.objective(point, problem.expect(point)), abs=1e-8)


def test_the_posterior_is_stationary_where_slopes_vanish_and_widths_are_those_of_the_curvature():
    rng = np.random.default_rng(0)
    held = np.ones((1, 2))
    bent = np.array([[[3.0, 1.0], [1.0, 2.0]]])
    there = averaged.Belief(rng.normal(size=(1, 2)), averaged.inverse(bent + np.eye(2)))

    def limits(change):
        return np.ones(1), np.ones(1)

    same = averaged.better(there, np.zeros((1, 2)), bent, held, limits)
    np.testing.assert_allclose(same.mean, there.mean)
    np.testing.assert_allclose(same.covariance, there.covariance)


def test_evidence_finds_two_and_one_intention_is_worth_the_same_by_every_clock():
    data = weighing()
    evidence = [hiql.GLMHMM(k, **QUIET).fit(data).evidence_ for k in (1, 2, 3)]
    assert evidence[1] > evidence[0] + 20
    assert evidence[1] > evidence[2]
    for clock in ("session-wise", "by-state", "input-driven"):
        assert hiql.GLMHMM(1, dynamics=clock, **QUIET).fit(data).evidence_ == pytest.approx(evidence[0], abs=1e-6)


@pytest.mark.parametrize("n_actions", [2, 3])
def test_steps_from_far_away_never_lower_the_bound_and_arrive(n_actions):
    """Widths too wide and far too narrow, means far off, an input with an outlier."""
    rng = np.random.default_rng(n_actions)
    u = rng.normal(size=(300, 2))
    u[0, 0] = 8.0
    actions = rng.integers(n_actions, size=300)
    data = hiql.Trajectories.from_arrays(None, [actions], inputs=[u], input_names=["u", "v"], n_actions=n_actions)
    problem = hiql.GLMHMM(1, **QUIET)._problem(data, Coding.of(data), 1).estimating("bayes")
    start, reached = problem.start(rng), []
    for scale, away in ((1.0, 0.0), (5.0, 0.0), (1e-4, 2.0)):
        choice = start.choice
        weights = choice.weights + away * (np.arange(n_actions) - (n_actions - 1) / 2)[:, None]
        point = start._replace(choice=replace(choice, weights=weights, covariance=scale * choice.covariance))
        trace = []
        for _ in range(60):
            expected = problem.expect(point)
            trace.append(problem.objective(point, expected))
            point = problem.update(point, expected)
        assert (np.diff(trace) > -1e-9 * abs(trace[-1])).all()
        reached.append(trace[-1])
    np.testing.assert_allclose(reached, reached[0], atol=0.05)


def test_a_weight_of_nothing_is_worth_what_its_prior_is():
    weights, _ = belief(3, 1.0)
    prior = np.full((1, 6), 2.0)
    nothing = averaged.Belief(0.0 * free(weights), np.eye(6)[None] / 2.0)
    assert averaged.divergence(nothing, prior) == pytest.approx(0.0, abs=1e-12)
    assert averaged.divergence(nothing._replace(covariance=np.zeros((1, 0, 0))), prior) == np.inf


def test_tables_and_regressions_are_compared_on_the_same_steps():
    data = weighing()
    chosen = hiql.select(data, n_intentions=(1, 2), family=("hiql", "glmhmm"), by="evidence", progress=False)
    assert chosen.table["evidence"].notna().all()
    assert chosen.selection.unit["family"] == "glmhmm"
    assert chosen.best.n_intentions == 2


def test_what_has_no_posterior_says_so():
    data = weighing()
    with pytest.raises(InvalidParameter, match="lapse=False"):
        hiql.GLMHMM(2, lapse=True, **QUIET).fit(data)
    with pytest.raises(InvalidParameter, match="PooledWeights has no posterior"):
        hiql.GLMHMM(2, pool="subjects", dynamics="markov", **QUIET).fit(data)
