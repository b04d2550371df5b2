"""The other columns of a table: inputs, contexts, what followed a step, when a session took place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.bandit import what_followed
from hiql.data.codes import NUMBER, Codes, encode, label_text, written_as
from hiql.data.matching import indicator_name
from hiql.data.missing import Missing
from hiql.data.step_columns import FloatArray, finite_inputs
from hiql.data.tables import column
from hiql.data.trajectories import Trajectories
from hiql.errors import BadTable, InvalidParameter

MOST_LEVELS = 100
"""More different words than this are hardly meant as indicators."""


@dataclass(frozen=True)
class Extra:
    """Names of columns beside states and actions, and what to make of them.

    ``order`` and ``day`` say when sessions took place; ``missing`` lists values that mean "not observed" by column;
    ``missing_inputs`` is "error" or "skip"; ``memory`` holds time constants of traces that become inputs, too.
    """

    inputs: tuple[str, ...] = ()
    contexts: tuple[str, ...] = ()
    outcome: str | None = None
    order: str | None = None
    day: str | None = None
    missing_inputs: str = "error"
    memory: tuple[float, ...] = ()
    missing: Mapping[str, Sequence[object]] = field(default_factory=dict)

    @property
    def names(self) -> dict[str, tuple[str, ...]]:
        """The columns in use, by what they are for."""
        single = {"outcome": self.outcome, "order": self.order, "day": self.day}
        used = {"inputs": self.inputs, "contexts": self.contexts}
        return {role: names for role, names in used.items() if names} | {
            role: (name,) for role, name in single.items() if name is not None
        }

    def taking(self, missing: Missing) -> tuple[Extra, Missing]:
        """With what ``missing`` says of these columns, by role or name; and what it says of others."""
        meant = self.names | {name: (name,) for names in self.names.values() for name in names}
        if not isinstance(missing, Mapping) or not set(meant) & set(missing):
            return self, missing
        ours = {name: missing[key] for key in missing if key in meant for name in meant[key]}
        return replace(self, missing=ours), {key: values for key, values in missing.items() if key not in meant}

    def check(self, table: pd.DataFrame) -> None:
        """Every column is there, and used once for each purpose."""
        for role, names in self.names.items():
            for i, name in enumerate(names):
                column(table, role, name)
                if name in names[:i]:
                    raise InvalidParameter(parameter=role, value=name, remedy="name each column once")


NOTHING_ELSE = Extra()


def extra_from_dict(values: Mapping[str, Any]) -> Extra:
    """An :class:`Extra` from plain values, in which tuples may be lists."""
    given: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return Extra(**given)


def add_columns(data: Trajectories, rows: pd.DataFrame, extra: Extra) -> Trajectories:
    """The same data with further columns; ``rows`` has one row for each step, in the order of ``data``."""
    extra.check(rows)
    new: dict[str, Any] = {}
    if extra.inputs:
        names, values = _side_by_side(
            [numbers_in(rows[name], name, extra.missing.get(name, ())) for name in extra.inputs]
        )
        inputs = finite_inputs(values, names, extra.missing_inputs, data.locate)
        new |= {"inputs": np.hstack([data.inputs, inputs]), "input_names": (*data.input_names, *names)}
    if extra.contexts:
        coded = [_coded(rows[name], f"context {name!r}", extra.missing.get(name, ())) for name in extra.contexts]
        new["contexts"] = np.stack([each.codes for each in coded], axis=1)
        new["context_names"] = extra.contexts
        new["context_labels"] = tuple(tuple(range(each.size)) if each.labels is None else each.labels for each in coded)
    if extra.outcome is not None:
        new |= what_followed(_coded(rows[extra.outcome], "outcome", extra.missing.get(extra.outcome, ())))
    for name, field_name in (("order", "session_order"), ("day", "session_days")):
        where = getattr(extra, name)
        if where is not None:
            new[field_name] = WHEN[name](_one_a_session(rows[where], where, data), data.subjects, where)
    data = replace(data, **new) if new else data
    if not len(extra.memory):
        return data
    return data.with_memory(extra.memory, ("choice",) if data.outcomes is None else ("choice", "choice_reward"))


def numbers_in(values: pd.Series, name: str, missing: Sequence[object] = ()) -> tuple[tuple[str, ...], FloatArray]:
    """The inputs that a column makes, and their names: itself if it holds numbers, else an indicator for each word.

    A column of pandas' categorical type becomes indicators also where its values are numbers. What is missing is NaN.
    """
    is_categorical = isinstance(values.dtype, pd.CategoricalDtype)
    if pd.api.types.is_datetime64_any_dtype(values) or pd.api.types.is_timedelta64_dtype(values):
        raise BadTable(what=f"the input {name!r} holds times", remedy="write them as numbers, in seconds or days")
    marks = set().union({""}, *(written_as(mark) for mark in missing))
    if pd.api.types.is_numeric_dtype(values) and not missing:
        return (name,), values.to_numpy(dtype=np.float64, na_value=np.nan)[:, None]
    kept = values.astype(object).where(values.notna(), None)
    kept = kept.map(lambda value: None if value is None or label_text(value).strip() in marks else value)
    numbers = pd.to_numeric(kept, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    words = kept.notna().to_numpy() & np.isnan(numbers)
    if not is_categorical and not words.any():
        return (name,), numbers[:, None]
    if not is_categorical:
        _check_words(name, kept, words, np.isfinite(numbers))
    return _indicators(name, kept)


def _check_words(name: str, values: pd.Series, words: npt.NDArray[Any], numbers: npt.NDArray[Any]) -> None:
    at = int(np.argmax(words))
    word = str(values.iloc[at])
    if NUMBER.fullmatch(word):
        raise BadTable(
            what=f"the input {name!r} holds {word!r}, which is no number", remedy="write 0.5, not 0,5, and no thousands"
        )
    if numbers.any():
        raise BadTable(
            what=f"the input {name!r} holds numbers, and {word!r} among them",
            remedy="correct it, leave the cell empty, or say that it means not observed: "
            f"missing={{{name!r}: ({word!r},)}} (--missing '{name}={word}' on the command line)",
        )


def _indicators(name: str, values: pd.Series) -> tuple[tuple[str, ...], FloatArray]:
    coded = encode(values, field=f"input {name!r}", missing=())
    if coded.size > MOST_LEVELS:
        raise BadTable(
            what=f"the input {name!r} holds {coded.size} different words, each of which would be an input",
            remedy=f"put rare ones together (at most {MOST_LEVELS}), or name it as a context",
        )
    labels = range(coded.size) if coded.labels is None else coded.labels
    indicators = (coded.codes[:, None] == np.arange(coded.size)).astype(np.float64)
    indicators[coded.codes < 0] = np.nan
    return tuple(indicator_name(name, label) for label in labels), indicators


def _side_by_side(parts: Sequence[tuple[tuple[str, ...], FloatArray]]) -> tuple[tuple[str, ...], FloatArray]:
    return tuple(name for names, _ in parts for name in names), np.hstack([values for _, values in parts])


def _coded(values: pd.Series, what: str, missing: Sequence[object]) -> Codes:
    plain = values.astype(object).where(values.notna(), None)
    return encode(plain, field=what, missing=missing)


# --- when sessions took place -----------------------------------------------------------------------------------


def _one_a_session(values: pd.Series, name: str, data: Trajectories) -> pd.Series:
    """(n_sessions,) the value of each session, which must be the same in all its rows."""
    values = values.reset_index(drop=True)
    first = values.iloc[data.offsets[:-1]].reset_index(drop=True)
    expected = first.iloc[data.session_of_step].reset_index(drop=True)
    differ = ((values != expected) & ~(values.isna() & expected.isna())).fillna(True).to_numpy(dtype=bool)
    if differ.any():
        session, step = data.locate(int(np.argmax(differ)))
        raise BadTable(
            what=f"{name!r} changes within session {session!r}, at step {step}",
            remedy="write one value a session, or divide the session (session=[…] may name several columns)",
        )
    return first


def _days(values: pd.Series, subjects: Sequence[str], name: str) -> FloatArray:
    """Numbers as they are; dates as days since the subject's first."""
    numbers = pd.to_numeric(values, errors="coerce")
    if pd.api.types.is_datetime64_any_dtype(values) or numbers.notna().sum() < values.notna().sum():
        dates = _dates(values, name).dt.normalize()
        since = dates - dates.groupby(np.array(subjects, dtype=object)).transform("min")
        numbers = since.dt.total_seconds() / 86_400
    return numbers.to_numpy(dtype=np.float64, na_value=np.nan)


def _orders(values: pd.Series, subjects: Sequence[str], name: str) -> npt.NDArray[np.int64]:
    """Whole numbers as they are; other numbers and dates by their rank within the subject, from 0."""
    if values.isna().any():
        what = f"{name!r} is empty in session {int(np.argmax(values.isna()))} (from 0)"
        raise BadTable(what=what, remedy="give the order of every session, or leave it out")
    numbers = pd.to_numeric(values, errors="coerce")
    if not pd.api.types.is_datetime64_any_dtype(values) and numbers.notna().all():
        if (numbers % 1 == 0).all() and (numbers.abs() < 2**53).all():
            return numbers.to_numpy(dtype=np.int64)
    else:
        numbers = _dates(values, name)
    ranks = numbers.groupby(np.array(subjects, dtype=object)).rank(method="dense") - 1
    return ranks.to_numpy(dtype=np.int64)


def _dates(values: pd.Series, name: str) -> pd.Series:
    try:
        return pd.to_datetime(values, utc=True, format="ISO8601")
    except (ValueError, TypeError, OverflowError) as error:
        raise BadTable(
            what=f"{name!r} holds neither numbers nor dates ({error})",
            remedy="write numbers of days, or dates as 2026-11-18",
        ) from error


WHEN = {"order": _orders, "day": _days}
