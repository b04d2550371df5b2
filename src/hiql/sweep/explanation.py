"""The choice of a sweep in words."""

from __future__ import annotations

import pandas as pd


def explain(table: pd.DataFrame, chosen: int, best: int, by: str, n_left_out: int = 0) -> str:
    """Why this candidate, and whether the other criterion agrees; whether to trust it is the verdict's to say."""
    choice = [_lowest_bic(table, chosen, best)] if by == "bic" else [_choice(table, chosen, best), _bic(table, chosen)]
    left_out = f"{n_left_out} candidates are left out, as some of their fits failed." if n_left_out else ""
    return " ".join(filter(None, [*choice, _edge(table, chosen), left_out]))


def name(table: pd.DataFrame, position: int) -> str:
    """A candidate by the axes on which the candidates differ; K always."""
    row = table.iloc[position]
    words = {"history": "history {:g}", "family": "{}", "pseudo_count": "pseudo-count {:g}"}
    parts = [text.format(row[axis]) for axis, text in words.items() if table[axis].nunique() > 1]
    return ", ".join([f"K = {row['n_intentions']}", *parts])


def _choice(table: pd.DataFrame, chosen: int, best: int) -> str:
    ours, top = table.iloc[chosen], table.iloc[best]
    score = f"a held-out log-likelihood of {ours['held_out']:.4f} nats per step"
    if chosen == best:
        is_simplest = ours["n_free"] == table["n_free"].min()
        simpler = "" if is_simplest else ", and no simpler candidate comes within one standard error of it"
        return f"Chosen: {name(table, chosen)}. It has the highest score, {score}{simpler}."
    return (
        f"Chosen: {name(table, chosen)}. With {score} it lies {-ours['gap']:.4f} below the best, {name(table, best)} "
        f"({top['held_out']:.4f}), which is within one standard error of that difference ({ours['gap_se']:.4f}), "
        f"and it has {_parameters(ours['n_free'], top['n_free'])}."
    )


def _parameters(ours: int, theirs: int) -> str:
    return f"fewer free parameters ({ours} against {theirs})" if ours < theirs else f"no more free parameters ({ours})"


def _bic(table: pd.DataFrame, chosen: int) -> str:
    lowest = int(table["bic"].to_numpy().argmin())
    if len(table) == 1:
        return ""
    return "BIC agrees." if lowest == chosen else f"BIC would choose {name(table, lowest)}."


def _lowest_bic(table: pd.DataFrame, chosen: int, best: int) -> str:
    held_out = (
        "The held-out log-likelihood is highest there too."
        if chosen == best
        else f"The held-out log-likelihood is highest for {name(table, best)}: {table['held_out'][best]:.4f} nats per "
        f"step against {table['held_out'][chosen]:.4f}."
    )
    return f"Chosen: {name(table, chosen)}, which has the lowest BIC ({table['bic'][chosen]:.0f}). {held_out}"


def _edge(table: pd.DataFrame, chosen: int) -> str:
    tried = table["n_intentions"]
    at_edge = tried.nunique() > 1 and tried.iloc[chosen] == tried.max()
    return "It is the largest K tried: try larger ones." if at_edge else ""
