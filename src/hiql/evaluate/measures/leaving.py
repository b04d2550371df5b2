"""Where intentions are left: of clocks with a matrix for each context."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.codes import label_text
from hiql.dynamics.contexts import context_named
from hiql.errors import InvalidParameter
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
ENOUGH = 10.0
"""Expected steps of an intention in a context from which its probability of leaving there is shown."""


class Leaving(NamedTuple):
    """1 − Λ_c[i, i] of M contexts c and K intentions i.

    Attributes
    ----------
    context : what the contexts are: "state left", "last outcome", …
    labels : M names of contexts
    of_states : whether contexts are states, so that they can be drawn on the map of a world
    probability : (M, K) of the next intention being another one
    steps : (M, K) how often each intention was met there in the data of the fit, to be left or kept
    average : (K,) of leaving anywhere
    """

    context: str
    labels: tuple[str, ...]
    of_states: bool
    probability: FloatArray
    steps: FloatArray
    average: FloatArray

    @property
    def known(self) -> BoolArray:
        """(M, K) where an intention was often enough for its probability to be more than the prior's."""
        return np.asarray(self.steps >= ENOUGH)

    @property
    def departures(self) -> FloatArray:
        """(M, K) the expected number of departures."""
        return self.steps * self.probability

    @property
    def highest(self) -> float:
        """The highest probability that is known: the end of a scale that all intentions share."""
        return float(self.probability[self.known].max(initial=0.0)) or 1.0


def has_leaving(model: IntentionModel) -> bool:
    """Whether the model's clock has a matrix for each context, and more than one intention to go to."""
    return hasattr(model, "steps_by_context_") and model.n_intentions_ > 1


def leaving(model: IntentionModel) -> Leaving:
    """Where each intention of a fitted model is left, by the contexts of its clock."""
    if not hasattr(model, "steps_by_context_"):
        raise InvalidParameter(parameter="dynamics", value=model.dynamics, remedy='fit with dynamics="by-state"')
    clock: Any = model._parts()[0]
    context = context_named(clock.context)
    return Leaving(
        clock.context,
        tuple(label_text(label) for label in context.labels(model.coding_)),
        context.of_states,
        1.0 - np.einsum("mkk->mk", model.transition_by_context_)[:-1],
        np.asarray(model.steps_by_context_)[:-1],
        1.0 - np.diag(model.transition_),
    )
