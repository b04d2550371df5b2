"""The estimator behind all others: any reward solver with any dynamics."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from os import PathLike
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from hiql.cluster import spread
from hiql.data.coding import Coding
from hiql.data.sizes import check_sizes, check_trajectories
from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import Chain, FloatArray, IntentionDynamics
from hiql.dynamics.markov import MarkovChain
from hiql.em import Climb, climb
from hiql.errors import EmptyData, InvalidNumberOfIntentions, InvalidParameter
from hiql.inference import causal, expect, most_likely_path, smooth
from hiql.problem import Point, Problem, expect_here
from hiql.progress import progress_bar
from hiql.sampling import sample_sessions, session_lengths
from hiql.scoring import ScoredEstimator, log_odds_seen
from hiql.search import Attempt, Restarts, Search, find_optimum
from hiql.solvers.preference import Preference, RewardSolver
from hiql.watching import SECONDS_TO_ANSWER
from hiql.worlds.mdp import MDP

FEW_STEPS = 0.5
"""An intention with fewer expected steps than this is reported as empty."""


class IntentionModel(ScoredEstimator):
    """K intentions, each with its own reward and policy, that take turns by some dynamics (paper, Algorithm 3).

    Parameters
    ----------
    n_intentions : K
    solver : how a reward explains weighted demonstrations (:class:`~hiql.solvers.RewardSolver`)
    dynamics : how intentions follow one another; a first-order Markov chain by default
    n_init : random starts, each followed for a few iterations; the best is taken further
    patience : how many disturbances of the best solution may fail in a row before the search ends; None means
        12·(K − 1). With 0, the search is over after the starts.
    max_iter : most passes over the data in one climb
    tol : a climb has converged when a step gains less than this, relative to the objective
    sampled : draw the demonstrations of each intention by their posterior, as the paper does, instead of
        weighting them. EM is then noisy, so starts run to the end and nothing is disturbed.
    random_state : seed, a whole number; the same seed gives the same fit, whatever ``n_jobs``
    n_jobs : threads (None: 1, -1: all cores)
    progress : show a progress bar, on a terminal, when a fit takes more than two seconds

    Attributes
    ----------
    initial_ : (K,) Π, how sessions begin
    transition_ : (K, K) Λ, how intentions follow one another
    policy_ : (K, S, A) π_i(a|s); ``log_policy_`` is its logarithm
    reward_ : (K, S, A) the recovered rewards, up to a gauge
    q_ : (K, S, A) action values
    value_ : (K, S) values of states
    log_likelihood_ : of the training data, in nats
    objective_ : what EM climbs: the log-likelihood and the log-priors
    trace_ : its course
    n_iter_ : passes over the data of the best climb
    converged_ : whether it converged
    restarts_ : what the search tried
    n_free_ : free parameters that the data can tell, for BIC
    share_ : (K,) how much of the training data each intention explains; intentions are sorted by it
    notes_ : anything the user should know about the fit, in sentences
    coding_ : what the codes of states and actions mean; ``coding_.recode(data)`` puts other data into these codes
    about_ : how the fit was made, for those who find the file: plain values by name, empty unless someone fills it
    """

    def __init__(
        self,
        n_intentions: int = 2,
        *,
        solver: RewardSolver,
        dynamics: IntentionDynamics | None = None,
        n_init: int = 4,
        patience: int | None = None,
        max_iter: int = 1000,
        tol: float = 1e-7,
        sampled: bool = False,
        random_state: int = 0,
        n_jobs: int | None = None,
        progress: bool = True,
    ) -> None:
        self.n_intentions = n_intentions
        self.solver = solver
        self.dynamics = dynamics
        self.n_init = n_init
        self.patience = patience
        self.max_iter = max_iter
        self.tol = tol
        self.sampled = sampled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _solver(self) -> RewardSolver:
        return self.solver

    def _dynamics(self) -> IntentionDynamics:
        return MarkovChain() if self.dynamics is None else self.dynamics

    # --- fitting ----------------------------------------------------------------------------------------------

    def fit(
        self,
        data: Trajectories,
        y: object = None,  # noqa: ARG002
        *,
        init: IntentionModel | None = None,
        client: Any = None,
        timeout: float = SECONDS_TO_ANSWER,
    ) -> Self:
        """Find the intentions behind the data.

        With ``init``, another fitted model, EM starts from its parameters and nothing else is tried: so fits of
        single animals keep the intentions of the fit of all animals (the paper's third stage).

        With ``client``, a ``distributed.Client``, the E-step runs on its Dask workers (:mod:`hiql.cluster`): the
        answer is the same. It pays for very large data only: below 400,000 steps, or eight for each pair of state and
        action if that is more, all is done here. A cluster without a worker for ``timeout`` seconds is an error; one
        that goes away in the middle of the fit is not: the fit goes on here.
        """
        check_trajectories(data)
        search = self._checked_search(data)
        solver, dynamics = self._solver(), self._dynamics()
        solver.check(data, self.n_intentions)
        sampling = np.random.default_rng([self.random_state, 1]) if self.sampled else None
        problem = Problem(data, dynamics, solver, search.n_jobs, sampling)
        if client is not None:
            problem = spread(problem, client, timeout)
        if init is None:
            with progress_bar(f"Fitting {self.n_intentions} intentions", enabled=self.progress) as update:
                best, restarts = find_optimum(problem, self.n_intentions, search, self.random_state, update)
        else:
            init._check_data(data)
            if len(init.log_policy_) != self.n_intentions:
                raise InvalidNumberOfIntentions(
                    n_intentions=self.n_intentions, remedy=f"init has {len(init.log_policy_)}; choose the same number"
                )
            best = climb(problem, Point(init.dynamics_parameters_, init.log_policy_), search.max_iter, search.tol)
            restarts = Restarts((Attempt("init", best.objective, best.n_passes),))
        self._keep(problem, best, restarts, sort=init is None)
        if client is not None and problem.e_step is expect_here:
            self.notes_ += ("the data are too few to share out, so the client was not used",)
        self.coding_ = Coding.of(data)
        self.about_: dict[str, Any] = {}
        return self

    def _checked_search(self, data: Trajectories) -> Search:
        k = self.n_intentions
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise InvalidNumberOfIntentions(n_intentions=k, remedy="choose a whole number ≥ 1")
        if data.n_observed == 0:
            raise EmptyData(what="no step has both a state and an action", remedy="give at least one observed step")
        if k > data.n_observed:
            raise InvalidNumberOfIntentions(
                n_intentions=k,
                remedy=f"the data have only {data.n_observed} observed steps; choose fewer intentions",
            )
        patience = 12 * (k - 1) if self.patience is None else self.patience
        wholes = {"n_init": (self.n_init, 1), "max_iter": (self.max_iter, 1), "patience": (patience, 0)}
        for name, (value, lowest) in (wholes | {"random_state": (self.random_state, 0)}).items():
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < lowest:
                raise InvalidParameter(parameter=name, value=value, remedy=f"choose a whole number ≥ {lowest}")
        if not isinstance(self.tol, int | float | np.number) or not self.tol >= 0:
            raise InvalidParameter(parameter="tol", value=self.tol, remedy="choose a number ≥ 0")
        return Search(self.n_init, patience, self.max_iter, float(self.tol), _n_threads(self.n_jobs))

    def _keep(self, problem: Problem, best: Climb, restarts: Restarts, *, sort: bool) -> None:
        """Turn the best point into fitted attributes; the rewards are solved here, once."""
        point = best.point
        expectation = problem.expect(point)
        if sort:
            order = np.argsort(-expectation.actions.sum(axis=(1, 2)), kind="stable")
            point = Point(problem.dynamics.permute(point.dynamics, order), point.log_policy[order])
            expectation = problem.expect(point)
        preference = problem.solver.explain(problem.evidence(point, expectation), point.log_policy)
        point = Point(point.dynamics, preference.log_policy)  # a random M-step has moved it
        expectation = problem.expect(point)
        use = expectation.actions.sum(axis=(1, 2))
        told = log_odds_seen(problem.data.pair_counts)
        self.n_free_ = problem.dynamics.n_free(point.dynamics) + self.n_intentions * told
        self._set_parameters(point, preference)
        self.log_likelihood_ = expectation.log_likelihood
        self.objective_ = problem.objective(point, expectation)
        self.trace_ = np.array(best.trace)
        self.n_iter_ = best.n_passes
        self.converged_ = best.converged
        self.restarts_ = restarts
        self.share_ = use / use.sum()
        self.notes_ = self._notes(use, best, problem.data)

    def _set_parameters(self, point: Point, preference: Preference) -> None:
        summary = self._dynamics().summary(point.dynamics)
        self.initial_, self.transition_ = summary["initial"], summary["transition"]
        self.dynamics_parameters_ = point.dynamics
        self.log_policy_ = preference.log_policy
        self.policy_ = np.exp(preference.log_policy)
        self.reward_, self.q_, self.value_ = preference.reward, preference.q, preference.value
        _, self.n_states_, self.n_actions_ = preference.q.shape

    def _notes(self, use: FloatArray, best: Climb, data: Trajectories) -> tuple[str, ...]:
        notes = [
            f"an intention explains {n:.2g} of {use.sum():.0f} steps: it is empty; try n_intentions={len(use) - 1}"
            for n in use
            if n < FEW_STEPS
        ]
        if not best.converged:
            notes.append(
                f"the fit stopped after {best.n_passes} passes (max_iter={self.max_iter}) before it converged to "
                f"tol={self.tol:g}; raise max_iter"
            )
        if not data.has_next_states:
            notes.append("no step has a known next state: without a known world, rewards are log-odds of actions only")
        return tuple(notes)

    # --- inference --------------------------------------------------------------------------------------------

    def _log_likelihood(self, data: Trajectories) -> float:
        return expect(data, self._chain(data), self.log_policy_).log_likelihood

    def smooth_proba(self, data: Trajectories) -> FloatArray:
        """(N, K) p(z_t | the whole session). It looks ahead: do not relate it to neural activity causally."""
        return smooth(data, self._chain(data), self.log_policy_)

    def filter_proba(self, data: Trajectories) -> FloatArray:
        """(N, K) p(z_t | steps up to and including t): causal."""
        return causal(data, self._chain(data), self.log_policy_)[1]

    def decode(self, data: Trajectories) -> npt.NDArray[np.int64]:
        """(N,) the most likely path of intentions through each session (Viterbi)."""
        return most_likely_path(data, self._chain(data), self.log_policy_)

    def predict_action_proba(self, data: Trajectories) -> FloatArray:
        """(N, A) p(a_t | s_t and steps before t): causal. Uniform where the state is missing."""
        predicted, _ = causal(data, self._chain(data), self.log_policy_)
        proba = np.full((data.n_steps, data.n_actions), 1.0 / data.n_actions)
        known = data.states >= 0
        proba[known] = np.einsum("nk,kna->na", predicted[known], self.policy_[:, data.states[known]])
        return proba

    def sample(
        self,
        world: MDP,
        n_sessions: int = 1,
        n_steps: int | npt.ArrayLike = 100,
        random_state: int | np.random.Generator = 0,
        *,
        start: int | npt.ArrayLike | None = None,
    ) -> Trajectories:
        """Simulate sessions; ``.intentions`` of the result are the true ones.

        ``n_steps`` is one length for all sessions or one for each; ``start`` a state or a distribution (S,),
        by default the world's.
        """
        check_is_fitted(self, "log_policy_")
        check_sizes(world, self.n_states_, self.n_actions_)
        rng = np.random.default_rng(random_state)
        lengths = session_lengths(n_sessions, n_steps)
        sampled = sample_sessions(self._unchecked_chain, self.policy_, world, lengths, start, rng)
        labels = (self.coding_.state_labels, self.coding_.action_labels) if hasattr(self, "coding_") else (None, None)
        return replace(sampled, state_labels=labels[0], action_labels=labels[1])

    def _check_data(self, data: Trajectories) -> None:
        super()._check_data(data)
        if hasattr(self, "coding_"):  # a lifted copy has none
            self.coding_.check(data)

    def _chain(self, data: Trajectories) -> Chain:
        self._check_data(data)
        return self._unchecked_chain(data)

    def _unchecked_chain(self, data: Trajectories) -> Chain:
        return self._dynamics().chain(self.dynamics_parameters_, data)

    def permuted(self, order: npt.ArrayLike) -> Self:
        """A copy in which intention ``order[i]`` is called i."""
        check_is_fitted(self, "log_policy_")
        index = np.asarray(order, dtype=np.intp)
        if sorted(index.tolist()) != list(range(self.n_intentions)):
            raise InvalidParameter(
                parameter="order", value=order, remedy=f"name each of 0…{self.n_intentions - 1} exactly once"
            )
        other = copy(self)
        point = Point(self._dynamics().permute(self.dynamics_parameters_, index), self.log_policy_[index])
        other._set_parameters(
            point, Preference(self.reward_[index], self.q_[index], self.value_[index], point.log_policy)
        )
        other.share_ = self.share_[index]
        other.about_ = dict(self.about_)
        if "names" in self.about_:
            other.about_["names"] = [self.about_["names"][i] for i in index]
        return other

    def lifted(self, parent: npt.ArrayLike) -> Self:
        """The same intentions over finer states: state s of the copy behaves like state ``parent[s]`` of this model.

        With the back-off of :func:`hiql.evaluate.fit_coarse_to_fine`, a fit to short histories is where the fit to
        longer ones starts and what its policies are pulled towards.
        """
        check_is_fitted(self, "log_policy_")
        at = np.asarray(parent, dtype=np.intp)
        other = copy(self)
        preference = Preference(self.reward_[:, at], self.q_[:, at], self.value_[:, at], self.log_policy_[:, at])
        other._set_parameters(Point(self.dynamics_parameters_, preference.log_policy), preference)
        for name in (
            "log_likelihood_",
            "objective_",
            "trace_",
            "n_free_",
            "coding_",
        ):  # these were about the coarse data
            delattr(other, name)
        return other

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one file, whole or not at all; read it with :func:`hiql.load`."""
        from hiql.persistence import save_model

        check_is_fitted(self, "log_policy_")
        save_model(self, path)


def _n_threads(n_jobs: int | None) -> int:
    from joblib import effective_n_jobs

    return 1 if n_jobs is None else effective_n_jobs(n_jobs)
