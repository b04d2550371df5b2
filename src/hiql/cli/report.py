"""``hiql report``: everything about a fit on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hiql.cli.commands import AsJson, print_json, print_verdict, say
from hiql.cli.inputs import (
    DataFile,
    ModelFile,
    Names,
    NewTableOptions,
    names_in,
    print_recognised,
    read_for,
)
from hiql.data.understanding import understood
from hiql.evaluate.words.verdict import judge
from hiql.models.persistence import load


def report(
    model: ModelFile,
    data: DataFile,
    table: NewTableOptions,
    out: Annotated[Path, typer.Option(help="Where to write the page.")] = Path("report.html"),
    names: Names = None,
    as_json: AsJson = False,
) -> None:
    """Write one HTML page about a fit, to open in any browser and to mail: it needs no network.

    Columns are read as they were when the model was fitted, unless named. Names of intentions are kept in MODEL, so
    that hiql decode and later reports use them, too.

    Example: hiql report model.hiql mice.csv --out report.html --names engaged,biased
    """
    from hiql.report import told, write_report

    fitted = load(model)
    called = names_in(names, [fitted.n_intentions_])
    rows, layout, trajectories = read_for(fitted, data, table)
    facts = understood(data, rows, layout, trajectories, fitted.world_)
    if not as_json:
        print_recognised(facts)
    if called is not None:
        fitted.about_["names"] = called
        fitted.save(model)
    about = told(fitted) | {"shown data": data.name}
    written = write_report(out, fitted, trajectories, names=fitted.about_.get("names"), about=about)
    if as_json:
        print_json({"understood": facts, "written": [str(written)], "verdict": judge(fitted)._asdict()})
    else:
        print_verdict(judge(fitted))
        say(f"Open {written} ({written.stat().st_size / 1e6:.1f} MB).")
