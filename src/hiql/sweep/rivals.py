"""The other candidates beside the chosen one: by what was held out, or, where nothing was, by evidence."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from hiql.priors.estimates import TIE
from hiql.sweep.explanation import name
from hiql.sweep.selection import Selection

MOST_RIVALS = 4


class Scale(NamedTuple):
    """What candidates are compared by: how far each lies above the chosen one, and what does not decide, by row.

    ``unit`` of a difference, and ``near``, the words for what cannot be told from the choice.
    """

    difference: pd.Series
    error: pd.Series
    shown: pd.Series
    unit: str
    near: str


def scale_of(table: pd.DataFrame, chosen: int) -> Scale:
    """Paired held-out differences; where there are none, evidence, which does not decide within ``TIE`` nats."""
    if table["to_chosen"].notna().any():
        shown = pd.Series([paired(row) for _, row in table.iterrows()], table.index)
        near = "Within one standard error of the choice"
        return Scale(table["to_chosen"], table["to_chosen_se"], shown, "nats a step", near)
    above = table["evidence"] - table["evidence"][chosen]
    shown = above.map(lambda nats: "–" if pd.isna(nats) else f"{nats:+.1f}")
    return Scale(above, above.notna() * TIE, shown, "nats of evidence", f"Within {TIE:g} nats of its evidence")


def paired(row: pd.Series) -> str:
    """A held-out difference to the choice, with its error."""
    if pd.isna(row["to_chosen"]) or (row["to_chosen"] == 0 and row["to_chosen_se"] == 0):
        return "–"
    return f"{row['to_chosen']:+.4f} ± {row['to_chosen_se']:.4f}"


def best_of_each_k(table: pd.DataFrame, chosen: int) -> pd.DataFrame:
    """The chosen candidate, and for every other K the one with the highest held-out score, evidence, or lowest BIC."""
    scores = table["held_out"], table["evidence"], -table["bic"]
    known = next((score for score in scores if score.notna().any()), scores[0])
    score = known.mask(table.index == chosen, np.inf)
    first = score.sort_values(ascending=False, kind="stable").index
    return table.loc[first].drop_duplicates("n_intentions").sort_values("n_intentions")


def as_good(table: pd.DataFrame, chosen: int) -> list[int]:
    """Positions of the other candidates that cannot be told from the chosen one, best first."""
    scale = scale_of(table, chosen)
    near = scale.difference[scale.difference.abs() <= scale.error].sort_values(ascending=False)
    return [int(i) for i in near.index if i != chosen]


def rivals_table(selection: Selection) -> pd.DataFrame | None:
    """The best of the other candidates, beside the choice."""
    table, chosen = selection.table, selection.chosen
    scale = scale_of(table, chosen)
    best = _others(scale, chosen)[:MOST_RIVALS]
    if scale.difference[best].isna().all():
        return None
    columns = {
        "candidate": [name(table, i) for i in best],
        "difference to the choice": [scale.shown[i] for i in best],
        "same intention at": [f"{table['agrees_with_chosen'][i]:.0%} of steps" for i in best],
    }
    return pd.DataFrame(columns)


def rivals_in_words(selection: Selection) -> str:
    """The second best, or all that are as good."""
    table, chosen = selection.table, selection.chosen
    scale = scale_of(table, chosen)
    if scale.difference.drop(index=chosen).isna().all():
        return "Nothing else was compared, or nothing was held out: see the table of candidates."
    near = as_good(table, chosen)
    if not near:
        second = _others(scale, chosen)[0]
        return f"Second best: {name(table, second)} ({scale.shown[second]} {scale.unit})."
    told = [
        f"{name(table, i)} ({scale.shown[i]}; it gives {table['agrees_with_chosen'][i]:.0%} of the steps to the "
        "same intention)"
        for i in near[:MOST_RIVALS]
    ]
    more = f" and {len(near) - MOST_RIVALS} more" if len(near) > MOST_RIVALS else ""
    return f"{scale.near}: {'; '.join(told)}{more}."


def _others(scale: Scale, chosen: int) -> list[int]:
    """All others, the best first."""
    best_first = scale.difference.drop(index=chosen).sort_values(ascending=False, kind="stable")
    return [int(i) for i in best_first.index]
