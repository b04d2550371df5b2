"""How many intentions? Curves and a table of the candidates of a model selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hiql.data.readings import told_reading
from hiql.plots.style import FAINT, INK, PALETTE
from hiql.report.look import new_chart, whole_number_ticks
from hiql.report.markup import plotly_text

SETTINGS = {
    "family": "{}",
    "history": "{}",
    "pseudo_count": "pseudo-count {:g}",
    "dynamics": "{}",
    "prior": "{} prior",
    "pool": "pooled by {}",
}
"""What tells the lines of a chart apart, and how it is written; only what differs is."""
SPOKEN: dict[str, Callable[[Any], str]] = {"history": told_reading}
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "triangle-down", "cross", "star", "hexagon")


def held_out_chart(table: pd.DataFrame, chosen: int) -> go.Figure:
    """Held-out log-likelihood per step ± standard error against K."""
    figure = _chart("held out (nats per step)")
    for _, rows, style in _lines(table):
        figure.add_scatter(
            x=rows["n_intentions"], y=rows["held_out"], error_y=_bars(rows["held_out_se"], style), **style,
            hovertemplate="K = %{x}: %{y:.4f} ± %{error_y.array:.4f}<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    return _finished(figure, table, chosen, "held_out")


def evidence_chart(table: pd.DataFrame, chosen: int) -> go.Figure:
    """The lower bound of log p(data) against K: higher is better."""
    figure = _chart("evidence (nats)")
    for _, rows, style in _lines(table):
        hover = "K = %{x}: %{y:,.1f}<extra>%{fullData.name}</extra>"
        figure.add_scatter(x=rows["n_intentions"], y=rows["evidence"], hovertemplate=hover, **style)
    return _finished(figure, table, chosen, "evidence")


def gap_chart(table: pd.DataFrame, chosen: int) -> go.Figure:
    """The paired difference of every candidate to the chosen one ± its standard error, against K."""
    figure = _chart("difference to the choice (nats per step)")
    for _, rows, style in _lines(table):
        figure.add_scatter(
            x=rows["n_intentions"], y=rows["to_chosen"], error_y=_bars(rows["to_chosen_se"], style), **style,
            hovertemplate="K = %{x}: %{y:+.4f} ± %{error_y.array:.4f}<extra>%{fullData.name}</extra>",
        )  # fmt: skip
    figure.add_hline(y=0, line={"color": FAINT, "width": 1})
    return _finished(figure, table, chosen, "to_chosen")


def bic_chart(table: pd.DataFrame, chosen: int) -> go.Figure:
    """BIC of the training data against K: lower is better."""
    figure = _chart("BIC (lower is better)")
    for _, rows, style in _lines(table):
        hover = "K = %{x}: %{y:,.0f}<extra>%{fullData.name}</extra>"
        figure.add_scatter(x=rows["n_intentions"], y=rows["bic"], hovertemplate=hover, **style)
    return _finished(figure, table, chosen, "bic")


def agreement_chart(table: pd.DataFrame, chosen: int) -> go.Figure:
    """How alike restarts (lines) and folds (dotted) are: 1 when they find the same intentions."""
    figure = _chart("agreement of fits")
    for _, rows, style in _lines(table):
        for column, what, dash in (("restart_agreement", "restarts", "solid"), ("fold_agreement", "folds", "dot")):
            if rows[column].notna().any():
                hover = f"K = %{{x}}, {what}: %{{y:.3f}}<extra>%{{fullData.name}}</extra>"
                dashed = style | {"line": {**style["line"], "dash": dash}}
                figure.add_scatter(x=rows["n_intentions"], y=rows[column], hovertemplate=hover, **dashed)
    figure.update_yaxes(range=[0, 1.05])
    column = "restart_agreement" if pd.notna(table["restart_agreement"].iloc[chosen]) else "fold_agreement"
    return _finished(figure, table, chosen, column)


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """The candidates as people read them; columns without content are left out."""
    told = table.assign(gap=table["gap"].replace(0.0, np.nan))  # the best has none to itself
    filled = told.dropna(axis="columns", how="all")
    columns: dict[str, Any] = {"K": filled["n_intentions"]}
    columns |= {name.replace("_", "-"): filled[name].map(_setting) for name in differing(table)}
    columns["free parameters"] = _numbers(filled, "n_free", "{:,.0f}")
    columns["train (nats/step)"] = _numbers(filled, "train", "{:.4f}")
    columns["held out (nats/step)"] = _numbers(filled, "held_out", "{:.4f}", "held_out_se")
    columns["gap to the best"] = _numbers(filled, "gap", "{:.4f}", "gap_se")
    columns["evidence (nats)"] = _numbers(filled, "evidence", "{:,.1f}")
    columns["BIC"] = _numbers(filled, "bic", "{:,.0f}")
    columns["restarts agree"] = _numbers(filled, "restart_agreement", "{:.0%}")
    columns["folds agree"] = _numbers(filled, "fold_agreement", "{:.0%}")
    return pd.DataFrame({name: column for name, column in columns.items() if column is not None})


def differing(table: pd.DataFrame) -> list[str]:
    """The settings, other than K, in which candidates differ."""
    return [name for name in SETTINGS if name in table and table[name].nunique(dropna=False) > 1]


def common_settings(table: pd.DataFrame) -> str:
    """The settings that all candidates share, in words."""
    same = [name for name in SETTINGS if name in table and name not in differing(table)]
    return ", ".join(_told(name, table[name].iloc[0]) for name in same if pd.notna(table[name].iloc[0]))


def _numbers(table: pd.DataFrame, name: str, form: str, error: str | None = None) -> list[str] | None:
    """A column as text, with its standard error where there is one; a missing number is a dash."""
    if name not in table:
        return None
    errors = table[error] if error in table else [np.nan] * len(table)
    texts = []
    for value, e in zip(table[name], errors, strict=True):
        number = "–" if pd.isna(value) else form.format(value).replace("-", "−").replace("%", "\u00a0%")
        texts.append(number if pd.isna(value) or pd.isna(e) else f"{number} ± {e:.4f}")
    return texts


def _setting(value: Any) -> str:
    return "–" if pd.isna(value) else f"{value:g}" if isinstance(value, float) else str(value)


def _told(name: str, value: Any) -> str:
    return SETTINGS[name].format(SPOKEN.get(name, lambda same: same)(value))


def line_colours(table: pd.DataFrame) -> dict[str, str]:
    """The name of every line and its colour."""
    return {name: style["line"]["color"] for name, _, style in _lines(table)}


def _lines(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, dict[str, Any]]]:
    """The candidates that differ in K alone, with what they share (their name) and how their line looks."""
    keys = differing(table)
    groups = list(table.groupby(keys, dropna=False, sort=False)) if keys else [((), table)]
    for i, (values, rows) in enumerate(groups):
        texts = [_told(key, value) for key, value in zip(keys, values, strict=True) if pd.notna(value)]
        colour = PALETTE[i % len(PALETTE)]
        style = {
            "name": plotly_text(", ".join(texts)),
            "mode": "lines+markers",
            "line": {"color": colour, "width": 2},
            "marker": {"color": colour, "size": 7, "symbol": SYMBOLS[i % len(SYMBOLS)]},
            "showlegend": False,
        }
        yield ", ".join(texts), rows.sort_values("n_intentions"), style


def _bars(errors: pd.Series, style: dict[str, Any]) -> dict[str, Any]:
    return {"type": "data", "array": errors, "thickness": 1.2, "width": 3, "color": style["line"]["color"]}


def _chart(title: str) -> go.Figure:
    return new_chart(height=330, xaxis_title="number of intentions K", yaxis_title=title)


def _finished(figure: go.Figure, table: pd.DataFrame, chosen: int, column: str) -> go.Figure:
    """A ring around the chosen candidate, and whole numbers below."""
    row = table.iloc[chosen]
    ring = {"color": "rgba(0,0,0,0)", "size": 17, "line": {"color": INK, "width": 2}}
    figure.add_scatter(
        x=[row["n_intentions"]], y=[row[column]], mode="markers", marker=ring, hoverinfo="skip", showlegend=False
    )
    low, high = int(table["n_intentions"].min()), int(table["n_intentions"].max())
    return figure.update_xaxes(range=[low - 0.4, high + 0.4], **whole_number_ticks(low, high))
