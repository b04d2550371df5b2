"""What commands are given: a table, perhaps a world; and what they understood of it."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from hiql.cli.commands import console, print_pairs, to_stderr
from hiql.data.coding import Coding
from hiql.data.layout import Layout, Steps, Trials, find_layout, layout_from_dict
from hiql.data.summary import cautions, summarise
from hiql.data.tables import load_table
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.evaluate.naming import suggest_names
from hiql.models import IntentionModel
from hiql.worlds.files import coding_of, in_codes_of, load_world, named_world
from hiql.worlds.mdp import MDP

PANEL = "The table"
DataFile = Annotated[
    Path,
    typer.Argument(metavar="DATA", help="A table with a header: CSV (also .gz), TSV or Parquet.", show_default=False),
]
ModelFile = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model written by hiql fit or hiql select.", show_default=False)
]


def column_option(what: str) -> Any:
    return typer.Option(help=f"Column of {what}.", rich_help_panel=PANEL, show_default="by its name, or 'none'")


Column = str | None


@dataclass(frozen=True)
class TableOptions:
    """Which columns mean what."""

    session: Annotated[Column, column_option("session names")] = None
    subject: Annotated[Column, column_option("subjects")] = None
    step: Annotated[Column, column_option("step numbers, to sort by")] = None
    state: Annotated[Column, column_option("states")] = None
    action: Annotated[Column, column_option("actions")] = None
    next_state: Annotated[Column, column_option("the states that followed")] = None
    choice: Annotated[Column, column_option("choices, for tables of trials")] = None
    outcome: Annotated[Column, column_option("outcomes of choices")] = None
    missing: Annotated[
        list[str] | None,
        typer.Option(
            help="A value that means not observed, besides empty cells; may be repeated. 'none': there is none.",
            rich_help_panel=PANEL,
            show_default=False,
        ),
    ] = None

    def layout(self, table: pd.DataFrame, history: int | None = None) -> Steps | Trials:
        return find_layout(table, self.given, history=history, missing=self.not_observed)

    @property
    def given(self) -> dict[str, str | None]:
        roles = ("session", "subject", "step", "state", "action", "next_state", "choice", "outcome")
        return {role: getattr(self, role) for role in roles}

    @property
    def not_observed(self) -> tuple[object, ...] | None:
        if self.missing is None:
            return None
        return tuple(_number_or_text(value) for value in self.missing if value != "none")


@dataclass(frozen=True)
class NewTableOptions(TableOptions):
    """How to read a table for a model that is already fitted."""

    unknown_is_missing: Annotated[
        bool,
        typer.Option(
            "--unknown-is-missing",
            help="Treat states and actions the model does not know as missing.",
            rich_help_panel=PANEL,
        ),
    ] = False


def _number_or_text(value: str) -> object:
    try:
        return int(value)
    except ValueError:
        return value


@dataclass(frozen=True)
class WorldOptions:
    """The world, if it is known."""

    world: Annotated[
        str | None,
        typer.Option(
            help="A known world: labyrinth, or grid:WIDTHxHEIGHT.", rich_help_panel="The world", show_default=False
        ),
    ] = None
    transitions: Annotated[
        Path | None,
        typer.Option(
            help="A known world from a file: np.savez(FILE, transitions=P), P of shape (states, actions, states).",
            rich_help_panel="The world",
            show_default=False,
        ),
    ] = None
    model_free: Annotated[
        bool, typer.Option("--model-free", help="An unknown world (the default).", rich_help_panel="The world")
    ] = False
    discount: Annotated[
        float | None,
        typer.Option(
            help="Discount γ; by default that of the world, or 0.99.", rich_help_panel="The world", show_default=False
        ),
    ] = None

    def load(self) -> tuple[MDP, Coding] | None:
        """The world and its labels, or None when it is unknown."""
        given = [name for name in ("world", "transitions", "model_free") if getattr(self, name)]
        if len(given) > 1:
            names = " and ".join(f"--{name.replace('_', '-')}" for name in given)
            raise InvalidParameter(parameter="world", value=names, remedy="choose one of them")
        if self.world is not None:
            world = named_world(self.world, self.discount)
            return world, coding_of(world)
        return None if self.transitions is None else load_world(self.transitions, self.discount)


def read(table: pd.DataFrame, layout: Steps | Trials, world: tuple[MDP, Coding] | None) -> Trajectories:
    """The trajectories of a table, in the codes of the world if there is one."""
    data = layout.read(table)
    if world is None:
        return data
    if isinstance(layout, Trials):
        remedy = "leave out the world: the states are histories of trials"
        raise InvalidParameter(parameter="world", value="for a table of trials", remedy=remedy)
    return in_codes_of(world[1], data)


def read_for(model: IntentionModel, path: Path, options: NewTableOptions) -> tuple[Any, ...]:
    """Table, layout and trajectories of new data, read like those the model was fitted to unless told otherwise."""
    table = load_table(path)
    remembered = model.about_.get("layout")
    layout: Steps | Trials
    if remembered is None or any(options.given.values()) or options.missing is not None:
        history = remembered.get("history") if remembered else None
        layout = options.layout(table, history)
    else:
        layout = layout_from_dict(remembered)
    return table, layout, model.coding_.recode(layout.read(table), unknown_is_missing=options.unknown_is_missing)


def understood(path: Path, layout: Layout, data: Trajectories, world: MDP | None) -> dict[str, Any]:
    """What was understood of a table, as plain values."""
    columns = {role: name for role, name in layout.to_dict().items() if role not in {"kind", "missing"}}
    return {"file": str(path), "columns": columns, "world": "unknown" if world is None else repr(world)} | summarise(
        data
    )


def print_understood(facts: dict[str, Any], data: Trajectories) -> None:
    """Print what was understood before any work is done, so that a mistake shows at once."""
    lengths = facts["steps_per_session"]
    shares = ", ".join(f"{name} {share:.0%}" for name, share in list(facts["action_shares"].items())[:8])
    more = ", …" if len(facts["action_shares"]) > 8 else ""
    print_pairs(
        {
            "columns": ", ".join(f"{role}: {name}" for role, name in facts["columns"].items() if name is not None),
            "subjects": facts["subjects"],
            "sessions": f"{facts['sessions']:,} of {lengths['least']}–{lengths['most']} steps "
            f"(median {lengths['median']})",
            "steps": f"{facts['steps']:,}, of which {facts['missing']:,} with a missing state or action",
            "states": f"{facts['states']:,}, of which {facts['states_visited']:,} visited",
            "actions": f"{facts['actions']} ({shares}{more})",
            "world": facts["world"],
        },
        f"What I understood of {facts['file']}",
    )
    console.print()
    for caution in cautions(data):
        to_stderr.print(f"[yellow]Note:[/yellow] {caution}.")


def print_recognised(facts: dict[str, Any]) -> None:
    """One line about data that are read like those of the fit."""
    columns = ", ".join(f"{role}: {name}" for role, name in facts["columns"].items() if name is not None)
    console.print(
        f"{facts['file']}: {facts['steps']:,} steps in {facts['sessions']:,} sessions of {facts['subjects']} "
        f"subject(s), {facts['missing']:,} steps with a missing state or action ({columns}).",
        highlight=False,
    )


def remember(model: IntentionModel, data: Trajectories, path: Path, layout: Layout) -> None:
    """Let the model's file tell how it was made, how its table is laid out, and what its intentions are called."""
    model.about_ = versions_and_command() | {
        "data": path.name,
        "layout": layout.to_dict(),
        "seed": model.random_state,
        "names": list(suggest_names(model, data)),
    }


def versions_and_command() -> dict[str, Any]:
    return {"command": shlex.join(["hiql", *sys.argv[1:]]), "hiql": version("hiql")}
