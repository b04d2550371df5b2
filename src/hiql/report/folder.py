"""What a sweep leaves behind: the table, its figure, the chosen model and the report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from hiql.files import write_whole
from hiql.models import IntentionModel
from hiql.plots import draw_selection, new_figure, save_figure, style
from hiql.report.write import write_report
from hiql.sweep import Selection, Source
from hiql.sweep.answer import answer


def write_selection(
    folder: Path,
    selection: Selection,
    model: IntentionModel,
    source: Source,
    names: Sequence[str] | None = None,
) -> dict[str, Path]:
    """Write selection.csv, selection.png (and .svg), model.hiql and report.html; returns where they are."""
    files = {
        "table": folder / "selection.csv",
        "figure": folder / "selection.png",
        "model": folder / "model.hiql",
        "report": folder / "report.html",
    }
    write_whole(files["table"], selection.table.to_csv(index=False))
    with style():
        figure = new_figure(7.5, 2.8)
        draw_selection(figure.subplots(1, 2), like_chosen(selection), chosen=selection.unit["n_intentions"])
    save_figure(figure, folder / "selection")
    model.save(files["model"])
    data = source.data[selection.unit["history"]]
    said = answer(model, data, selection, names)
    page: dict[str, Any] = {"selection": selection, "names": names, "about": told(model), "said": said}
    write_report(files["report"], model, data, world=source.mdp, **page)
    return files


NOT_TOLD = {"names", "layout", "agreement", "n_failed", "mean_session"}
"""What the page shows elsewhere, or what is for machines."""


def told(model: IntentionModel) -> dict[str, str]:
    """What a model's file says about how it was made, as text; names are shown elsewhere."""
    return {name: str(value) for name, value in model.about_.items() if name not in NOT_TOLD}


def like_chosen(selection: Selection) -> pd.DataFrame:
    """The candidates that differ from the chosen one in the number of intentions only."""
    axes = ["family", "history", "pseudo_count", "dynamics", "prior", "pool"]
    keys = selection.table[axes].astype(object).where(selection.table[axes].notna(), None)
    return selection.table[(keys == keys.iloc[selection.chosen]).all(axis=1) | keys.index.isin([selection.chosen])]
