"""How many intentions a model has: as it was told, or as evidence asks for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hiql.engine.climb import Climb
from hiql.engine.how_many import AUTO, fewest, find_number, told
from hiql.engine.problem import Problem
from hiql.engine.search import Restarts, find_optimum
from hiql.models.settings import checked_search
from hiql.parts.part import FloatArray
from hiql.priors.estimates import BAYES

Watch = Callable[[int, int], None]


class OfSomeNumber:
    """A model with ``n_intentions`` K, or ``n_intentions="auto"``: a mixin."""

    n_intentions: int | str
    random_state: int
    share_: FloatArray
    _estimating: Any

    @property
    def n_intentions_(self) -> int:
        """K, as it was given or found."""
        return len(self.share_) if self.n_intentions == AUTO else self.n_intentions  # type: ignore[return-value]

    def _first_number(self, init: Any) -> Any:
        """K; where it is to be found, that of ``init``, or the first that is tried."""
        if self.n_intentions != AUTO:
            return self.n_intentions
        return 1 if init is None else init.n_intentions_

    def _optimum(self, problem: Problem, update: Watch) -> tuple[Problem, Climb, Restarts, tuple[str, ...]]:
        """The best that was found, of which problem, and what to tell of it."""
        if self.n_intentions != AUTO:
            return problem, *self._searched(problem, update), ()
        self._estimating(problem, BAYES)
        tried = find_number(problem, lambda k: self._search(problem, k), self.random_state, update)
        found, best, restarts, _ = fewest(tried)
        if not problem.is_posterior:
            found = replace(problem, n_intentions=found.n_intentions)
            best, restarts = self._searched(found, update)
        return found, best, restarts, (told(tried),)

    def _searched(self, problem: Problem, update: Watch) -> tuple[Climb, Restarts]:
        return find_optimum(problem, self._search(problem, problem.n_intentions), self.random_state, update)

    def _search(self, problem: Problem, k: int) -> Any:
        return checked_search(self, problem.data, k)  # type: ignore[arg-type]
