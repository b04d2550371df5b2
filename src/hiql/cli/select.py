"""``hiql select``: one recommendation for a table, with what was tried and how sure it is; resumable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer
from rich.markup import escape

from hiql.cli.claiming import check_free, claim
from hiql.cli.clocks import ClockOptions
from hiql.cli.commands import AsJson, Jobs, console, note, print_json, print_table, say, to_stderr
from hiql.cli.fit import Intervals, drawn_from, interval_facts
from hiql.cli.inputs import (
    DataFile,
    Names,
    TableOptions,
    WorldOptions,
    facts_of,
    names_in,
    print_understood,
    read,
    remember,
)
from hiql.cli.numbers import whole_numbers
from hiql.data.table_files import load_table
from hiql.data.trajectories import Trajectories
from hiql.engine.watching import SECONDS_TO_ANSWER
from hiql.errors import InvalidParameter
from hiql.evaluate.words.verdict import judge
from hiql.sweep import Proposal, Selection, Source, holding_out, propose
from hiql.sweep import select as select_model
from hiql.sweep.answer import Said, answer
from hiql.sweep.criteria import criterion_named
from hiql.sweep.explanation import name

COLUMNS = {
    "K": "{n_intentions}",
    "candidate": "{setting}",
    "free": "{n_free:.0f}",
    "held out": "{held_out:.4f}",
    "gap ± SE": "{gap:+.4f} ± {gap_se:.4f}",
    "BIC": "{bic:.0f}",
    "evidence": "{evidence:.1f}",
    "restarts": "{restart_agreement:.0%}",
    "folds": "{fold_agreement:.0%}",
}
MOST_ROWS = 12
"""Candidates printed; selection.csv has all."""
SOMETIMES = {
    "held out": "held_out",
    "gap ± SE": "gap",
    "evidence": "evidence",
    "restarts": "restart_agreement",
    "folds": "fold_agreement",
}
"""Those that are printed only where the rule of choice asked for what is in them."""


@dataclass(frozen=True)
class SweepOptions:
    """The axes of the sweep."""

    intentions: Annotated[
        str | None,
        typer.Option("--intentions", "-k", help="Numbers of intentions: 1-5, or 1,2,4.", show_default="1-5"),
    ] = None
    history: Annotated[
        str | None, typer.Option(help="For tables of trials: lengths of history, 1-3 or 1,3.", show_default="proposed")
    ] = None
    folds: Annotated[
        int | None,
        typer.Option(help="Parts of the data, each held out once.", show_default="5, or fewer sessions; 0 by evidence"),
    ] = None
    restarts: Annotated[
        int | None,
        typer.Option(help="Searches with different seeds, to see whether they agree.", show_default="3; 1 by evidence"),
    ] = None
    family: Annotated[
        list[str] | None,
        typer.Option(help="hiavi, hiql, stochastic or glmhmm; may be repeated.", show_default="proposed"),
    ] = None
    pseudo_count: Annotated[list[float], typer.Option(help="May be repeated.")] = (0.1,)  # type: ignore[assignment]
    hold_out: Annotated[
        str | None,
        typer.Option(
            help="What is held out: sessions, subjects, or parts of sessions.",
            show_default="sessions, or parts where most subjects have one session",
        ),
    ] = None
    seed: Annotated[int, typer.Option(help="Seed of folds and searches.")] = 0

    def asked(self) -> dict[str, Any]:
        """What :func:`hiql.propose` is told; None for what it is to propose."""
        return {
            "n_intentions": None if self.intentions is None else whole_numbers(self.intentions, "intentions"),
            "family": self.family or None,
            "pseudo_count": tuple(self.pseudo_count),
            "hold_out": self.hold_out,
        }


def select(
    data: DataFile,
    table: TableOptions,
    world: WorldOptions,
    axes: SweepOptions,
    clocks: ClockOptions,
    by: Annotated[
        str, typer.Option(help="Rule of choice: held-out (one standard error), bic, or evidence (no folds).")
    ] = "held-out",
    out: Annotated[Path, typer.Option(help="Folder for results; an interrupted sweep resumes from it.")] = Path(
        "selection"
    ),
    intervals: Intervals = False,
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
    """One recommendation for a table: how many intentions, what each does, when they switch, and how sure that is.

    Without options it proposes what to try from what the table has: memory, clocks, animals and K. What is given is
    taken instead. Interrupt it at will: the same command resumes and repeats nothing.

    Example: hiql select trials.csv

    Example: hiql select mice.csv -k 1-5 --world labyrinth --intervals --out selection

    Example: hiql select trials.csv -k 1-4 --choice side --inputs contrast --switch-inputs pupil

    Example: hiql select mice.csv -k 1-4 --dynamics markov,by-state --pool none,subjects

    Example: hiql select mice.csv -k 1-6 --dynamics markov,by-state --by evidence
    """
    from hiql.report import write_selection

    rows = load_table(data)
    lengths = None if axes.history is None else whole_numbers(axes.history, "history")
    layouts = table.readings(rows, lengths)
    known = world.load()
    trajectories = {key: read(rows, layout, known) for key, layout in layouts.items()}
    first_layout, first = next(iter(layouts.values())), next(iter(trajectories.values()))
    facts = facts_of(data, rows, first_layout, first, known and known[0])
    roles = table.roles(rows, first)
    proposal = propose(trajectories, known and known[0], **axes.asked(), **clocks.wanted(roles.switching))
    if criterion_named(by).folds:
        check_groups(first, proposal.hold_out)
    called = names_in(names, proposal.n_intentions)
    check_free(out, data)
    if not as_json:
        print_understood(facts)
        for reason in reasons_of(proposal, by):
            say(reason)
    discount = 0.99 if world.discount is None else world.discount
    weighed = roles.choices or None
    source = Source(trajectories, known and known[0], discount, inputs=weighed)
    told = None if as_json else print_time
    running: dict[str, Any] = {"n_jobs": jobs, "cluster": cluster, "timeout": cluster_timeout, "told": told}
    model, selection = select_model(
        trajectories,
        proposal=proposal,
        by=by,
        mdp=source.mdp,
        discount=discount,
        inputs=weighed,
        folder=out / "units",
        n_folds=axes.folds,
        n_restarts=axes.restarts,
        random_state=axes.seed,
        **running,
    )
    reading = selection.unit["history"]
    fitting = called if called is None or len(called) == model.n_intentions_ else None
    remember(model, trajectories[reading], data, layouts[reading], fitting, selection)
    doubts = drawn_from(model, trajectories[reading]) if intervals else ()
    claim(out, data)
    written = write_selection(out, selection, model, source, names=model.about_["names"]).values()
    said = answer(model, trajectories[reading], selection, model.about_["names"])
    if as_json:
        verdict = {"verdict": judge(model)._asdict()} | interval_facts(model)
        files = {"written": [str(path) for path in written]}
        proposed = {"proposal": proposal_facts(proposal, by)}
        print_json({"understood": facts} | proposed | selection_facts(selection) | answer_facts(said) | verdict | files)
    else:
        print_selection(selection)
        print_answer(said)
        for doubt in doubts:
            note(doubt)
        if called != fitting:
            note(
                f"K = {model.n_intentions_} was chosen, so the names were not used: name them with hiql report --names"
            )
        say("Written: " + ", ".join(map(str, written)))
    if selection.failures:
        raise typer.Exit(1)


def check_groups(data: Trajectories, hold_out: str) -> None:
    """There must be something to hold out."""
    if hold_out in holding_out.KINDS and holding_out.groups(data, hold_out) < 2:
        raise InvalidParameter(
            parameter="number of " + hold_out,
            value=holding_out.groups(data, hold_out),
            remedy=f"held-out likelihood needs at least 2 {hold_out}; hold out parts of sessions (--hold-out parts), "
            "choose --by evidence, or choose K yourself with hiql fit",
        )


def print_time(seconds: float) -> None:
    """How long it will take, about; and what to do if that is too long."""
    minutes = seconds / 60
    how_long = "less than a minute" if minutes < 1 else f"about {minutes:.0f} minutes" if minutes < 120 else (
        f"about {minutes / 60:.0f} hours"
    )  # fmt: skip
    fewer = " Fewer numbers of intentions (-k 1-3) or --dynamics markov take less." if minutes > 10 else ""
    say(f"This takes {how_long}, judging by the first fits; interrupted, the same command resumes.{fewer}\n")


def print_answer(said: Sequence[Said]) -> None:
    """Question by question, each with its numbers."""
    for each in said:
        console.print(f"\n[bold]{escape(each.question)}[/bold]")
        say(each.text)
        if each.numbers is not None:
            print_table(each.numbers, "")


def answer_facts(said: Sequence[Said]) -> dict[str, Any]:
    numbers = [None if each.numbers is None else each.numbers.to_dict(orient="records") for each in said]
    told = zip(said, numbers, strict=True)
    return {"answer": [{"question": each.question, "text": each.text, "numbers": rows} for each, rows in told]}


def reasons_of(proposal: Proposal, by: str) -> list[str]:
    """Why this is tried; the last one says how it is judged, which is by what is held out only where something is."""
    *reasons, held_out = proposal.reasons
    return [*reasons, held_out if criterion_named(by).folds else f"Judged by: {by}, of all the data."]


def proposal_facts(proposal: Proposal, by: str) -> dict[str, Any]:
    """The proposal as plain values."""
    return {
        "readings": {str(key): list(names) for key, names in proposal.families.items()},
        "dynamics": list(proposal.clocks),
        "pool": list(proposal.pools),
        "n_intentions": list(proposal.n_intentions),
        "hold_out": proposal.hold_out,
        "reasons": reasons_of(proposal, by),
    }


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
    table = table.assign(setting=[name(table, i).partition(", ")[2] for i in range(len(table))])
    shown = pd.DataFrame(
        [{name: form.format(**row) for name, form in COLUMNS.items()} for row in table.to_dict("records")]
    )
    empty = [column for column, name in SOMETIMES.items() if table[name].isna().all()]
    shown = shown.drop(columns=empty if table["setting"].any() else [*empty, "candidate"])
    by = "evidence" if table["held_out"].isna().all() else "held_out"
    order = table.sort_values(by, ascending=False, kind="stable").index if len(table) > MOST_ROWS else table.index
    kept = [int(i) for i in order[:MOST_ROWS]]
    kept = kept if selection.chosen in kept else [*kept[:-1], selection.chosen]
    title = "Candidates" if len(kept) == len(table) else f"The best {len(kept)} of {len(table)} candidates"
    rows = shown.iloc[kept].replace(["nan%", "nan", "None", ""], "–")
    print_table(rows, title, kept.index(selection.chosen))
    console.print(
        "[dim]Log-likelihoods in nats per step; the gap is to the best held-out one; restarts and folds: share of "
        "steps given to the same intention by other fits.[/dim]"
    )
    for failure in selection.failures[:5]:
        to_stderr.print(f"[red]Failed:[/red] {escape(f'{failure.error}  {failure.unit}')}", highlight=False)
    if len(selection.failures) > 5:
        to_stderr.print(f"… and {len(selection.failures) - 5} more; the same command tries them again.")
