"""Trajectories as a table again: one row a step, with the labels that the codes came from."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hiql.data.codes import MISSING
from hiql.data.step_columns import IntArray, orders

if TYPE_CHECKING:
    from hiql.data.trajectories import Trajectories


def frame_of(data: Trajectories) -> pd.DataFrame:
    """See :meth:`hiql.Trajectories.to_dataframe`. An input with the name of another column is marked: input_state."""
    columns: dict[str, Any] = {
        "subject": np.repeat(np.array(data.subjects, dtype=object), data.lengths),
        "session": np.repeat(np.array(data.session_names, dtype=object), data.lengths),
        **_when(data),
        "step": data.time,
        "state": labelled(data.states, data.state_labels),
        "action": labelled(data.actions, data.action_labels),
        "next_state": labelled(data.next_states, data.state_labels),
    }
    if data.outcomes is not None:
        columns["outcome"] = _outcomes(data)
    if data.intentions is not None:
        columns["intention"] = data.intentions
    for i, (name, labels) in enumerate(zip(data.context_names, data.context_labels, strict=True)):
        columns[_free(name, "context", columns)] = labelled(data.contexts[:, i], labels)
    for i, name in enumerate(data.input_names):
        columns[_free(name, "input", columns)] = data.inputs[:, i]
    return pd.DataFrame(columns)


def _when(data: Trajectories) -> dict[str, Any]:
    """Order and day of the sessions, where they say more than the rows do."""
    known = {
        "session_order": not np.array_equal(data.session_order, orders(data.subjects)),
        "day": not np.isnan(data.session_days).all(),
    }
    values = {"session_order": data.session_order, "day": data.session_days}
    return {name: np.repeat(values[name], data.lengths) for name, wanted in known.items() if wanted}


def _outcomes(data: Trajectories) -> Any:
    assert data.outcomes is not None
    if data.outcome_labels is None:
        return data.outcomes
    return labelled(np.nan_to_num(data.outcomes, nan=MISSING).astype(np.int64), data.outcome_labels)


def _free(name: str, kind: str, taken: dict[str, Any]) -> str:
    while name in taken:
        name = f"{kind}_{name}"
    return name


def labelled(codes: IntArray, labels: tuple[Hashable, ...] | None) -> Any:
    if labels is None:
        return pd.arrays.IntegerArray(codes.astype(np.int64), codes == MISSING)
    if all(isinstance(label, int) and abs(label) < 2**63 for label in labels):  # pandas would go through floats
        return pd.arrays.IntegerArray(np.array([*labels, 0], dtype=np.int64)[codes], codes == MISSING)
    lookup = np.empty(len(labels) + 1, dtype=object)  # the last entry, None, serves code -1
    lookup[:-1] = labels
    return pd.Series(lookup[codes]).convert_dtypes()
