"""Tables in, ``Trajectories`` out: the door that Python and the command line share."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from os import PathLike

import pandas as pd

from hiql.data.columns import names_in
from hiql.data.layout import find_layout
from hiql.data.missing import Missing
from hiql.data.table_columns import Extra
from hiql.data.table_files import load_table
from hiql.data.trajectories import Trajectories
from hiql.errors import TableWarning

Named = str | Sequence[str] | None
"""A column, several that are combined into one, "none" for no column, or None: recognise it by its name."""


def read_table(
    table: str | PathLike[str] | pd.DataFrame,
    session: Named = None,
    state: Named = None,
    action: Named = None,
    subject: Named = None,
    next_state: Named = None,
    *,
    step: Named = None,
    choice: Named = None,
    outcome: Named = None,
    history: int | None = None,
    n_states: int | None = None,
    n_actions: int | None = None,
    missing: Missing = None,
    inputs: str | Sequence[str] = (),
    contexts: str | Sequence[str] = (),
    order: str | None = None,
    day: str | None = None,
    memory: Sequence[float] = (),
    missing_inputs: str = "error",
) -> Trajectories:
    """Read a table with one row a step or a trial, as the command line does.

    Columns that are not named are recognised by their usual names, whatever their case ("Session", "mouse_id",
    "trial"); ``"none"`` says that there is no such column. Several columns, ``state=["s1", "s2"]``, are combined: each
    pair of values that occurs is one label. What may have been misread is told by a :class:`hiql.errors.TableWarning`.

    Parameters
    ----------
    table : a DataFrame, or a file: comma, semicolon, tab or | between columns, or Parquet; also gzipped
    session : without one, each subject is one session
    state, action : of a table of steps; ``state="none"`` where there is but one state
    subject : whose session it is; session names may repeat between subjects
    next_state : the state that followed; by default the state of the next row of the session
    step : numbers to sort each session by; by default rows are in order
    choice, outcome : of a table of trials; the states are then what happened in the last ``history`` trials
        (1 by default), as :func:`hiql.bandit_trials` makes them. Beside a state, the outcome is what followed the step
    n_states, n_actions : how many there are in the world, when the data need not show them all. Integer codes
        are then kept as they are; otherwise strings and gaps are coded to 0…n-1 and the labels kept.
    missing : values that mean "not observed", besides NaN and empty cells. A mapping gives them by role or by column:
        {"action": (9,)}. Nothing else is: -1 is a label like any other.
    inputs : columns of numbers that are known before the action, such as a stimulus; -1 is a number. A column of words
        (or of pandas' categorical type) becomes an indicator for each: "cue=left"
    contexts : columns of labels that are known before the action, such as a block
    order, day : columns that say when a session took place within its subject: numbers, or dates as 2026-11-18
    memory : time constants, in steps, of leaky traces of past choices and rewards, which become inputs
        (:mod:`hiql.data.memory`)
    missing_inputs : what to do with an input that is empty or infinite: "error", or "skip", by which its step carries
        no evidence
    """
    frame = table if isinstance(table, pd.DataFrame) else load_table(table)
    given = {
        "session": session, "state": state, "action": action, "subject": subject, "next_state": next_state,
        "step": step, "choice": choice, "outcome": outcome,
    }  # fmt: skip
    extra = Extra(
        names_in(inputs), names_in(contexts), order=order, day=day, missing_inputs=missing_inputs, memory=tuple(memory)
    )
    layout = find_layout(frame, given, history=history, missing=missing, extra=extra)
    data = layout.read(frame, n_states, n_actions)
    for caution in layout.cautions(frame):
        warnings.warn(caution, TableWarning, stacklevel=2)
    return data
