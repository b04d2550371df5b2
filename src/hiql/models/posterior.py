"""Draws from the posterior of a fitted model: intervals for whatever it shows, and how much the draws are worth."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.engine.mixing import Mixing, mixing
from hiql.engine.problem import Point
from hiql.engine.sampling import stacked, unstacked
from hiql.errors import InvalidParameter
from hiql.models.derived import DERIVED
from hiql.parts.part import FloatArray

OWN = ("share_", "log_likelihood_")
PREFERENCE = ("reward_", "q_", "value_")
TOLD = ("share_", "durations", "initial_", "transition_")
"""What the summary tells of, unless it is asked for more."""
MOST_R_HAT, FEWEST_WORTH = 1.05, 100.0
"""Beyond these the chains are said not to have mixed."""
Name = str | Callable[[Any], npt.ArrayLike]


@dataclass(frozen=True, eq=False)
class Posterior:
    """D draws of a model's parameters, ``n_chains`` chains one after another, in the order and names of the fit.

    Attributes
    ----------
    point : the parameters of both parts, their arrays with the draws along their first axis
    share : (D, K) how much of the data each intention explains
    log_likelihood : (D,) of the data
    preference : rewards, action values and values of states of each draw, if the model has a reward; found when asked
        for, or when the model is saved
    moved : (2,) how many of the numbers of dynamics and choice a sweep has changed; of regressions, what was accepted
    """

    model: Any
    point: Point
    share: FloatArray
    log_likelihood: FloatArray
    n_chains: int
    moved: FloatArray
    compute_preference: Callable[[], tuple[FloatArray, ...]]

    @cached_property
    def preference(self) -> tuple[FloatArray, ...]:
        return self.compute_preference()

    def __getstate__(self) -> dict[str, Any]:
        """What leaves this process takes its rewards along, not the data they are found with."""
        return vars(self) | {"compute_preference": partial(known, self.preference)}

    def __len__(self) -> int:
        return len(self.share)

    def models(self) -> Iterator[Any]:
        """The model as each draw has it: it can be asked what a fit can be asked, but has no rewards."""
        for n in range(len(self)):
            model = copy(self.model)
            for name in PREFERENCE:
                vars(model).pop(name, None)
            model._set_parameters(unstacked(self.point, n))
            model.share_, model.log_likelihood_ = self.share[n], float(self.log_likelihood[n])
            yield model

    @property
    def names(self) -> tuple[str, ...]:
        """What there are draws of, by name."""
        first = next(self.models())
        shown: dict[str, Any] = {}
        for part, params in zip(first._parts(), first._point, strict=True):
            shown |= {name: each for name, each in part.summary(params).items() if each.dtype.kind == "f"}
        derived = [name for name, (applies, _) in DERIVED.items() if applies(first)]
        wants = PREFERENCE if self.model._reward() is not None else ()
        return (*(f"{name}_" for name in shown), *wants, *OWN, *derived)

    def draws(self, name: Name) -> FloatArray:
        """(D, …) a fitted attribute, a derived quantity (:attr:`names`), or any function of a fitted model."""
        if callable(name):
            return np.stack([np.asarray(name(model), dtype=np.float64) for model in self.models()])
        if name not in self.names:
            raise InvalidParameter(parameter="name", value=name, remedy=f"choose from {', '.join(self.names)}")
        if name in PREFERENCE:
            return self.preference[PREFERENCE.index(name)]
        if name in DERIVED:
            return self.draws(DERIVED[name][1])
        found = [np.asarray(getattr(model, name)) for model in self.models()]
        if len({each.shape for each in found}) > 1:
            remedy = "its shape differs between draws: give a function of a fitted model that says what of it is meant"
            raise InvalidParameter(parameter="name", value=name, remedy=remedy)
        return np.stack(found)

    def interval(self, name: Name, level: float = 0.95) -> FloatArray:
        """(2, …) lower and upper bounds that leave (1 − level)/2 of the draws on either side: each is one of the draws.

        An interval is about each number by itself, given the data, the model and its priors.
        """
        if not (isinstance(level, int | float) and 0.0 < level < 1.0):
            raise InvalidParameter(parameter="level", value=level, remedy="choose a number between 0 and 1")
        return quantiles(self.draws(name), level)

    def mixing(self, name: Name) -> Mixing:
        """R̂ and the number of independent draws that the draws are worth, in the shape of the quantity."""
        return mixing(self.draws(name), self.n_chains)

    def summary(self, names: tuple[str, ...] = TOLD, level: float = 0.95) -> pd.DataFrame:
        """A row for each number: the fit, mean and bounds of the draws, their ``worth`` and ``r_hat``."""
        rows = []
        for name in names:
            draws = self.draws(name)
            fit = np.asarray(DERIVED[name][1](self.model) if name in DERIVED else getattr(self.model, name))
            (low, high), (r_hat, worth) = quantiles(draws, level), mixing(draws, self.n_chains)
            with np.errstate(invalid="ignore"):
                mean = draws.mean(axis=0)
            for at in np.ndindex(fit.shape):
                told = fit[at], mean[at], low[at], high[at], worth[at], r_hat[at]
                rows.append((name, ", ".join(map(str, at)), *(float(number) for number in told)))
        columns = ["name", "index", "fit", "mean", "low", "high", "worth", "r_hat"]
        return pd.DataFrame(rows, columns=columns).set_index(["name", "index"])

    @property
    def notes(self) -> tuple[str, ...]:
        """What one has to know of the draws, in sentences."""
        return (self.told, *self.doubts)

    @property
    def told(self) -> str:
        """For example "1000 draws of 4 chains, worth 310 independent ones where they tell least (share_); …"."""
        r_hat, worth, name = self._worst
        return (
            f"{len(self)} draws of {self.n_chains} chains, worth {worth:.0f} independent ones where they tell least "
            f"({name}); R̂ is {r_hat:.3f} at most (1: the chains agree)"
        )

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why intervals should not be relied on, if they should not."""
        r_hat, worth, name = self._worst
        remedy = "draw more, farther apart (sample_posterior(data, n_draws=…, thin=…)), or fit fewer intentions"
        if r_hat > MOST_R_HAT:
            return (f"the chains have not mixed (R̂ = {r_hat:.2f} of {name}): they tell different stories; {remedy}",)
        if worth < FEWEST_WORTH:
            return (f"the draws hang together: they are worth {worth:.0f} independent ones ({name}); {remedy}",)
        return ()

    @property
    def _worst(self) -> tuple[float, float, str]:
        """The largest R̂, the smallest worth, and the name of what decides."""
        found = {name: self.mixing(name) for name in ("share_", "initial_", "transition_", "log_likelihood_")}
        r_hat = {name: float(each.r_hat.max()) for name, each in found.items()}
        worth = {name: float(each.worth.min()) for name, each in found.items()}
        decides = max(r_hat, key=r_hat.__getitem__)
        if r_hat[decides] <= MOST_R_HAT:
            decides = min(worth, key=worth.__getitem__)
        return max(r_hat.values()), min(worth.values()), decides

    def permuted(self, model: Any, order: npt.NDArray[np.intp]) -> Posterior:
        """The draws of ``model``, which calls intention ``order[i]`` i."""
        points = [unstacked(self.point, n) for n in range(len(self))]
        parts = model._parts()
        moved = [Point(*(part.permute(p, order) for part, p in zip(parts, point, strict=True))) for point in points]

        def preference() -> tuple[FloatArray, ...]:
            return tuple(array[:, order] for array in self.preference)

        share = self.share[:, order]
        return replace(self, model=model, point=stacked(moved), share=share, compute_preference=preference)


def known(preference: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
    """A way to compute what is known."""
    return preference


def quantiles(draws: FloatArray, level: float) -> FloatArray:
    """(2, …) of draws (D, …)."""
    bounds = (1.0 - level) / 2.0, (1.0 + level) / 2.0
    return np.asarray(np.quantile(draws, bounds, axis=0, method="inverted_cdf"))
