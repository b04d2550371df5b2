"""``hiql select``: how many intentions, how long a history; resumable."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from rich.markup import escape

from hiql.cli.claiming import check_free, claim
from hiql.cli.clocks import ClockOptions
from hiql.cli.columns import unheeded
from hiql.cli.commands import AsJson, Jobs, console, note, print_json, print_table, print_verdict, say, to_stderr
from hiql.cli.inputs import (
    DataFile,
    Names,
    TableOptions,
    WorldOptions,
    names_in,
    print_understood,
    read,
    remember,
)
from hiql.cli.numbers import whole_numbers
from hiql.data.table_files import load_table
from hiql.data.understanding import understood
from hiql.engine.watching import SECONDS_TO_ANSWER
from hiql.errors import InvalidParameter
from hiql.evaluate.words.verdict import judge
from hiql.sweep import Selection, Source
from hiql.sweep import select as select_model

COLUMNS = {
    "family": "{family}",
    "history": "{history:g}",
    "pseudo_count": "{pseudo_count:g}",
    "dynamics": "{dynamics}",
    "prior": "{prior}",
    "pool": "{pool}",
    "K": "{n_intentions}",
    "free": "{n_free:.0f}",
    "train": "{train:.4f}",
    "held out": "{held_out:.4f}",
    "gap ± SE": "{gap:+.4f} ± {gap_se:.4f}",
    "BIC": "{bic:.0f}",
    "restarts": "{restart_agreement:.0%}",
    "folds": "{fold_agreement:.0%}",
}
AXES = ("family", "history", "pseudo_count", "dynamics", "prior", "pool")
"""Columns that are printed only where candidates differ in them."""


@dataclass(frozen=True)
class SweepOptions:
    """The axes of the sweep."""

    intentions: Annotated[str, typer.Option("--intentions", "-k", help="Numbers of intentions: 1-5, or 1,2,4.")] = "1-5"
    history: Annotated[
        str | None, typer.Option(help="For tables of trials: lengths of history, 1-3 or 1,3.", show_default="1")
    ] = None
    folds: Annotated[
        int | None, typer.Option(help="Parts of the data, each held out once.", show_default="5, or fewer sessions")
    ] = None
    restarts: Annotated[int, typer.Option(help="Searches with different seeds, to see whether they agree.")] = 3
    family: Annotated[
        list[str] | None,
        typer.Option(help="hiavi, hiql or stochastic; may be repeated.", show_default="by the world"),
    ] = None
    pseudo_count: Annotated[list[float], typer.Option(help="May be repeated.")] = (0.1,)  # type: ignore[assignment]
    hold_out: Annotated[str, typer.Option(help="What is held out: sessions or subjects.")] = "sessions"
    seed: Annotated[int, typer.Option(help="Seed of folds and searches.")] = 0

    def wanted(self, n_groups: int) -> dict[str, Any]:
        """The axes, as :func:`hiql.select` takes them."""
        if n_groups < 2:
            raise InvalidParameter(
                parameter="number of " + self.hold_out,
                value=n_groups,
                remedy=f"held-out likelihood needs at least 2 {self.hold_out}; divide the recording, or choose K "
                "yourself with hiql fit",
            )
        return {
            "n_intentions": whole_numbers(self.intentions, "intentions"),
            "family": self.family or None,
            "pseudo_count": tuple(self.pseudo_count),
            "n_folds": self.folds,
            "n_restarts": self.restarts,
            "hold_out": self.hold_out,
            "random_state": self.seed,
        }


def select(
    data: DataFile,
    table: TableOptions,
    world: WorldOptions,
    axes: SweepOptions,
    clocks: ClockOptions,
    by: Annotated[str, typer.Option(help="Rule of choice: held-out (one standard error) or bic.")] = "held-out",
    out: Annotated[Path, typer.Option(help="Folder for results; an interrupted sweep resumes from it.")] = Path(
        "selection"
    ),
    names: Names = None,
    jobs: Jobs = -1,
    cluster: Annotated[
        str | None,
        typer.Option(
            help="Run on Dask: tcp://HOST:PORT of a scheduler, or local. Needs the extra dask.", show_default=False
        ),
    ] = None,
    cluster_timeout: Annotated[
        float, typer.Option(help="Seconds a cluster has to answer and to show its first worker.")
    ] = SECONDS_TO_ANSWER,
    as_json: AsJson = False,
) -> None:
    """Choose the number of intentions (and the history) by held-out likelihood; write table, model and report.

    Interrupt it at will: the same command resumes and repeats nothing.

    Example: hiql select mice.csv -k 1-5 --world labyrinth --out selection

    Example: hiql select trials.csv -k 1-4 --history 1-3 --jobs 4

    Example: hiql select mice.csv -k 1-4 --dynamics markov,by-state --pool none,subjects
    """
    from hiql.report import write_selection

    rows = load_table(data)
    lengths: tuple[int | None, ...] = (None,) if axes.history is None else whole_numbers(axes.history, "history")
    layouts = {layout.history: layout for layout in (table.layout(rows, length) for length in lengths)}
    known = world.load()
    trajectories = {length: read(rows, layout, known) for length, layout in layouts.items()}
    first_layout, first = next(iter(layouts.values())), next(iter(trajectories.values()))
    facts = understood(data, rows, first_layout, first, known and known[0])
    if not as_json:
        print_understood(facts | {"cautions": [*facts["cautions"], *unheeded(facts)]})
    groups = first.n_sessions if axes.hold_out == "sessions" else len(set(first.subjects))
    wanted = axes.wanted(groups) | clocks.wanted()
    called = names_in(names, wanted["n_intentions"])
    discount = 0.99 if world.discount is None else world.discount
    source = Source(trajectories, known and known[0], discount)
    check_free(out, data)
    running: dict[str, Any] = {"n_jobs": jobs, "cluster": cluster, "timeout": cluster_timeout}
    model, selection = select_model(
        trajectories, by=by, mdp=source.mdp, discount=discount, folder=out / "units", **wanted, **running
    )
    history = selection.unit["history"]
    fitting = called if called is None or len(called) == model.n_intentions else None
    remember(model, trajectories[history], data, layouts[history], fitting, selection)
    claim(out, data)
    written = write_selection(out, selection, model, source, names=model.about_["names"]).values()
    if as_json:
        verdict = {"verdict": judge(model)._asdict()}
        files = {"written": [str(path) for path in written]}
        print_json({"understood": facts} | selection_facts(selection) | verdict | files)
    else:
        print_selection(selection)
        print_verdict(judge(model))
        if called != fitting:
            note(f"K = {model.n_intentions} was chosen, so the names were not used: name them with hiql report --names")
        say("Written: " + ", ".join(map(str, written)))
    if selection.failures:
        raise typer.Exit(1)


def selection_facts(selection: Selection) -> dict[str, Any]:
    """The outcome as plain values."""
    return {
        "chosen": selection.table.iloc[selection.chosen].to_dict(),
        "explanation": selection.explanation,
        "traits": selection.traits,
        "candidates": selection.table.to_dict(orient="records"),
        "failures": [failure._asdict() for failure in selection.failures],
    }


def print_selection(selection: Selection) -> None:
    """The candidates, the choice in words, and what failed."""
    table = selection.table
    wanted = [name for name in COLUMNS if name not in AXES or table[name].nunique(dropna=False) > 1]
    shown = pd.DataFrame([{name: COLUMNS[name].format(**row) for name in wanted} for row in table.to_dict("records")])
    print_table(shown.replace(["nan%", "nan", "None"], "–"), "Candidates", selection.chosen)
    console.print(
        "[dim]Log-likelihoods in nats per step; the gap is to the best held-out one; restarts and folds: share of "
        "steps given to the same intention by other fits.[/dim]"
    )
    say(selection.explanation)
    if selection.traits:
        say(selection.traits)
    for failure in selection.failures[:5]:
        to_stderr.print(f"[red]Failed:[/red] {escape(f'{failure.error}  {failure.unit}')}", highlight=False)
    if len(selection.failures) > 5:
        to_stderr.print(f"… and {len(selection.failures) - 5} more; the same command tries them again.")
