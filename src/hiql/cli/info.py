"""``hiql info``: what is installed, or what a file holds."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any

import typer

from hiql.cli.commands import AsJson, print_json, print_pairs
from hiql.cli.fit import fit_facts, print_fit
from hiql.cli.inputs import TableOptions, print_understood
from hiql.data.table_files import load_table
from hiql.data.understanding import understood
from hiql.models.persistence import load

PACKAGES = ("hiql", "numpy", "scipy", "numba", "pandas", "scikit-learn", "matplotlib", "plotly")
FOR_MACHINES = {"layout", "agreement", "n_failed", "mean_session"}
EXTRAS = {"app": "starlette", "dask": "distributed", "parquet": "pyarrow", "nwb": "pynwb"}


def info(
    table: TableOptions,
    path: Annotated[Path | None, typer.Argument(help="A model or a table.", show_default=False)] = None,
    as_json: AsJson = False,
) -> None:
    """Tell versions and extras; or what a model or a table holds.

    Example: hiql info

    Example: hiql info model.hiql

    Example: hiql info mice.csv
    """
    if path is None:
        show_versions(as_json)
    elif path.suffix == ".hiql":
        show_model(path, as_json)
    else:
        show_table(path, table, as_json)


def show_versions(as_json: bool) -> None:
    facts = {name: installed(name) or "absent" for name in PACKAGES}
    facts |= {f"hiql[{extra}]": installed(name) or f'pip install "hiql[{extra}]"' for extra, name in EXTRAS.items()}
    facts |= {"python": platform.python_version(), "platform": platform.platform(), "cores": str(os.cpu_count())}
    if as_json:
        print_json(facts)
    else:
        print_pairs(dict(facts), "hiql finds the discrete intentions behind behaviour")


def installed(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def show_model(path: Path, as_json: bool) -> None:
    model = load(path)
    coding = model.coding_
    facts: dict[str, Any] = {
        "kind": type(model).__name__,
        "states": model.n_states_,
        "actions": model.n_actions_,
        "action names": ", ".join(map(str, coding.action_labels or range(coding.n_actions))),
        "inputs": ", ".join(coding.input_names) or "none",
        "contexts": ", ".join(coding.context_names) or "none",
        "subjects": ", ".join(coding.subjects[:8]) + (", …" if len(coding.subjects) > 8 else ""),
        "world": str(model.world_ or "unknown"),
    } | {name: value for name, value in model.about_.items() if name not in FOR_MACHINES}
    if as_json:
        print_json({"model": facts, "about": model.about_, "fit": fit_facts(model)})
    else:
        print_pairs(facts, str(path))
        print_fit(model)


def show_table(path: Path, options: TableOptions, as_json: bool) -> None:
    rows = load_table(path)
    layout = options.layout(rows)
    data = layout.read(rows)
    facts = understood(path, rows, layout, data, None)
    if as_json:
        print_json(facts)
    else:
        print_understood(facts)
