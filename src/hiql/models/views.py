"""The same fit, seen otherwise: intentions in another order, or over finer states."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from hiql.engine.problem import Point
from hiql.errors import InvalidParameter
from hiql.models.numbers import OfSomeNumber

PER_INTENTION = ("reward_", "q_", "value_", "share_")
"""Fitted attributes beside those that the parts show, with intentions along their first axis."""


class SeenOtherwise(OfSomeNumber):
    """What fitted models can be turned into without another fit: a mixin."""

    _parts: Any
    _set_parameters: Any
    dynamics_parameters_: Any
    choice_parameters_: Any
    reward_: Any
    q_: Any
    value_: Any
    n_states_: int
    about_: dict[str, Any]
    posterior_: Any
    _trained_on: Any

    @property
    def names_(self) -> tuple[str, ...]:
        """K names of the intentions: those given by :meth:`named` or found by ``hiql fit``, else "intention 1", …"""
        check_is_fitted(self)
        numbered = (f"intention {i + 1}" for i in range(self.n_intentions_))
        return tuple(self.about_.get("names") or numbered)

    def named(self, names: Sequence[str]) -> Self:
        """A copy whose intentions have these names, in figures, reports, decoded tables and its file."""
        check_is_fitted(self)
        given = list(names)
        sound = all(isinstance(name, str) and name for name in given) and len(set(given)) == len(given)
        if not sound or len(given) != self.n_intentions_:
            remedy = f"give {self.n_intentions_} different names"
            raise InvalidParameter(parameter="names", value=names, remedy=remedy)
        other = copy(self)
        other.about_ = self.about_ | {"names": given}
        return other

    def permuted(self, order: npt.ArrayLike) -> Self:
        """A copy in which intention ``order[i]`` is called i."""
        check_is_fitted(self)
        index = np.asarray(order, dtype=np.intp)
        if sorted(index.tolist()) != list(range(self.n_intentions_)):
            raise InvalidParameter(
                parameter="order", value=order, remedy=f"name each of 0…{self.n_intentions_ - 1} exactly once"
            )
        other = copy(self)
        params = self.dynamics_parameters_, self.choice_parameters_
        moved = (part.permute(own, index) for part, own in zip(self._parts(), params, strict=True))
        other._set_parameters(Point(*moved))
        for name in PER_INTENTION:
            if hasattr(self, name):
                setattr(other, name, getattr(self, name)[index])
        if hasattr(self, "posterior_"):
            other.posterior_ = self.posterior_.permuted(copy(other), index)
        other._trained_on = vars(self).get("_trained_on")
        other.about_ = dict(self.about_)
        if "names" in self.about_:
            other.about_["names"] = [self.about_["names"][i] for i in index]
        return other

    def lifted(self, parent: npt.ArrayLike) -> Self:
        """The same intentions over finer states: state s of the copy behaves like state ``parent[s]`` of this model.

        So a fit to short histories can be where a fit to longer ones starts. Tables of policies can be seen so, plans
        and regressions cannot.
        """
        check_is_fitted(self)
        at = np.asarray(parent, dtype=np.intp)
        other = copy(self)
        finer = self._parts()[1].lifted(self.choice_parameters_, at)
        other._set_parameters(Point(self.dynamics_parameters_, finer))
        for name in ("reward_", "q_", "value_"):
            if hasattr(self, name):
                setattr(other, name, getattr(self, name)[:, at])
        other.n_states_ = len(at)
        for name in ("log_likelihood_", "objective_", "trace_", "n_free_", "coding_"):  # of the coarse data
            delattr(other, name)
        vars(other).pop("evidence_", None)
        return other
