"""The checks that ``Trajectories`` go through, once, when they are made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hiql.data.step_columns import (
    SESSION_COLUMNS,
    STEP_COLUMNS,
    as_columns,
    check_columns,
    check_contexts,
    check_days,
    check_inputs,
    check_outcomes,
    first_outside,
    orders,
)
from hiql.errors import ActionOutOfRange, EmptyData, StateOutOfRange, UnequalLengths

if TYPE_CHECKING:
    from hiql.data.trajectories import Trajectories


def filled_in(data: Trajectories) -> dict[str, Any]:
    """What was not given: no columns, sessions in order of appearance, days unknown."""
    n_steps, n_sessions = int(data.offsets[-1]), len(data.subjects)
    return {
        "inputs": as_columns(data.inputs, n_steps),
        "contexts": as_columns(data.contexts, n_steps),
        "session_order": data.session_order if len(data.session_order) else orders(data.subjects),
        "session_days": data.session_days if len(data.session_days) else np.full(n_sessions, np.nan),
    }


def check_fields(data: Trajectories) -> None:
    """Raise at the first field that does not fit the others, or holds what it cannot."""
    _check_lengths(data)
    _check_sizes(data)
    _check_codes(data)
    check_columns("input", data.inputs, data.input_names)
    check_columns("context", data.contexts, data.context_names)
    check_inputs(data.inputs, data.input_names, data.locate, np.isinf)
    check_contexts(data.contexts, data.context_names, data.context_labels, data.locate)
    check_outcomes(data.outcomes, data.outcome_labels, data.locate)
    check_days(data.session_days, data.session_names)


def _check_lengths(data: Trajectories) -> None:
    n_steps = int(data.offsets[-1])
    wanted = dict.fromkeys(STEP_COLUMNS, ("the sessions", n_steps))
    wanted |= dict.fromkeys(SESSION_COLUMNS, ("sessions", data.n_sessions))
    for name, (other, length) in wanted.items():
        array = getattr(data, name)
        if array is not None and len(array) != length:
            raise UnequalLengths(field=name, length=len(array), other=other, other_length=length)


def _check_sizes(data: Trajectories) -> None:
    for what, size, labels in (
        ("state", data.n_states, data.state_labels),
        ("action", data.n_actions, data.action_labels),
    ):
        if size < 1:
            remedy = f"give at least one known {what}, or pass n_{what}s"
            raise EmptyData(what=f"every {what} is missing", remedy=remedy)
        if labels is not None and len(labels) != size:
            raise UnequalLengths(field=f"{what}_labels", length=len(labels), other=f"n_{what}s", other_length=size)


def _check_codes(data: Trajectories) -> None:
    for name, codes in (("state", data.states), ("next state", data.next_states)):
        if (step := first_outside(codes, data.n_states)) is not None:
            session, at = data.locate(step)
            state = int(codes[step])
            raise StateOutOfRange(state=state, session=session, step=at, n_states=data.n_states, field=name)
    if (step := first_outside(data.actions, data.n_actions)) is not None:
        session, at = data.locate(step)
        action = int(data.actions[step])
        raise ActionOutOfRange(action=action, session=session, step=at, n_actions=data.n_actions)
