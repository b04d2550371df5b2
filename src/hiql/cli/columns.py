"""Options for the columns beside states and actions: inputs, contexts, the day of a session, memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, NamedTuple

import pandas as pd
import typer

from hiql.data.columns import is_none
from hiql.data.matching import INDICATOR
from hiql.data.table_columns import Extra
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter

PANEL = "Further columns of the table"


def option(text: str, default: str | bool = False) -> Any:
    return typer.Option(help=text, rich_help_panel=PANEL, show_default=default)


class InputRoles(NamedTuple):
    """Names of the inputs that choices depend on, traces of the past among them, and of those that drive switching."""

    choices: tuple[str, ...]
    switching: tuple[str, ...]


@dataclass(frozen=True)
class ColumnOptions:
    """Further columns of a table, and what to make of them."""

    inputs: Annotated[
        list[str] | None,
        option(
            "Columns of numbers (or words, which become indicators) known before the action: light,tone. 'none': there "
            "are none, whatever their names."
        ),
    ] = None
    switch_inputs: Annotated[
        list[str] | None,
        option("Columns like those of --inputs that drive switching (the clock input-driven), not choices: dopamine."),
    ] = None
    context: Annotated[list[str] | None, option("Columns of labels known before the action; may be repeated.")] = None
    day: Annotated[str | None, option("Column of the day of each session: numbers, or dates as 2026-11-18.")] = None
    order: Annotated[str | None, option("Column of the order of sessions within their subject.")] = None
    memory: Annotated[
        str | None, option("Leaky traces of past choices and rewards as inputs: time constants in steps, 1,4,16.")
    ] = None
    missing_inputs: Annotated[
        str | None,
        option("What an empty or infinite input is: error, or skip: its step carries no evidence.", "error"),
    ] = None

    def said(self, columns: Sequence[object]) -> dict[str, Any]:
        """What the options say, by the fields of :class:`hiql.data.table_columns.Extra`."""
        both = [name for given in (self.inputs, self.switch_inputs) for name in names_in(given or (), columns)]
        values = {
            "inputs": None if self.inputs is self.switch_inputs is None else tuple(dict.fromkeys(both)),
            "contexts": None if self.context is None else names_in(self.context, columns),
            "day": self.day,
            "order": self.order,
            "memory": None if self.memory is None else time_constants(self.memory),
            "missing_inputs": self.missing_inputs,
        }
        return {name: value for name, value in values.items() if value is not None}

    def roles(self, table: pd.DataFrame, data: Trajectories) -> InputRoles:
        """What the inputs of the data are for, as the options say."""
        traces = () if data.memory is None else data.memory.names
        of_choices, of_switching = (
            inputs_of(names_in(given or (), list(table.columns)), data.input_names)
            for given in (self.inputs, self.switch_inputs)
        )
        return InputRoles((*of_choices, *traces), of_switching)

    def extra(self, table: pd.DataFrame) -> Extra:
        return Extra(**self.said(list(table.columns)))


def names_in(given: Sequence[str], columns: Sequence[object]) -> tuple[str, ...]:
    """Names of columns from "a,b" and repeated options; a column whose own name has a comma is itself."""
    if is_none(given):
        return ()
    parts = [[text] if text in columns else text.split(",") for text in given]
    return tuple(name.strip() for names in parts for name in names if name.strip())


def inputs_of(columns: Sequence[str], input_names: Sequence[str]) -> tuple[str, ...]:
    """The inputs that were made of these columns; one of words has an indicator for each of them."""
    stems = tuple(f"{name}{INDICATOR}" for name in columns)
    return tuple(name for name in input_names if name in columns or (stems and name.startswith(stems)))


def time_constants(text: str) -> tuple[float, ...]:
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError as error:
        remedy = "write time constants in steps with commas between: 1,4,16"
        raise InvalidParameter(parameter="memory", value=text, remedy=remedy) from error


def renewed(remembered: Mapping[str, Any], said: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that a model remembers, with those that were named anew."""
    return asdict(Extra()) | dict(remembered) | dict(said)


def print_columns(facts: Mapping[str, Any]) -> dict[str, str]:
    """Lines about inputs, contexts and outcomes, where the data have them."""
    inputs = [f"{name} ({told['mean']:.3g} ± {told['scale']:.3g})" for name, told in facts["inputs"].items()]
    contexts = [f"{name} ({', '.join(labels[:8])})" for name, labels in facts["contexts"].items()]
    lines = {"inputs": _some(inputs), "contexts": _some(contexts), "outcomes": facts["outcomes"]}
    return {name: line for name, line in lines.items() if line}


def _some(texts: Sequence[str], most: int = 6) -> str:
    return ", ".join(texts[:most]) + (f", … ({len(texts)} in all)" if len(texts) > most else "")


def unheeded(facts: Mapping[str, Any]) -> list[str]:
    """What a user who named inputs or contexts should know of models that do not depend on them."""
    heeded = {*facts["choices_weigh"], *facts["switching_weighs"]}
    names = [name for name in (*facts["inputs"], *facts["contexts"]) if name not in heeded]
    see = "inputs" if facts["choices_weigh"] else "states"
    told = f"{_some(names)}: kept with the data and the model, but the intentions of this model see {see} only"
    more = "" if facts["choices_weigh"] else "; --family glmhmm weighs inputs"
    return [told + more] if names else []
