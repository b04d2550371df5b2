"""``hiql decode``: what a model says about every step of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import numpy.typing as npt
import pandas as pd
import typer

from hiql.cli.commands import AsJson, print_json, say
from hiql.cli.inputs import DataFile, ModelFile, NewTableOptions, print_recognised, read_for
from hiql.data.tables import column
from hiql.data.understanding import understood
from hiql.errors import InvalidParameter
from hiql.export import METHODS, decoding_table, write_steps
from hiql.models.persistence import load


def decode(
    model: ModelFile,
    data: DataFile,
    table: NewTableOptions,
    out: Annotated[Path, typer.Option(help="Where to write: .csv, .csv.gz, .tsv, .parquet or .nwb.")] = Path(
        "posterior.csv"
    ),
    method: Annotated[
        str, typer.Option(help=f"Which columns: {', '.join(METHODS)}. smooth looks ahead, filter does not.")
    ] = "all",
    time: Annotated[
        str | None, typer.Option(help="Column of times in seconds, for .nwb.", show_default="step numbers")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Decode a table: one row a step, in the order of the table, with probabilities, values and p(action).

    Columns are read as they were when the model was fitted, unless named. What is written: row (of your table, from
    0), subject, session, step (yours, if there is one), state, action, next_state; p_NAME, the probability of an
    intention given the whole session (it looks ahead); causal_NAME, given the steps so far; decoded, the most likely
    path; p_action, the probability of the action taken given the past; value, advantage and reward of that action under
    the decoded intention: values and rewards may be compared within one intention only. NWB holds one session a file:
    with several, they are written as NAME-SUBJECT-SESSION.nwb.

    Example: hiql decode model.hiql mice.csv --out posterior.csv

    Example: hiql decode model.hiql mice.csv --out decoded.nwb --time seconds
    """
    if method not in METHODS:
        raise InvalidParameter(parameter="method", value=method, remedy=f"choose from {', '.join(METHODS)}")
    fitted = load(model)
    rows, layout, trajectories = read_for(fitted, data, table)
    facts = understood(data, rows, layout, trajectories, fitted.world_)
    if not as_json:
        print_recognised(facts)
    steps = decoding_table(fitted, trajectories, fitted.about_.get("names"), method=method)
    steps.insert(0, "row", layout.rows(rows))
    steps = steps.sort_values("row", ignore_index=True)
    if layout.step is not None:
        steps["step"] = rows[layout.step].to_numpy()  # the user's own numbers, to join tables by
    times = None if time is None else numbers(rows, time)
    written = write_steps(out, steps, about=f"Model: {model.name}. {fitted.about_.get('command', '')}", times=times)
    score = fitted.score(trajectories, per="step")
    if as_json:
        files = [str(path) for path in written]
        print_json({"understood": facts, "written": files, "log_likelihood_per_step": score})
    else:
        more = f" and {len(written) - 1} more" if len(written) > 1 else ""
        say(f"Log-likelihood of these data: {score:.4f} nats per step.")
        say(f"{len(steps):,} steps written to {written[0]}{more}.")


def numbers(rows: pd.DataFrame, name: str) -> npt.NDArray[np.float64]:
    """A column of numbers; anything else in it is missing."""
    return pd.to_numeric(column(rows, "time", name), errors="coerce").to_numpy(dtype=np.float64)
