"""How a command is made: options that belong together, errors as messages, tables or JSON at the end."""

from __future__ import annotations

import inspect
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Annotated, Any, get_type_hints

import pandas as pd
import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hiql.errors import HiqlError
from hiql.evaluate.words.verdict import Verdict

console = Console()
to_stderr = Console(stderr=True)
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document for machines instead of tables.")]
Jobs = Annotated[int, typer.Option(help="Processes; -1 for all cores.")]

BAD_INPUT, BUG, INTERRUPTED = 2, 70, 130
"""Exit codes besides 0 (done) and 1 (done, but some fits failed)."""


def command(group: typer.Typer, name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Register a function as a command.

    A parameter whose type is a dataclass becomes one option for each of its fields, so that commands share groups of
    options; ``--debug`` is added to every command.
    """

    def register(function: Callable[..., None]) -> Callable[..., None]:
        groups: dict[str, Any] = {p: kind for p, kind in get_type_hints(function).items() if is_dataclass(kind)}

        def run(**arguments: Any) -> None:
            with errors_as_messages(arguments.pop("debug")), warnings_as_notes():
                made = {p: kind(**{f.name: arguments.pop(f.name) for f in fields(kind)}) for p, kind in groups.items()}
                function(**arguments, **made)

        run.__doc__ = _flowing(function.__doc__ or "")
        run.__signature__ = inspect.Signature(list(_parameters(function)))  # type: ignore[attr-defined]
        run.__annotations__ = {}
        group.command(name)(run)
        return function

    return register


def _flowing(text: str) -> str:
    """A docstring whose paragraphs flow: the help breaks lines where the terminal ends, not where the source does."""
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in inspect.cleandoc(text).split("\n\n"))


def _parameters(function: Callable[..., None]) -> Iterator[inspect.Parameter]:
    """The parameters of a function with those of its groups in their place; keyword only, so any order is fine."""
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if is_dataclass(hints[name]):
            inner = get_type_hints(hints[name], include_extras=True)
            for field in fields(hints[name]):
                default = inspect.Parameter.empty if field.default is MISSING else field.default
                yield _keyword(field.name, default, inner[field.name])
        else:
            yield _keyword(name, parameter.default, hints[name])
    yield _keyword("debug", False, Debug)


def _keyword(name: str, default: Any, annotation: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


@contextmanager
def errors_as_messages(debug: bool) -> Iterator[None]:
    """Show an error as one sentence and leave with an exit code, or let the traceback through."""
    try:
        yield
    except KeyboardInterrupt:
        to_stderr.print("\nInterrupted. A sweep keeps what was finished, and the same command resumes it.")
        raise typer.Exit(INTERRUPTED) from None
    except (typer.Exit, typer.Abort):
        raise
    except BrokenPipeError:  # "hiql … | head" has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except (HiqlError, OSError) as error:
        if debug:
            raise
        to_stderr.print(f"[bold red]Error:[/bold red] {escape(str(error))}", highlight=False)
        raise typer.Exit(BAD_INPUT) from error
    except Exception as error:
        if debug:
            raise
        to_stderr.print(
            f"[bold red]Unexpected error:[/bold red] {escape(f'{type(error).__name__}: {error}')}\n"
            "This should not happen. Please report it with what the same command prints with --debug.",
            highlight=False,
        )
        raise typer.Exit(BUG) from error


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Show a warning as one line, once, without the place in the code that it comes from."""
    once = cache(note)
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_place, **_options: once(str(message))
        yield


def say(text: str) -> None:
    """Print a sentence as it is; what it holds of the user's names is not taken for markup."""
    console.print(escape(text), highlight=False)


def note(text: str) -> None:
    """Something to watch out for."""
    to_stderr.print(f"[yellow]Note:[/yellow] {escape(text.rstrip('.'))}.", highlight=False)


def print_verdict(verdict: Verdict) -> None:
    """How far to trust what was found; what speaks against it goes where notes go."""
    if verdict.headline:
        note(verdict.sentence)
    else:
        say(verdict.sentence)


def print_json(document: dict[str, Any]) -> None:
    """One JSON document on standard output; what JSON has no word for (NaN) becomes null."""
    print(json.dumps(json.loads(pd.Series([document]).to_json(orient="values", double_precision=15))[0], indent=1))


def print_table(table: pd.DataFrame, title: str, marked: int | None = None) -> None:
    """Print a table that is already rounded; the row at position ``marked`` stands out."""
    shown = Table(title=escape(title), title_justify="left")
    for name in table.columns:
        shown.add_column(str(name), justify="right")
    for i, row in enumerate(table.itertuples(index=False)):
        shown.add_row(*(escape(str(cell)) for cell in row), style="bold green" if i == marked else None)
    console.print(shown)


def print_pairs(pairs: dict[str, object], title: str) -> None:
    """Print names and values, one a line."""
    shown = Table(title=escape(title), title_justify="left", show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, value in pairs.items():
        shown.add_row(f"[dim]{escape(name)}[/dim]", escape(str(value)))
    console.print(shown)
