"""One array a session, as people give them, to the flat columns of ``Trajectories``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.codes import encode, whole_numbers
from hiql.data.given_sessions import check_equal_lengths, check_sessions, session_arrays
from hiql.data.step_columns import FloatArray, finite_inputs, following_states, locate
from hiql.errors import BadColumns, ShapeMismatch, UnequalLengths

if TYPE_CHECKING:
    from hiql.data.memory import Memory
    from hiql.data.trajectories import Trajectories

FIELDS = {"state": "states", "action": "actions", "next state": "next_states", "intention": "intentions"}


def flat_steps(
    states: Any, actions: Any, next_states: Any, intentions: Any, subjects: Any, session_names: Any
) -> dict[str, Any]:
    """States, actions, next states and intentions end to end; offsets, names and subjects of the sessions.

    ``states=None`` means one state, in which every step is.
    """
    given = {"action": actions, "state": states, "next state": next_states, "intention": intentions}
    per_session = {name: session_arrays(name, values) for name, values in given.items() if values is not None}
    per_session.setdefault("state", [np.zeros(len(one), dtype=np.int32) for one in per_session["action"]])
    n_sessions = len(per_session["state"])
    names = tuple(map(str, range(n_sessions) if session_names is None else session_names))
    lengths = [len(one) for one in per_session["state"]]
    for name, arrays in per_session.items():
        check_equal_lengths(name, arrays, lengths, names)
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    owners = ("all",) * n_sessions if subjects is None else tuple(map(str, subjects))
    check_sessions(offsets, names, owners)
    flat = {
        FIELDS[name]: whole_numbers(np.concatenate(arrays), name, offsets, names)
        for name, arrays in per_session.items()
    }
    flat.setdefault("next_states", following_states(flat["states"], offsets))
    return flat | {"offsets": offsets, "session_names": names, "subjects": owners}


def flat_columns(
    steps: Mapping[str, Any],
    inputs: Any,
    input_names: Sequence[str] | None,
    contexts: Mapping[str, Any] | None,
    outcomes: Any,
    missing_inputs: str,
) -> dict[str, Any]:
    """Inputs, contexts and outcomes end to end, for the sessions of :func:`flat_steps`."""
    sessions = steps["offsets"], steps["session_names"]
    columns: dict[str, Any] = {}
    if inputs is not None:
        flat = flat_inputs(inputs, *sessions)
        names = tuple(f"input_{i}" for i in range(flat.shape[1])) if input_names is None else tuple(input_names)
        if len(names) != flat.shape[1]:
            raise UnequalLengths(
                field="input_names", length=len(names), other="the columns of inputs", other_length=flat.shape[1]
            )
        find = partial(locate, offsets=sessions[0], session_names=sessions[1])
        columns |= {"inputs": finite_inputs(flat, names, missing_inputs, find), "input_names": names}
    elif input_names:
        raise BadColumns(what=f"input_names are {tuple(input_names)!r} without inputs", remedy="give inputs, too")
    if contexts:
        coded = [
            encode(pd.Series(_flat_values(name, values, *sessions)), field=f"context {name!r}", missing=())
            for name, values in contexts.items()
        ]
        columns |= {
            "contexts": np.stack([each.codes for each in coded], axis=1),
            "context_names": tuple(contexts),
            "context_labels": tuple(tuple(range(each.size)) if each.labels is None else each.labels for each in coded),
        }
    if outcomes is not None:
        columns["outcomes"] = _numbers("outcome", _flat_values("outcome", outcomes, *sessions))
    return columns


def flat_inputs(inputs: Any, offsets: npt.NDArray[np.int64], names: Sequence[str]) -> FloatArray:
    """(N, D) from one array (steps, D) or (steps,) a session, or from such an array of a single session."""
    if isinstance(inputs, np.ndarray) and inputs.dtype != object and inputs.ndim <= 2 and len(names) == 1:
        inputs = inputs.reshape(1, *inputs.shape) if len(inputs) == offsets[-1] else inputs
    sessions = [_numbers("input", np.asarray(one)) for one in inputs]
    sessions = [one[:, None] if one.ndim == 1 else one for one in sessions]
    widths = {one.shape[1:] for one in sessions}
    if len(widths) != 1 or len(next(iter(widths))) != 1:
        raise ShapeMismatch(
            field="inputs",
            shape=" and ".join(str(one.shape) for one in sessions[:3]) or "()",
            expected="(steps, columns), with the same columns in each session",
            remedy="give one array (steps, D) a session, or (steps,) for a single input",
        )
    check_equal_lengths("input", sessions, np.diff(offsets).tolist(), names)
    return np.concatenate(sessions)


def check_amounts(data: Trajectories, memory: Memory) -> FloatArray:
    """(N,) the outcomes as amounts of reward, which traces of rewards need."""
    if "choice_reward" in memory.of and (data.outcomes is None or data.outcome_labels is not None):
        what = "the data have no outcomes" if data.outcomes is None else f"the outcomes are {data.outcome_labels!r}"
        raise BadColumns(
            what=f"traces of rewards need amounts of reward, but {what}",
            remedy='write the outcomes as numbers, for example 0 and 1, or keep traces of choices only: of=("choice",)',
        )
    return np.full(data.n_steps, np.nan) if data.outcomes is None else data.outcomes


def _flat_values(name: str, values: Any, offsets: npt.NDArray[np.int64], names: Sequence[str]) -> npt.NDArray[Any]:
    sessions = session_arrays(name, values)
    check_equal_lengths(name, sessions, np.diff(offsets).tolist(), names)
    return np.concatenate(sessions)


def _numbers(name: str, values: npt.NDArray[Any]) -> FloatArray:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadColumns(
            what=f"some {name} is not a number ({error})",
            remedy="give numbers; words become indicators or contexts in hiql.Trajectories.from_dataframe",
        ) from error
