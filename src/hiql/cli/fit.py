"""``hiql fit``: K intentions for a table."""

from __future__ import annotations

import shlex
import warnings
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from hiql.cli.clocks import ClockOptions
from hiql.cli.columns import unheeded
from hiql.cli.commands import AsJson, note, print_json, print_table, print_verdict, say
from hiql.cli.families import Family, depends_on, family_for
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
from hiql.cli.numbers import number_or_auto
from hiql.data.table_files import load_table
from hiql.data.trajectories import Trajectories
from hiql.engine.how_many import AUTO, MOST
from hiql.errors import ChainsNotMixed, NoIntervals
from hiql.evaluate.measures.effects import effects
from hiql.evaluate.words.doing import intentions_table
from hiql.evaluate.words.dwell import expected_dwell, outlasts_sessions
from hiql.evaluate.words.verdict import judge
from hiql.models import IntentionModel
from hiql.sweep.plan import FAMILIES, Source, check_families, check_pseudo_counts

Intervals = Annotated[
    bool,
    typer.Option("--intervals", help="Say how sure all numbers are, by draws from the posterior, kept with the model."),
]


def fit(
    data: DataFile,
    table: TableOptions,
    world: WorldOptions,
    clocks: ClockOptions,
    intentions: Annotated[
        str,
        typer.Option("--intentions", "-k", help="Number of intentions K; auto: as many as evidence asks for."),
    ] = "2",
    family: Family = None,
    history: Annotated[
        int | None, typer.Option(help="For tables of trials: how many past trials make a state.", show_default="1")
    ] = None,
    out: Annotated[Path, typer.Option(help="Where to write the model.")] = Path("model.hiql"),
    pseudo_count: Annotated[float, typer.Option(help="Added to every expected count of an action in a state.")] = 0.1,
    estimate: Annotated[
        str, typer.Option(help="mode, or bayes: posterior means, and the evidence of the model.")
    ] = "mode",
    restarts: Annotated[int, typer.Option(help="Random starts; the best is taken further.")] = 4,
    seed: Annotated[int, typer.Option(help="Seed of the search; the same seed gives the same fit.")] = 0,
    jobs: Annotated[int, typer.Option(help="Threads; -1 for all cores.")] = 1,
    intervals: Intervals = False,
    names: Names = None,
    as_json: AsJson = False,
) -> None:
    """Fit K intentions to a table and save the model.

    Example: hiql fit mice.csv -k 2 --world labyrinth --out model.hiql

    Example: hiql fit trials.csv -k 3 --history 2 --choice side --outcome reward

    Example: hiql fit mice.csv -k auto --estimate bayes

    Example: hiql fit trials.csv -k 3 --choice side --inputs contrast --switch-inputs pupil

    With --inputs or --memory and no states, choices are a regression on these inputs: a GLM-HMM.
    """
    number = number_or_auto(intentions)
    called = names_in(names, range(1, MOST + 1) if number == AUTO else [int(number)])
    rows = load_table(data)
    layout = table.layout(rows, history)
    known = world.load()
    trajectories = read(rows, layout, known)
    roles = table.roles(rows, trajectories)
    chosen = family_for(layout, trajectories, roles, known_world=known is not None) if family is None else family
    check_families([chosen])
    facts = facts_of(data, rows, layout, trajectories, known and known[0]) | depends_on([chosen], trajectories, roles)
    if not as_json:
        print_understood(facts | {"cautions": [*facts["cautions"], *unheeded(facts)]})
    check_pseudo_counts([chosen], [pseudo_count])
    options: dict[str, Any] = {"pseudo_count": pseudo_count, "n_init": restarts, "random_state": seed, "n_jobs": jobs}
    options |= clocks.single(roles.switching) | {"estimate": estimate}
    source = Source({history: trajectories}, known and known[0], world.gamma, inputs=roles.choices or None)
    model = FAMILIES[chosen](source, number, **options).fit(trajectories)
    if called is not None and len(called) != model.n_intentions_:
        called, told = None, f"{model.n_intentions_} intentions were found, so the names were not used"
        note(f"{told}: name them with hiql report --names")
    remember(model, trajectories, data, layout, called)
    doubts = drawn_from(model, trajectories) if intervals else ()
    model.save(out)
    if as_json:
        print_json({"understood": facts, "model": str(out), "fit": fit_facts(model) | doing_facts(model, trajectories)})
    else:
        print_fit(model)
        for doubt in doubts:
            note(doubt)
        print_table(intentions_table(model, trajectories, names_of(model)), "What each does")
        next_commands = (shlex.join(["hiql", name, str(out), str(data)]) for name in ("report", "decode"))
        say(f"Saved to {out}. Next: {'  ·  '.join(next_commands)}")


def drawn_from(model: IntentionModel, data: Trajectories) -> tuple[str, ...]:
    """Draw from the posterior; why the intervals should not be relied on, or are lacking, if so."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ChainsNotMixed)  # told beside the table
        try:
            return tuple(model.sample_posterior(data).doubts)
        except NoIntervals as error:  # the fit is sound, and was long in the making
            return (str(error),)


SURE = "share_", "durations"
"""What intervals are printed of."""


def interval_facts(model: IntentionModel) -> dict[str, Any]:
    """Lower and upper bounds as plain values, and how good they are; nothing for a model without draws."""
    if not hasattr(model, "posterior_"):
        return {}
    bounds = {name.rstrip("_"): model.interval(name).tolist() for name in SURE}
    return {"intervals": bounds | {"level": 0.95, "told": model.posterior_.told, "doubts": model.posterior_.doubts}}


def doing_facts(model: IntentionModel, data: Trajectories) -> dict[str, Any]:
    """What each intention does, in words."""
    return {"intentions": intentions_table(model, data, names_of(model)).to_dict(orient="records")}


def fit_facts(model: IntentionModel) -> dict[str, Any]:
    """A fit as plain values."""
    return interval_facts(model) | {
        "n_intentions": model.n_intentions_,
        "log_likelihood": model.log_likelihood_,
        "evidence": getattr(model, "evidence_", None),
        "n_free": model.n_free_,
        "converged": model.converged_,
        "share": model.share_.tolist(),
        "initial": model.initial_.tolist(),
        "transition": model.transition_.tolist(),
        "expected_dwell": expected_dwell(model.transition_).tolist(),
        "names": names_of(model),
        "notes": list(model.notes_),
        "verdict": judge(model)._asdict(),
    }


def names_of(model: IntentionModel) -> list[str]:
    """The names in the model's file, or numbers."""
    return list(model.names_)


def print_fit(model: IntentionModel) -> None:
    """The intentions, one a row, and what to watch out for."""
    dwell = expected_dwell(model.transition_)
    longer = outlasts_sessions(dwell, model.about_.get("mean_session", np.inf))
    columns: dict[str, Any] = {
        "intention": [f"{i} {name}" for i, name in enumerate(names_of(model), start=1)],
        "share of steps": [f"{share:.1%}" for share in model.share_],
        "starts a session": [f"{p:.1%}" for p in model.initial_],
        "mean stay (steps)": [
            "longer than a session" if beyond else f"{steps:.1f}" for steps, beyond in zip(dwell, longer, strict=True)
        ],
    }
    if hasattr(model, "posterior_"):
        (least, most), (shortest, longest) = (model.interval(name) for name in SURE)
        columns["share, 95 %"] = [f"{low:.1%} – {high:.1%}" for low, high in zip(least, most, strict=True)]
        stays = (f"{low:.1f} – {high:.1f}" for low, high in zip(shortest, longest, strict=True))
        columns["stay, 95 %"] = [stay.replace("inf", "∞") for stay in stays]
    for j in range(model.n_intentions_):
        columns[f"→ {j + 1}"] = [f"{p:.3f}" for p in model.transition_[:, j]]
    known = f", evidence {model.evidence_:.1f} nats" if hasattr(model, "evidence_") else ""
    title = f"{model.n_intentions_} intentions, log-likelihood {model.log_likelihood_:.1f} nats{known}"
    print_table(pd.DataFrame(columns), title)
    if hasattr(model, "weights_"):
        print_table(weights_table(model), "What choices weigh: log-odds for one standard deviation of each input")
    if model.n_intentions_ > 1 and longer.all():
        note(
            "every intention lasts longer on average than a session: the report says whether they change within "
            "sessions or tell sessions (or subjects) apart"
        )
    if hasattr(model, "posterior_"):
        say(model.posterior_.told)
    print_verdict(judge(model))
    for told in model.notes_:
        if told not in model.doubts:
            say(f"{told}.")


def weights_table(model: IntentionModel) -> pd.DataFrame:
    """The weights of each intention, against the mean of all actions, or of the second action where there are two."""
    found = effects(model, model.coding_.example(1), errors=False)
    rows = []
    for i, name in enumerate(names_of(model)):
        for c, contrast in enumerate(found.contrasts):
            sizes = zip((*found.names, "bias"), found.size[i, c], strict=True)
            rows.append({"intention": name, "of": contrast} | {what: f"{size:+.2f}" for what, size in sizes})
    return pd.DataFrame(rows)
