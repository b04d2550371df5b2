"""The estimator behind all others: any reward solver with any dynamics."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hiql.choices.choice import Choice
from hiql.choices.table import TableChoice
from hiql.data.coding import Coding
from hiql.data.joined import joined
from hiql.data.sizes import check_trajectories
from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import IntentionDynamics
from hiql.dynamics.registry import make_dynamics
from hiql.engine.climb import Climb, climb
from hiql.engine.cluster import spread
from hiql.engine.how_many import TRIED
from hiql.engine.inference import expect
from hiql.engine.problem import Point, Problem, expect_here
from hiql.engine.search import Attempt, Restarts, with_learned_priors
from hiql.engine.watching import SECONDS_TO_ANSWER
from hiql.errors import InvalidNumberOfIntentions, InvalidParameter, ParametersNotCounted
from hiql.models.acting import Acting
from hiql.models.inferring import Inferring
from hiql.models.scoring import ScoredEstimator, told_impossible
from hiql.models.settings import checked_search
from hiql.models.uncertain import Uncertain
from hiql.models.views import SeenOtherwise
from hiql.parts.part import FloatArray
from hiql.progress import progress_bar
from hiql.rewards.preference import Reward
from hiql.worlds.mdp import MDP

CLIENT_UNUSED = "the data are too few to share out, so the client was not used"
HOW_COMPUTED = CLIENT_UNUSED, TRIED
"""What notes begin with that do not bear on what was found."""
FEW_STEPS = 0.5
"""An intention with fewer expected steps than this is reported as empty."""


class IntentionModel(Inferring, Acting, SeenOtherwise, Uncertain, ScoredEstimator):
    """K intentions, each with its own reward and policy, that take turns by some dynamics (paper, Algorithm 3).

    Parameters
    ----------
    n_intentions : K; or "auto", as many as evidence asks for (:mod:`hiql.engine.how_many`): K grows until evidence
        stands still, whatever ``estimate`` is wanted in the end. ``n_intentions_`` is K then, and ``notes_`` say how
    choice : how an intention acts (:mod:`hiql.choices`); by default the one that the reward was made to explain, or a
        table of probabilities for every state
    reward : what an intention wants (:mod:`hiql.rewards`), found once the choices are known; None finds no rewards
    solver : the name of ``reward`` in the first release
    dynamics : how intentions follow one another: a name of ``hiql.dynamics.registry.DYNAMICS`` or an object of
        :mod:`hiql.dynamics`; "markov", a first-order Markov chain, by default
    n_init : random starts, each followed for a few iterations; the best is taken further
    patience : how many disturbances of the best solution may fail in a row before the search ends; None means
        12·(K − 1). With 0, the search is over after the starts.
    max_iter : most passes over the data in one climb
    tol : a climb has converged when a step gains less than this, relative to the objective
    estimate : "mode": the most likely parameters; or "bayes": posteriors of Π, Λ, policies and weights, whose means are
        shown, and ``evidence_`` (``docs/theory/evidence.md``). Both parts must have one: tables, regressions without
        lapses, and chains do.
    sampled : draw the demonstrations of each intention by their posterior, as the paper does, instead of
        weighting them. EM is then noisy, so starts run to the end and nothing is disturbed.
    random_state : seed, a whole number; the same seed gives the same fit, whatever ``n_jobs``
    n_jobs : threads (None: 1, -1: all cores)
    progress : show a progress bar, on a terminal, when a fit takes more than two seconds

    Attributes
    ----------
    n_intentions_ : K
    initial_ : (K,) Π, how sessions begin
    transition_ : (K, K) Λ, how intentions follow one another
    policy_ : (K, S, A) π_i(a|s); ``log_policy_`` is its logarithm
    reward_ : (K, S, A) the recovered rewards, up to a gauge
    q_ : (K, S, A) action values
    value_ : (K, S) values of states
    log_likelihood_ : of the training data, in nats
    objective_ : what EM climbs: the log-likelihood and the log-priors; ``evidence_`` with ``estimate="bayes"``
    evidence_ : with ``estimate="bayes"`` only: a lower bound of log p(data), in nats, parameters averaged over. All
        else, ``log_likelihood_`` and scores too, is that of the posterior means.
    trace_ : its course
    n_iter_ : passes over the data of the best climb
    converged_ : whether it converged
    restarts_ : what the search tried
    n_free_ : free parameters that the data can tell, for BIC
    share_ : (K,) how much of the training data each intention explains; sorted by it unless their priors differ
    notes_ : anything the user should know about the fit, in sentences
    coding_ : what the codes of states and actions mean; ``coding_.recode(data)`` puts other data into these codes
    posterior_ : draws of all parameters, once ``sample_posterior`` or ``interval`` has made them
    about_ : how the fit was made, for those who find the file: plain values by name, empty unless someone fills it
    """

    def __init__(
        self,
        n_intentions: int | str = 2,
        *,
        choice: Choice | None = None,
        reward: Reward | None = None,
        solver: Reward | None = None,
        dynamics: str | IntentionDynamics | None = None,
        n_init: int = 4,
        patience: int | None = None,
        max_iter: int = 1000,
        tol: float = 1e-7,
        estimate: str = "mode",
        sampled: bool = False,
        random_state: int = 0,
        n_jobs: int | None = None,
        progress: bool = True,
    ) -> None:
        self.n_intentions = n_intentions
        self.choice = choice
        self.reward = reward
        self.solver = solver
        self.dynamics = dynamics
        self.n_init = n_init
        self.patience = patience
        self.max_iter = max_iter
        self.tol = tol
        self.estimate = estimate
        self.sampled = sampled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _reward(self) -> Reward | None:
        return self.solver if self.reward is None else self.reward

    def _choice(self) -> Choice:
        if self.choice is not None:
            return self.choice
        reward = self._reward()
        return TableChoice() if reward is None else reward.choice

    def _dynamics(self) -> IntentionDynamics:
        return make_dynamics(self.dynamics)

    def _problem(
        self, data: Trajectories, coding: Coding | None = None, n_intentions: int | None = None, **options: Any
    ) -> Problem:
        """Data and parts, where sessions that are smoothed as one are one session; of a fitted model by default."""
        dynamics, choice = self._parts(coding)
        k = self.n_intentions_ if n_intentions is None else n_intentions
        return Problem(joined(data, dynamics.units(data)), dynamics, choice, k, **options)

    def _parts(self, coding: Coding | None = None) -> tuple[IntentionDynamics, Choice]:
        """Both parts, knowing the names that they are, or were, fitted to."""
        known = getattr(self, "coding_", None) if coding is None else coding
        dynamics, choice = self._dynamics(), self._choice()
        return (dynamics, choice) if known is None else (dynamics.knowing(known), choice.knowing(known))

    @property
    def world_(self) -> MDP | None:
        """The world that the rewards are about, where it is known: figures draw its map and use its names."""
        reward = self._reward()
        return self._choice().world if reward is None else reward.world

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

        With ``client``, a ``distributed.Client``, the E-step runs on its Dask workers (:mod:`hiql.engine.cluster`): the
        answer is the same. It pays for very large data only: below 400,000 steps, or eight for each pair of state and
        action if that is more, all is done here. A cluster without a worker for ``timeout`` seconds is an error; one
        that goes away in the middle of the fit is not: the fit goes on here.
        """
        check_trajectories(data)
        k = self._first_number(init)
        search = checked_search(self, data, k)
        sampling = np.random.default_rng([self.random_state, 1]) if self.sampled else None
        coding = Coding.of(data)
        coding = coding.reading_as(getattr(init, "coding_", coding))
        problem = self._problem(data, coding, k, n_threads=search.n_jobs, sampling=sampling)
        self._check_parts(problem)
        problem = self._estimating(problem, self.estimate)
        if client is not None:
            problem = spread(problem, client, timeout)
        notes: tuple[str, ...] = ()
        if init is None:
            with progress_bar(f"Fitting {self.n_intentions} intentions", enabled=self.progress) as update:
                problem, best, restarts, notes = self._optimum(problem, update)
        else:
            best = climb(problem, self._start_of(init, problem), search.max_iter, search.tol)
            restarts = Restarts((Attempt("init", best.objective, best.n_passes),))
            best = with_learned_priors(problem, best, search)
        self.coding_ = coding
        self._keep_estimate(problem, best, restarts, sort=init is None)
        self.notes_ += notes
        if init is not None and init._log_likelihood(data) == -np.inf:
            self.notes_ += (told_impossible(init, data, "init, where the fit started"),)
        if client is not None and problem.e_step is expect_here:
            self.notes_ += (CLIENT_UNUSED,)
        self.about_: dict[str, Any] = {}
        self._trained_on = data
        return self

    def _check_parts(self, problem: Problem) -> None:
        """Raise a named error if the parts cannot work on these data, or not with one another."""
        for part in problem.parts:
            part.check(problem.data, problem.n_intentions)
        if (reward := self._reward()) is None:
            return
        reward.check(problem.data)
        if not problem.choice.by_table:
            remedy = "rewards explain tables of policies only; fit hiql.IntentionModel(K, choice=…) without one"
            raise InvalidParameter(parameter="choice", value=type(problem.choice).__name__, remedy=remedy)

    def _start_of(self, init: IntentionModel, problem: Problem) -> Point:
        """The parameters of another fitted model, if they are those of a model like this."""
        init._check_data(problem.data)
        if init.n_intentions_ != problem.n_intentions:
            raise InvalidNumberOfIntentions(
                n_intentions=self.n_intentions, remedy=f"init has {init.n_intentions_}; choose the same number"
            )
        for part, params in zip(problem.parts, init._point, strict=True):
            part.check_params(params, problem.data, problem.n_intentions)
        return init._point

    def _estimating(self, problem: Problem, estimate: str) -> Problem:
        """The problem with this estimate; a named error if the parts cannot be fitted so."""
        wanted = problem.estimating(estimate)
        if wanted.is_posterior and self.sampled:
            remedy = 'posteriors weight demonstrations: leave sampled=False, or choose estimate="mode"'
            raise InvalidParameter(parameter="sampled", value=self.sampled, remedy=remedy)
        return wanted

    def _keep_estimate(self, problem: Problem, best: Climb, restarts: Restarts, *, sort: bool) -> None:
        """Of a mode itself; of posteriors their means, and the evidence."""
        self.__dict__.pop("evidence_", None)
        if not problem.is_posterior:
            return self._keep(problem, best, restarts, sort=sort)
        means, evidence = problem.averaged(best.point)
        self._keep(problem.estimating("mode"), replace(best, ended_at=lambda: means), restarts, sort=sort)
        self.objective_ = self.evidence_ = evidence
        return None

    def _keep(self, problem: Problem, best: Climb, restarts: Restarts, *, sort: bool) -> None:
        """Turn the best point into fitted attributes; the rewards are solved here, once."""
        point, data = best.point, problem.data
        expectation = problem.expect(point)
        if sort and (other := problem.sorted(point, problem.choice.use(expectation.choice))) is not point:
            point, expectation = other, problem.expect(other)
        explanation: tuple[FloatArray, ...] = ()
        if (reward := self._reward()) is not None:
            evidence = problem.evidence(point, expectation)
            shown = problem.choice.summary(point.choice)["log_policy"]
            explanation, explained = (found := reward.explain(evidence, shown))[:3], found[3]
            moved = problem.choice.explained(point.choice, explained)
            if moved is not point.choice:  # by learning
                point = point._replace(choice=moved)
                expectation = problem.expect(point)
        use = problem.choice.use(expectation.choice)
        self._set_parameters(point)
        for name, array in zip(("reward_", "q_", "value_"), explanation, strict=False):  # before what it planned for
            setattr(self, name, array)
        self.n_states_, self.n_actions_ = data.n_states, data.n_actions
        self.n_free_ = problem.dynamics.n_free(expectation.chain) + problem.choice.n_free(data, problem.n_intentions)
        self.log_likelihood_ = expectation.log_likelihood
        self.objective_ = problem.objective(point, expectation)
        self.trace_ = np.array(best.trace)
        self.n_iter_ = best.n_passes
        self.converged_ = best.converged
        self.restarts_ = restarts
        self.share_ = use / use.sum()
        self.notes_ = self._notes(use, best, data)
        told = problem.choice.notes(point.choice, data) + problem.dynamics.notes(point.dynamics, data)
        self.notes_ += tuple(dict.fromkeys(told))
        if self.log_likelihood_ == -np.inf:
            self.notes_ += (told_impossible(self, data, "the fitted model"),)

    def _set_parameters(self, point: Point) -> None:
        """What the parts know, and what they show of it."""
        self.dynamics_parameters_, self.choice_parameters_ = point
        self.__dict__.pop("posterior_", None)  # it belonged to others
        dynamics, choice = self._parts()
        shown = dynamics.summary(point.dynamics) | choice.summary(point.choice)
        for name, value in shown.items():
            setattr(self, f"{name}_", value)

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
        reward = self._reward()
        return tuple(notes) + (() if reward is None else reward.notes(data))

    def bic(self, data: Trajectories) -> float:
        """Bayesian information criterion −2 log L + n_free log N; lower is better.

        Where rows are pooled it is an error: a prior that is learned ties them, and how many are free is unknown.
        """
        if any(part.pooled for part in self._parts()):
            raise ParametersNotCounted(criterion="BIC")
        return super().bic(data)

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        """One line: how to make it again and, once fitted, what it found."""
        made = " ".join(super().__repr__(N_CHAR_MAX=N_CHAR_MAX).split())
        if not hasattr(self, "log_likelihood_"):
            return made
        shares = ", ".join(f"{name} {share:.0%}" for name, share in zip(self.names_, self.share_, strict=True))
        return f"<{made} fitted: {shares}; log-likelihood {self.log_likelihood_:.1f} nats>"

    @property
    def doubts(self) -> tuple[str, ...]:
        """The notes that bear on what was found, not on how it was computed."""
        return tuple(note for note in getattr(self, "notes_", ()) if not note.startswith(HOW_COMPUTED))

    # --- what its other halves ask ------------------------------------------------------------------------------

    @property
    def _point(self) -> Point:
        return Point(self.dynamics_parameters_, self.choice_parameters_)

    def _log_likelihood(self, data: Trajectories) -> float:
        return expect(self._read(data)).log_likelihood

    @property
    def _sizes(self) -> tuple[int, int]:
        return self.n_states_, self.n_actions_

    def _check_data(self, data: Trajectories) -> None:
        super()._check_data(data)
        if hasattr(self, "coding_"):  # a lifted copy has none
            self.coding_.check(data)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model to one file, whole or not at all; read it with :func:`hiql.load`."""
        from hiql.models.persistence import save_model

        check_is_fitted(self)
        save_model(self, path)
