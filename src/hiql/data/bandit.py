"""Bandit trials as a decision process: the state is what happened in the last ℓ trials (paper, §5.3)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import product
from os import PathLike
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data import doubts
from hiql.data.codes import MISSING, Codes, encode, label_text
from hiql.data.missing import Missing, check_marks, marks_of
from hiql.data.step_columns import following_states
from hiql.data.table_files import load_table
from hiql.data.tables import NO_COLUMN, column, ordered_sessions
from hiql.data.trajectories import Trajectories
from hiql.errors import EmptyData, InvalidParameter, TableWarning

NO_HISTORY = "·"
"""The symbol for a trial before the session's start."""
MAX_STATES = 2_000_000


def bandit_trials(
    table: pd.DataFrame | str | PathLike[str],
    history: int = 3,
    choice: str = "choice",
    outcome: str = "reward",
    session: str = "session",
    subject: str | None = "subject",
    *,
    step: str | None = None,
    missing: Missing = None,
    memory: Sequence[float] = (),
) -> Trajectories:
    """Turn a table of choices and outcomes, one row a trial, into ``Trajectories`` over histories.

    The state s_t = (φ_{t-1}, …, φ_{t-ℓ}; a_{t-1}, …, a_{t-ℓ}) holds the last ℓ = ``history`` outcomes φ and
    choices a; the action is the choice. Any number of different choices and outcomes is allowed. Histories
    start anew with each session: a trial before its start is written "·". With m = outcomes × choices there
    are 1 + m + … + m^ℓ states, all enumerated whether visited or not, so that animals and folds agree.

    A missed trial (no choice) is a missing step: it carries no evidence and does not enter the histories.
    Nor does a trial without an outcome, whose next state is therefore unknown. Empty cells are missing, and what
    ``missing`` says, as in :func:`hiql.read_table`; -1 is a choice or an outcome like any other unless it says so.

    ``memory`` gives time constants in trials: each adds leaky traces of past choices, and of choices times rewards, to
    the inputs (:mod:`hiql.data.memory`). They need outcomes that are amounts. With ``history=0`` there is one state.
    """
    frame = table if isinstance(table, pd.DataFrame) else load_table(table)
    roles = {"choice": (choice,), "outcome": (outcome,)}
    for field, (name,) in roles.items():
        column(frame, field, name)
    check_marks(missing, frame, roles)
    data = trials_from_table(
        frame, history, choice, outcome, session=session, subject=subject, step=step, missing=missing
    )
    unsaid = {name for name, values in marks_of(missing, roles).items() if values is None}
    named = {"session": session, "subject": subject, "step": step}
    columns = {role: None if name == NO_COLUMN else name for role, name in named.items()}
    for caution in (*doubts.gaps(frame.reset_index(drop=True), columns), *doubts.values(frame, roles, unsaid)):
        warnings.warn(caution, TableWarning, stacklevel=2)
    return data.with_memory(memory) if len(memory) else data


def trials_from_table(
    table: pd.DataFrame,
    history: int,
    choice: str,
    outcome: str,
    *,
    session: str,
    subject: str | None,
    step: str | None,
    missing: Missing,
) -> Trajectories:
    """:func:`bandit_trials`, once the columns are known to be there and ``missing`` to make sense."""
    if not isinstance(history, int | np.integer) or history < 0:
        raise InvalidParameter(parameter="history", value=history, remedy="choose a whole number ≥ 0")
    marks = marks_of(missing, {"choice": (choice,), "outcome": (outcome,)})
    frame, offsets, names, subjects = ordered_sessions(table, session, subject, step)
    choices = encode(frame[choice], field="choice", missing=marks[choice])
    made = frame[outcome].mask(choices.codes < 0)  # what a missed trial brought is no outcome
    outcomes = encode(made, field="outcome", missing=marks[outcome])
    n_states = _n_states(choices, outcomes, int(history))
    states = history_states(choices, outcomes, offsets, int(history))
    return Trajectories(
        states=states,
        actions=choices.codes,
        next_states=np.where(outcomes.codes >= 0, following_states(states, offsets), MISSING),
        offsets=offsets,
        n_states=n_states,
        n_actions=choices.size,
        session_names=tuple(names),
        subjects=tuple(subjects),
        state_labels=history_labels(choices, outcomes, int(history)),
        action_labels=choices.labels,
        **what_followed(outcomes),
    )


def what_followed(outcomes: Codes) -> dict[str, Any]:
    """Outcomes as amounts where all are numbers, else as codes with labels; NaN where there is none."""
    labels = tuple(range(outcomes.size)) if outcomes.labels is None else outcomes.labels
    are_amounts = all(isinstance(label, int | float) for label in labels)
    values = np.array([*(labels if are_amounts else range(len(labels))), np.nan], dtype=np.float64)
    return {"outcomes": values[outcomes.codes], "outcome_labels": None if are_amounts else labels}


def _n_states(choices: Codes, outcomes: Codes, history: int) -> int:
    for field, codes in (("choice", choices), ("outcome", outcomes)):
        if codes.size < 1:
            raise EmptyData(what=f"every {field} is missing", remedy="check the column names")
    n_states = sum((choices.size * outcomes.size) ** length for length in range(history + 1))
    if n_states > MAX_STATES:
        raise InvalidParameter(
            parameter="history",
            value=history,
            remedy=f"choose a shorter one: with {choices.size} choices and {outcomes.size} outcomes it makes "
            f"{n_states:.3g} states, more than {MAX_STATES}",
        )
    return n_states


def history_states(
    choices: Codes, outcomes: Codes, offsets: npt.NDArray[np.int64], history: int
) -> npt.NDArray[np.int32]:
    """(N,) the state of each trial: histories of length 0, then of length 1, …, then of length ℓ.

    Among those of one length, the number is the base-m number whose digits are the trials' symbols
    outcome · n_choices + choice, the most recent first.
    """
    m = choices.size * outcomes.size
    completed = (choices.codes >= 0) & (outcomes.codes >= 0)
    symbols = (outcomes.codes * choices.size + choices.codes)[completed]
    before: npt.NDArray[np.int64] = (
        np.cumsum(completed) - completed
    )  # completed trials before each trial, over all sessions
    length = np.minimum(before - np.repeat(before[offsets[:-1]], np.diff(offsets)), history)
    number = np.zeros(len(completed), dtype=np.int64)
    for back in range(history):
        known = length > back
        number[known] = number[known] * m + symbols[before[known] - 1 - back]
    first_of_length = np.cumsum([0] + [m**shorter for shorter in range(history)])
    return (first_of_length[length] + number).astype(np.int32)


def history_labels(choices: Codes, outcomes: Codes, history: int) -> tuple[str, ...]:
    """What each state means, the most recent trial first.

    "1+ 0- ·" = choice 1 rewarded, before it choice 0 unrewarded, and before that the session had not begun.
    """
    names = [label_text(label) for label in choices.labels or range(choices.size)]
    results = [_outcome_sign(label_text(label)) for label in outcomes.labels or range(outcomes.size)]
    symbols = [name + result for result in results for name in names]
    labels = []
    for length in range(history + 1):
        for trials in product(symbols, repeat=length):
            labels.append(" ".join([*trials, *[NO_HISTORY] * (history - length)]) or "any")
    return tuple(labels)


def _outcome_sign(text: str) -> str:
    """How an outcome is written behind a choice; it does not depend on which others there are, so that labels of
    different tables agree."""
    return {"0": "-", "1": "+"}.get(text, text if len(text) == 1 else f":{text}")
