"""What commands are given: a table, perhaps a world; and what they understood of it."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from hiql.cli.columns import ColumnOptions, print_columns, renewed
from hiql.cli.commands import console, note, print_pairs, say
from hiql.cli.families import told
from hiql.data.coding import Coding
from hiql.data.columns import is_none, one_or_several
from hiql.data.layout import Layout, Steps, Trials, find_layout, layout_from_dict
from hiql.data.missing import Missing, said_missing
from hiql.data.readings import readings
from hiql.data.table_files import load_table
from hiql.data.trajectories import Trajectories
from hiql.data.understanding import understood
from hiql.data.usual_names import USUAL_NAMES
from hiql.errors import EmptyData, InvalidParameter
from hiql.evaluate.words.naming import suggest_names
from hiql.models import IntentionModel
from hiql.rewards import IAVI
from hiql.sweep import Selection
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


Names = Annotated[
    str | None,
    typer.Option(
        help="Names of the intentions, in their order: exploit,explore.", show_default="where sure, or numbers"
    ),
]
Column = list[str] | None
"""Several columns are combined into one."""


@dataclass(frozen=True)
class RoleOptions:
    """Which columns mean what; an option that is repeated combines its columns into one."""

    session: Annotated[Column, column_option("session names")] = None
    subject: Annotated[Column, column_option("subjects")] = None
    step: Annotated[Column, column_option("step numbers, to sort by")] = None
    state: Annotated[Column, column_option("states; repeat it to combine columns into one state")] = None
    action: Annotated[Column, column_option("actions")] = None
    next_state: Annotated[Column, column_option("the states that followed")] = None
    choice: Annotated[Column, column_option("choices, for tables of trials")] = None
    outcome: Annotated[Column, column_option("outcomes of choices")] = None
    missing: Annotated[
        list[str] | None,
        typer.Option(
            help="A value that means not observed, besides empty cells; may be repeated. action=9 is about one role or "
            "column only; 'none': there is no such value.",
            rich_help_panel=PANEL,
            show_default=False,
        ),
    ] = None

    @property
    def given(self) -> dict[str, list[str] | None]:
        return {role: getattr(self, role) for role in USUAL_NAMES}

    @property
    def not_observed(self) -> Missing:
        """The values that mean "not observed": by role or column, and by "" in all of them."""
        return None if self.missing is None else said_missing(self.missing)


@dataclass(frozen=True)
class TableOptions(ColumnOptions, RoleOptions):
    """How to read a table."""

    def layout(self, table: pd.DataFrame, history: int | None = None) -> Steps | Trials:
        extra = self.extra(table)
        return find_layout(table, self.given, history=history, missing=self.not_observed, extra=extra)

    def readings(self, table: pd.DataFrame, histories: Sequence[int] | None = None) -> dict[Hashable, Steps | Trials]:
        """Every way of reading the table that is worth comparing."""
        extra = self.extra(table)
        given = {**self.given, "inputs": self.inputs}
        return readings(table, given, histories=histories, missing=self.not_observed, extra=extra)


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
            help="A known world from a file: np.savez(FILE, transitions=P, states=[…], actions=[…]), P of shape "
            "(states, actions, states); states and actions name its rows where your table has names.",
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

    @property
    def gamma(self) -> float:
        """The discount of a world that is unknown."""
        return 0.99 if self.discount is None else self.discount

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


def facts_of(
    path: Path, table: pd.DataFrame, layout: Steps | Trials, data: Trajectories, world: MDP | None
) -> dict[str, Any]:
    """What was understood, and, before any work is done, what speaks against the world."""
    facts = understood(path, table, layout, data, world)
    doubts = () if world is None else IAVI(mdp=world).notes(data)
    return facts | {"cautions": [*facts["cautions"], *doubts]}


def read_for(model: IntentionModel, path: Path, options: NewTableOptions) -> tuple[Any, ...]:
    """Table, layout and trajectories of new data, read like those the model was fitted to unless told otherwise."""
    table = load_table(path)
    remembered = model.about_.get("layout")
    if isinstance(remembered, dict):
        named = {
            role: None if is_none(names) else one_or_several(role, names)
            for role, names in options.given.items()
            if names is not None
        }
        missing = {} if options.missing is None else {"missing": options.not_observed}
        said = options.said(list(table.columns))
        if (
            remembered.get("kind") == Steps.__name__ and "outcome" in named
        ):  # what followed a step is no role of its own
            said["outcome"] = named.pop("outcome")
        extra = {"extra": renewed(remembered.get("extra", {}), said)}
        layout = layout_from_dict(remembered | named | missing | extra)
        if missing:  # new data need not hold what was missing in the old
            layout.check_missing(table)
    else:
        layout = options.layout(table)
    data = model.coding_.recode(layout.read(table), unknown_is_missing=options.unknown_is_missing)
    if data.n_observed == 0:
        raise EmptyData(
            what=f"no step of {path} has a state and an action that the model knows", remedy="check the labels"
        )
    return table, layout, data


def print_understood(facts: dict[str, Any]) -> None:
    """Print what was understood before any work is done, so that a mistake shows at once."""
    lengths = facts["steps_per_session"]
    shares = ", ".join(f"{name} {share:.0%}" for name, share in list(facts["action_shares"].items())[:8])
    more = ", …" if len(facts["action_shares"]) > 8 else ""
    print_pairs(
        {
            "columns": ", ".join(f"{role}: {name}" for role, name in facts["columns"].items() if name is not None),
            "not used": ", ".join(facts["unused_columns"]) or "–",
            "order": "as in the file" if facts["columns"]["step"] is None else f"by {facts['columns']['step']}",
            "subjects": facts["subjects"],
            "sessions": f"{facts['sessions']:,} of {lengths['least']}–{lengths['most']} steps "
            f"(median {lengths['median']})",
            "steps": f"{facts['steps']:,}, of which {facts['missing']:,} {without(facts)}",
            "states": f"{facts['states']:,}, of which {facts['states_visited']:,} visited",
            "actions": f"{facts['actions']} ({shares}{more})",
            **print_columns(facts),
            "world": facts["world"],
        },
        f"What I understood of {facts['file']}",
    )
    for sentence in told(facts):
        say(sentence)
    console.print()
    for caution in facts["cautions"]:
        note(caution)


def without(facts: dict[str, Any]) -> str:
    """What steps that carry no evidence lack."""
    return "with a missing state, action or input" if facts["inputs"] else "with a missing state or action"


def print_recognised(facts: dict[str, Any]) -> None:
    """One line about data that are read like those of the fit, and what may have been misread."""
    columns = ", ".join(f"{role}: {name}" for role, name in facts["columns"].items() if name is not None)
    say(
        f"{facts['file']}: {facts['steps']:,} steps in {facts['sessions']:,} sessions of {facts['subjects']} "
        f"subject(s), {facts['missing']:,} steps {without(facts)} ({columns})."
    )
    for caution in facts["cautions"]:
        note(caution)


def remember(
    model: IntentionModel,
    data: Trajectories,
    path: Path,
    layout: Layout,
    names: Sequence[str] | None = None,
    selection: Selection | None = None,
) -> None:
    """Let the model's file tell how it was made, how its table is laid out, and what its intentions are called."""
    model.about_ = versions_and_command() | {
        "data": path.name,
        "layout": layout.to_dict(),
        "seed": model.random_state,
        "names": list(suggest_names(model, data) if names is None else names),
        "agreement": {} if selection is None else selection.agreement,
        "n_failed": 0 if selection is None else len(selection.failures),
        "mean_session": float(data.lengths.mean()),
    }


def names_in(text: str | None, numbers: Sequence[int]) -> list[str] | None:
    """The names in "exploit,explore": all different, and as many as one of the ``numbers`` of intentions."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names) or len(set(names)) < len(names) or len(names) not in numbers:
        wanted = " or ".join(map(str, numbers))
        raise InvalidParameter(
            parameter="names", value=text, remedy=f"give {wanted} different names with commas between: one,two"
        )
    return names


def versions_and_command() -> dict[str, Any]:
    return {"command": shlex.join(["hiql", *sys.argv[1:]]), "hiql": version("hiql")}
