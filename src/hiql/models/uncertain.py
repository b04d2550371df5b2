"""How sure a fitted model is: draws from its posterior and intervals, for any model whose parts can be drawn."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hiql.choices.choice import Evidence
from hiql.data.trajectories import Trajectories
from hiql.engine.problem import Problem
from hiql.engine.sampling import Draws, Sampling, sample_posterior, unstacked
from hiql.errors import ChainsNotMixed, InvalidParameter, NoDraws
from hiql.models.posterior import Name, Posterior
from hiql.models.settings import is_whole, n_threads
from hiql.parts.part import FloatArray
from hiql.progress import progress_bar

TRAINED_ON = "_trained_on"
"""The attribute of a fitted model that holds the data it was fitted to."""
MOST_DOUBLINGS = 5


class Uncertain:
    """What a fitted model can say of how sure it is: a mixin."""

    random_state: int
    estimate: str
    progress: bool
    n_jobs: int | None
    posterior_: Posterior
    _problem: Any
    _point: Any
    _reward: Any
    _check_data: Any

    def sample_posterior(
        self,
        data: Trajectories,
        *,
        n_draws: int = 1000,
        n_chains: int = 4,
        warm_up: int = 250,
        thin: int | None = None,
        random_state: int | None = None,
    ) -> Posterior:
        """Draw parameters from their posterior given the data, from the fit on, and keep the draws with the model.

        Gibbs sampling (``docs/theory/intervals.md``): paths of whole sessions given the parameters, parameters given
        the paths, in ``n_chains`` chains. Of each the first ``warm_up`` sweeps are thrown away; every ``thin``-th of
        the others is kept until there are ``n_draws`` in all. By default ``thin`` is 1; while the draws hang together
        too much, all sweeps so far become warm-up, and as many follow, up to five times. A warning says if they still
        do. The same ``random_state`` (the model's own by default) gives the same draws, whatever ``n_jobs``.
        """
        check_is_fitted(self)
        self._check_data(data)
        plan = planned(n_draws, n_chains, warm_up, thin)
        seed = self.random_state if random_state is None else random_state
        problem = self._problem(data, n_threads=n_threads(self.n_jobs)).estimating(self.estimate)

        def is_enough(draws: Draws) -> bool:
            return not self._posterior_of(problem, draws, plan.n_chains).doubts

        with progress_bar("Drawing from the posterior", enabled=self.progress) as update:
            draws = sample_posterior(problem, self._point, plan, seed, is_enough, update)
        self.posterior_ = self._posterior_of(problem, draws, plan.n_chains)
        for doubt in self.posterior_.doubts:
            warnings.warn(doubt, ChainsNotMixed, stacklevel=2)
        return self.posterior_

    def interval(self, name: Name, level: float = 0.95) -> FloatArray:
        """(2, …) lower and upper bounds of a fitted attribute, a derived quantity or a function of a fitted model.

        For example ``interval("transition_", 0.95)``; ``posterior_.names`` has all names. Without draws, these are made
        first (:meth:`sample_posterior`) from the data of the fit. A loaded model has the draws that it was saved with.
        """
        return self._drawn(name).interval(name, level)

    def draws(self, name: Name) -> FloatArray:
        """(D, …) draws of the same, in the order and names of the fit."""
        return self._drawn(name).draws(name)

    def _drawn(self, name: Name) -> Posterior:
        check_is_fitted(self)
        if hasattr(self, "posterior_"):
            return self.posterior_
        if (data := vars(self).get(TRAINED_ON)) is None:
            raise NoDraws(name=name if isinstance(name, str) else "this model")
        return self.sample_posterior(data)

    def _posterior_of(self, problem: Problem, draws: Draws, n_chains: int) -> Posterior:
        model, fit = copy(self), self._point
        vars(model).pop("posterior_", None)

        def preference() -> tuple[FloatArray, ...]:
            if (reward := self._reward()) is None:
                return ()
            points = (unstacked(draws.point, n) for n in range(len(draws.share)))
            policies = np.stack([problem.choice.summary(point.choice)["log_policy"] for point in points], axis=1)
            evidence: Evidence = problem.evidence(fit, problem.expect(fit))
            found = reward.explain(evidence, policies)
            return tuple(np.ascontiguousarray(array.swapaxes(0, 1)) for array in found[:3])

        return Posterior(model, draws.point, draws.share, draws.log_likelihood, n_chains, draws.moved, preference)

    def __getstate__(self) -> Any:
        """A copy, and what leaves this process, does not take the data of the fit along."""
        state: Any = super().__getstate__()
        return {name: value for name, value in state.items() if name != TRAINED_ON}


def planned(n_draws: int, n_chains: int, warm_up: int, thin: int | None) -> Sampling:
    """The plan, checked: as many draws of each chain as make ``n_draws`` or a few more."""
    lowest = {"n_draws": (n_draws, 4 * max(n_chains, 1) if is_whole(n_chains, 1) else 4), "n_chains": (n_chains, 1)}
    for name, (value, low) in (lowest | {"warm_up": (warm_up, 0), "thin": (1 if thin is None else thin, 1)}).items():
        if not is_whole(value, low):
            raise InvalidParameter(parameter=name, value=value, remedy=f"choose a whole number ≥ {low}")
    n_kept = -(-n_draws // n_chains)
    return Sampling(n_chains, warm_up, n_kept, 1, MOST_DOUBLINGS) if thin is None else (
        Sampling(n_chains, warm_up, n_kept, thin, 0)
    )  # fmt: skip
