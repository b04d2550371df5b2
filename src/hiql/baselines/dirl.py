"""Dynamic inverse reinforcement learning (Ashwood, Jha & Pillow 2022): goal maps with drifting weights."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from hiql.baselines.checks import check_number, check_whole, check_world
from hiql.baselines.dirl_posterior import DIRLPosterior
from hiql.baselines.policy_baseline import PolicyBaseline
from hiql.baselines.timed import time_of_step, timed_counts
from hiql.choices.identifiable import n_identifiable
from hiql.data.trajectories import IntArray, Trajectories
from hiql.errors import InvalidParameter
from hiql.models.scoring import FloatArray
from hiql.parts.climbing import climb
from hiql.worlds.mdp import MDP
from hiql.worlds.soft_planning import SoftPlanner


class DIRL(PolicyBaseline):
    """M goal maps u_m(s) whose weights w_m(t) drift along a session: r_t(s) = Σ_m w_m(t) u_m(s).

    At each time the animal follows the soft-optimal policy of the present reward, as if it were to last. Maps
    and weights are found together, at a maximum of the posterior

        Σ log π_t(a_t|s_t) − ½ Σ_m [w_m(0)² + Σ_t (w_m(t) − w_m(t−1))²] / σ² − n_sessions · l2 · Σ u²,

    by L-BFGS with exact gradients. There are several maxima: of ``n_init`` starts the one with the highest
    posterior (never the best test score) is kept. Steps beyond the longest training session use the last
    weights.

    Parameters
    ----------
    mdp : the world
    n_maps : M
    sigma : σ, the standard deviation of a weight's step (the original's text calls it a variance, but its code
        squares it). With 0 all weights are 1, and one map is :class:`MaxCausalEntropyIRL`.
    discount : γ, the world's by default
    l2 : the penalty on the maps in nats per session, as in the original
    init_states : where the first maps start: map m at 1 in state ``init_states[m]`` and 0 elsewhere; states
        beyond M are not used. The other maps start uniform in [0, 1), the weights normal with mean 0 and
        variance σ, as in the original.
    n_init, random_state : number of starts, and their seed
    max_iter, tol : most steps of one climb, and the relative gain below which it has converged

    Attributes
    ----------
    maps_ : u (M, S)
    weights_ : w (M, T), one column if σ = 0
    reward_ : r (T, S)
    log_policy_ : (T, S, A)
    log_likelihood_ : of the training data, in nats; ``objective_`` is the log-posterior up to a constant
    objectives_ : (n_init,) the log-posterior each start reached
    n_iter_, converged_, notes_
    n_free_ : what the data can identify: in how many independent ways maps and weights together move the
        log-odds of observed actions (:func:`~hiql.choices.identifiable.n_identifiable`). So the scale that
        maps and weights can exchange, a constant added to a map, and places without influence on observed
        choices do not count. It never exceeds M·(T + S − 1 − M); the priors are not credited.
    """

    def __init__(
        self,
        n_maps: int = 2,
        *,
        mdp: MDP,
        sigma: float = 0.25,
        discount: float | None = None,
        l2: float = 0.001,
        init_states: int | Sequence[int] = (),
        n_init: int = 1,
        random_state: int = 0,
        max_iter: int = 3000,
        tol: float = 1e-8,
    ) -> None:
        self.n_maps = n_maps
        self.mdp = mdp
        self.sigma = sigma
        self.discount = discount
        self.l2 = l2
        self.init_states = init_states
        self.n_init = n_init
        self.random_state = random_state
        self.max_iter = max_iter
        self.tol = tol

    def fit(self, data: Trajectories, y: object = None) -> Self:  # noqa: ARG002
        """Fit to the data; returns itself."""
        posterior = self._posterior(data)
        n_init, max_iter = check_whole("n_init", self.n_init), check_whole("max_iter", self.max_iter)
        tol = check_number("tol", self.tol)
        rng = np.random.default_rng(self.random_state)
        starts = [self._start(posterior, rng) for _ in range(n_init)]
        climbs = [climb(posterior, start, max_iter, tol) for start in starts]
        best = max(climbs, key=lambda found: found.objective)
        self.objective_, self.n_iter_, self.converged_, self.notes_ = best[1:]
        self.objectives_ = np.array([found.objective for found in climbs])
        self.maps_, self.weights_ = posterior.unpack(best.point)
        self.reward_ = self.weights_.T @ self.maps_
        plan = posterior.planner.plan(self.reward_)
        self.log_policy_ = plan.log_policy
        self.log_likelihood_ = float((posterior.counts * plan.log_policy).sum())
        self.n_free_ = n_identifiable(
            posterior.planner,
            plan,
            posterior.counts,
            lambda time, gradients: posterior.slopes(best.point, time, gradients.sum(axis=2)),
            n_parameters=best.point.size,
        )
        return self

    def _policy_of_step(self, data: Trajectories) -> IntArray:
        return time_of_step(data, len(self.log_policy_))

    def _posterior(self, data: Trajectories) -> DIRLPosterior:
        """What is to be maximised; raises on bad parameters."""
        mdp = check_world(self.mdp, self.discount, data)
        n_maps, sigma = check_whole("n_maps", self.n_maps), check_number("sigma", self.sigma)
        for state in np.atleast_1d(self.init_states).tolist():
            if not 0 <= check_whole("init_states", state, lowest=0) < mdp.n_states:
                raise InvalidParameter(
                    parameter="init_states", value=state, remedy=f"choose states 0…{mdp.n_states - 1}"
                )
        counts = timed_counts(data) if sigma > 0 else data.pair_counts[None]
        penalty = data.n_sessions * check_number("l2", self.l2)
        return DIRLPosterior(SoftPlanner(mdp), counts, n_maps, sigma, penalty)

    def _start(self, posterior: DIRLPosterior, rng: np.random.Generator) -> FloatArray:
        n_times, n_states, _ = posterior.counts.shape
        weights = rng.normal(0.0, np.sqrt(posterior.sigma), (posterior.n_maps, n_times))
        maps = rng.random((posterior.n_maps, n_states))
        for map_, state in zip(maps, np.atleast_1d(self.init_states), strict=False):
            map_[:] = np.arange(n_states) == state
        return posterior.pack(maps, weights)
