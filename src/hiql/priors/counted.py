"""What parts whose M-step counts have in common: the same counts and pseudo-counts give a mode or a posterior."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Self

from hiql.parts.part import NothingToLearn
from hiql.priors.estimates import BAYES, check_estimate


class ModeOrPosterior(NothingToLearn):
    """A mixin for dataclasses with a field ``estimate`` (:mod:`hiql.priors.estimates`).

    ``counts_as`` is the class whose M-step is nothing but counting. A subclass with one of its own has no posterior,
    unless it says otherwise.
    """

    counts_as: ClassVar[Any]
    estimate: str

    @property
    def is_posterior(self) -> bool:
        return self.estimate == BAYES

    def estimating(self, estimate: str) -> Self:
        check_estimate(estimate)
        if estimate == self.estimate:
            return self
        own: Any = type(self)
        counting = all(getattr(own, name) is getattr(self.counts_as, name) for name in ("update", "conjugate"))
        return replace(self, estimate=estimate) if counting else super().estimating(estimate)  # type: ignore[type-var]
