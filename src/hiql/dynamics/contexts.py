"""The circumstances that switching may depend on: what each is called, and which one every step is in."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.coding import Coding
from hiql.data.matching import context_column
from hiql.data.outcomes import MOST_KINDS
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.parts.reads import LAST_ACTION, LAST_OUTCOME, STATE_ENTERED, STATE_LEFT, SUBJECT

Codes = npt.NDArray[np.integer]


class Context(NamedTuple):
    """``labels`` of what a coding knows, and the ``codes`` (N,) of steps; what is no code of a label is unknown.

    ``of_states`` says that labels are those of the states, so that a map of the world can show them.
    """

    labels: Callable[[Coding], Sequence[Hashable]]
    codes: Callable[[Coding, Trajectories], Codes]
    of_states: bool = False


def _states(coding: Coding) -> Sequence[Hashable]:
    return coding.state_labels or range(coding.n_states)


def _actions(coding: Coding) -> Sequence[Hashable]:
    return coding.action_labels or range(coding.n_actions)


def _of_the_step_before(codes: Codes) -> Codes:
    return np.r_[-1, codes[:-1]]


def _subjects(coding: Coding, data: Trajectories) -> Codes:
    return np.repeat(coding.subject_codes(data), data.lengths)


CONTEXTS = {
    STATE_LEFT: Context(_states, lambda _, data: _of_the_step_before(data.states), of_states=True),
    STATE_ENTERED: Context(_states, lambda _, data: data.states, of_states=True),
    LAST_ACTION: Context(_actions, lambda _, data: _of_the_step_before(data.actions)),
    LAST_OUTCOME: Context(lambda coding: coding.outcome_kinds, lambda coding, data: coding.last_outcome_codes(data)),
    SUBJECT: Context(lambda coding: coding.subjects, _subjects),
}
"""Those that all data have; any other name is that of one of the data's own contexts."""


def context_named(name: str) -> Context:
    """How to read a context of this name."""
    if not isinstance(name, str):
        remedy = f"choose {', '.join(map(repr, CONTEXTS))} or the name of a context of the data"
        raise InvalidParameter(parameter="context", value=name, remedy=remedy)
    return CONTEXTS.get(name) or Context(
        lambda coding: coding.context_labels[context_column(name, coding.context_names)],
        lambda coding, data: coding.context_codes(data, name),
    )


def check_context(name: str, coding: Coding) -> None:
    """Raise a named error unless there is anything that the context could be."""
    if not context_named(name).labels(coding):
        remedy = "choose another one" if name != LAST_OUTCOME else (
            f"give data with outcomes of at most {MOST_KINDS} kinds, or group them in a context of their own"
        )  # fmt: skip
        raise InvalidParameter(parameter="context", value=name, remedy=remedy)
