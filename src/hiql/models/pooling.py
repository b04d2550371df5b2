"""Models whose rows are pooled: what belongs to one animal or one place, asked for by name."""

from __future__ import annotations

from collections.abc import Hashable
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hiql.choices.animals import AnimalTables
from hiql.choices.choice import Choice
from hiql.choices.days import DayTables
from hiql.choices.pooled import PooledTable
from hiql.data.coding import Coding
from hiql.data.days import day_codes
from hiql.data.trajectories import Trajectories
from hiql.dynamics.by_state import SUBJECT, ByState
from hiql.dynamics.chain import IntentionDynamics
from hiql.engine.climb import climb
from hiql.engine.problem import Point
from hiql.errors import InvalidParameter
from hiql.models.intention_model import IntentionModel
from hiql.parts.part import FloatArray

PRIORS = ("flat", "pooled")
SUBJECTS, DAYS = "subjects", "days"
POOLS = (None, SUBJECTS, DAYS)


class Drift(NamedTuple):
    """How one subject's policies change: ``days`` (D,) and ``policy`` (D, K, S, A)."""

    days: FloatArray
    policy: FloatArray


class WithSubjects(IntentionModel):
    """``pool="subjects"``: subjects share and differ, and each may have a chain of its own, asked for by name."""

    pool: str | None = None

    def _dynamics(self) -> IntentionDynamics:
        of_its_own = self.dynamics is None and self.pool in (SUBJECTS, DAYS)
        return ByState(context=SUBJECT) if of_its_own else super()._dynamics()

    def transition_of(self, subject: object) -> FloatArray:
        """(K, K) how a subject's intentions follow one another; the population's for one never met."""
        check_is_fitted(self)
        of_its_own = self.pool in (SUBJECTS, DAYS) and self.dynamics is None
        return np.asarray(self.transition_by_context_[self._code(subject)] if of_its_own else self.transition_)

    def adapt(self, data: Trajectories) -> Self:
        """A copy for the subjects of these data: each gets rows or weights of its own, around this model's population.

        The population, its strengths, lapses, the rewards and what the intentions are called stay as they are: only
        what the new subjects do is learned. Subjects of the first fit are not part of the copy.
        """
        check_is_fitted(self)
        if self.pool != SUBJECTS or self.dynamics is not None:
            remedy = 'fit the model with pool="subjects" and dynamics=None first'
            raise InvalidParameter(parameter="pool, dynamics", value=(self.pool, self.dynamics), remedy=remedy)
        self._check_data(data)
        other, theirs = copy(self), Coding.of(data)
        coding = replace(self.coding_, subjects=theirs.subjects, days=theirs.days)
        problem = other._problem(data, coding)
        pairs = zip(problem.parts, self._point, strict=True)
        start = Point(*(part.for_others(params, data) for part, params in pairs))  # type: ignore[attr-defined]
        found = climb(problem, start, self.max_iter, self.tol)
        other.coding_ = coding
        other._set_parameters(found.point)
        other.log_likelihood_ = problem.expect(found.point).log_likelihood
        other.objective_, other.trace_ = found.objective, np.array(found.trace)
        other.n_iter_, other.converged_ = found.n_passes, found.converged
        other.__dict__.pop("evidence_", None)  # of the data of the first fit
        return other

    def _code(self, subject: object) -> int:
        names = self.coding_.subjects
        return names.index(str(subject)) if str(subject) in names else len(names)

    def transition_at(self, context: Hashable) -> FloatArray:
        """(K, K) how intentions follow one another in a context of ``dynamics="by-state"``, by its label or code."""
        check_is_fitted(self)
        if not hasattr(self, "transition_by_context_"):
            remedy = 'fit the model with dynamics="by-state"'
            raise InvalidParameter(parameter="dynamics", value=self.dynamics, remedy=remedy)
        dynamics: Any = self._parts()[0]
        return np.asarray(self.transition_by_context_[dynamics.code_of(context)])


class PooledModel(WithSubjects):
    """``prior="pooled"``: policies of long histories around those of shorter ones (:class:`hiql.choices.PooledTable`).

    ``pool="subjects"``: each subject has policies, a chain and beginnings of its own, around the population's
    (:class:`hiql.choices.AnimalTables`); ``policy_``, ``transition_`` and ``initial_`` are then the population's.

    ``pool="days"``: beside that, each subject's policies may change from day to day (:class:`hiql.choices.DayTables`);
    ``policy_`` is then the average over subjects and days.
    """

    prior: str = "flat"
    pseudo_count: Any = 0.1

    def _choice(self) -> Choice:
        for name, known in (("prior", PRIORS), ("pool", POOLS)):
            if getattr(self, name) not in known:
                remedy = f"choose from {', '.join(map(repr, known))}"
                raise InvalidParameter(parameter=name, value=getattr(self, name), remedy=remedy)
        plain = super()._choice()
        if self.prior == "flat" and self.pool is None:
            return plain
        if self.choice is not None or not plain.exact:
            remedy = 'leave choice=None and method="expected", or choose prior="flat" and pool=None'
            raise InvalidParameter(parameter="prior, pool", value=(self.prior, self.pool), remedy=remedy)
        if self.pool is None:
            return PooledTable(self.pseudo_count)
        kind = DayTables if self.pool == DAYS else AnimalTables
        return kind(self.pseudo_count, by_history=self.prior == "pooled")

    # --- by name -------------------------------------------------------------------------------------------------

    def policy_of(self, subject: object, day: float | None = None) -> FloatArray:
        """(K, S, A) the policies of a subject; the population's for one that the model has never met.

        With ``pool="days"`` those on a ``day``, or on its last; a day without data is as the one before it.
        """
        check_is_fitted(self)
        if self.pool is None:
            return np.asarray(self.policy_)
        if self.pool == DAYS:
            asked = np.array([np.nan if day is None else day], dtype=np.float64)
            code = day_codes(np.array([self._code(subject)]), asked, self.coding_.days)[0]
            return np.concatenate([self.policy_by_day_, self.policy_at_first_[:, None]], axis=1)[:, code]
        return np.concatenate([self.policy_by_subject_, self.policy_[:, None]], axis=1)[:, self._code(subject)]

    def drift_of(self, subject: object) -> Drift:
        """The days of a subject, and its policies on each; with ``pool="days"``."""
        check_is_fitted(self)
        if self.pool != DAYS or str(subject) not in self.coding_.subjects:
            known = ", ".join(self.coding_.subjects[:8])
            remedy = f'fit the model with pool="days", and name one of its subjects: {known}'
            raise InvalidParameter(parameter="subject", value=subject, remedy=remedy)
        days = self.coding_.days[self._code(subject)]
        return Drift(np.array(days), np.array([self.policy_of(subject, day) for day in days]))
