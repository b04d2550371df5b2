"""A fitted model in a running experiment: what the animal wants now, and what it will do next."""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from hiql.data.coding import Coding
from hiql.errors import InvalidParameter
from hiql.models.asked_steps import Animal, Moment
from hiql.models.moments import Code, Contexts, Inputs, Moments, Outcome
from hiql.models.tabled_steps import steps_of
from hiql.parts.part import FloatArray


class Live:
    """What is known of an animal's intention after each step: equal to ``filter_proba``, one step at a time.

    Made by ``model.live(subject)``. One object follows one animal; threads need one each. An error changes nothing.

    ``state`` and ``action`` are codes, or labels as text; None, or -1, is not observed: intentions pass through such a
    step, and it says nothing about them. A state that is left out is the one kept inside where the model's states are
    histories of trials (:func:`hiql.bandit_trials`), or the only one; else it is not observed. ``inputs`` are numbers
    by name, or in the order of ``input_names``; a step with an input of None or NaN is no evidence. ``contexts`` are
    labels by name; one that is left out or was never met is unknown. Traces of the past among a model's inputs are
    kept inside: they want the ``outcome`` of each step.

    Where both parts say what their rows depend on (``reads``, as tables with the usual clocks do), a step is one call
    of compiled code and makes nothing but the array it returns; with ``out`` not even that. Other parts, such as
    regressions, are asked at each step, which takes longer.
    """

    def __init__(self, animal: Animal) -> None:
        self._steps = steps_of(animal)
        self._moments = Moments(animal.coding, self._steps.wants_inputs)
        self._n_intentions, self._n_states = animal.n_intentions, animal.coding.n_states
        self._n_actions = animal.coding.n_actions
        by_codes = self._moments.are_codes
        self._quick = self._steps.quick if by_codes else None
        self._quick_predict = self._steps.quick_predict if by_codes else None
        self._last_out: Any = None
        self._carries_over = animal.carries_over
        self._steps.advance(Moment(0), np.empty(self._n_intentions))  # compiles, so that no step has to wait for it
        self._steps.predict(Moment(0), np.empty(self._n_actions))
        self._steps.begin()
        self._kept = self._moments.begin()

    @property
    def input_names(self) -> tuple[str, ...]:
        """The inputs to give: those of the model that are not traces kept inside."""
        return self._moments.input_names

    def reset(self) -> None:
        """A new session of the same animal. Traces of the past begin anew; intentions do, unless the dynamics says that
        they go on from one session to the next."""
        self._kept = self._moments.begin()
        if not self._carries_over:
            self._steps.begin()

    def step(
        self,
        state: Code = ...,
        action: Code = None,
        inputs: Inputs = None,
        contexts: Contexts = None,
        outcome: Outcome = None,
        out: FloatArray | None = None,
    ) -> FloatArray:
        """(K,) p(z_t | steps up to and including this one)."""
        posterior = np.empty(self._n_intentions) if out is None else self._room(out, self._n_intentions)
        if (
            self._quick is not None
            and inputs is contexts is outcome is None
            and type(state) is type(action) is int
            and 0 <= state < self._n_states
            and 0 <= action < self._n_actions
        ):
            self._quick(posterior, state, action)
        else:
            now = self._moments.moment(self._kept, state, action, inputs, contexts, outcome)
            kept = self._moments.after(self._kept, now)
            self._steps.advance(now, posterior)
            self._kept = kept
        return posterior

    def predict(
        self, state: Code = ..., inputs: Inputs = None, contexts: Contexts = None, out: FloatArray | None = None
    ) -> FloatArray:
        """(A,) p(a_t | this state and the steps so far) of the next action. It changes nothing."""
        proba = np.empty(self._n_actions) if out is None else self._room(out, self._n_actions)
        quick = self._quick_predict if inputs is contexts is None else None
        if quick is not None and type(state) is int and 0 <= state < self._n_states:
            quick(proba, state)
        else:
            self._steps.predict(self._moments.moment(self._kept, state, None, inputs, contexts, None), proba)
        return proba

    def _room(self, out: Any, size: int) -> FloatArray:
        """``out``, looked at once."""
        if out is not self._last_out or len(out) != size:
            good = isinstance(out, np.ndarray) and out.dtype == np.float64 and out.shape == (size,)
            if not (good and out.flags.c_contiguous and out.flags.writeable):
                remedy = f"give a float64 array of shape ({size},) that can be written to"
                raise InvalidParameter(parameter="out", value=getattr(out, "shape", out), remedy=remedy)
            self._last_out = out
        return out


def known_or_nobody(coding: Coding, subject: object) -> str:
    """The name of the animal, or for None one that no model has met: that stands for the population."""
    if subject is not None:
        return str(subject)
    return next(name for name in map("nobody {}".format, count()) if name not in coding.subjects)
