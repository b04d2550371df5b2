"""How many intentions? Likelihood and BIC against K."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from hiql.errors import ColumnNotFound
from hiql.plots.curves import draw_curves
from hiql.plots.style import FAINT, INK, PALETTE

LINES = {"train": ("training", PALETTE[5]), "held_out": ("held out", PALETTE[0])}
"""Columns of log-likelihood per step: what they are called, and their colour."""


def draw_selection(axes: Sequence[Axes], table: pd.DataFrame, chosen: int | None = None) -> None:
    """Log-likelihood per step onto the first axis, BIC onto the second, against the number of intentions.

    Parameters
    ----------
    axes : two axes
    table : one row a fit, with the columns ``n_intentions``, ``bic`` and at least one of ``train`` and
        ``held_out`` (log-likelihoods per step, in nats). Rows with the same ``n_intentions`` (folds, animals)
        are drawn as mean ± standard error.
    chosen : the K to mark; by default the one with the lowest mean BIC
    """
    for name in ("n_intentions", "bic"):
        if name not in table:
            raise ColumnNotFound(field=name, column=name, available=list(table.columns))
    likelihood, criterion = axes
    scores = [name for name in (*LINES, "bic") if name in table]
    groups = table.groupby("n_intentions")[scores]
    mean, error = groups.mean(), groups.sem()
    for name in scores[:-1]:
        label, colour = LINES[name]
        draw_curves(likelihood, mean.index, mean[name], error[name], label, colour=colour)
    draw_curves(criterion, mean.index, mean["bic"], error["bic"], colour=INK)
    best = int(mean.index[int(mean["bic"].argmin())]) if chosen is None else chosen
    for ax in axes:
        ax.axvline(best, color=FAINT, linestyle="--", linewidth=0.8, zorder=1)
        ax.set_xticks(list(mean.index))
        ax.set_xlabel("number of intentions K")
    criterion.annotate(f"K = {best}", (best, 1.0), xycoords=("data", "axes fraction"), ha="center", va="bottom")
    likelihood.set_ylabel("log-likelihood per step (nats)")
    criterion.set_ylabel("BIC (lower is better)")
    likelihood.legend()
