"""The choice of a sweep in words."""

from __future__ import annotations

import pandas as pd

from hiql.data.readings import told_reading
from hiql.priors.estimates import TIE


def explain_held_out(table: pd.DataFrame, chosen: int, best: int) -> str:
    """Why this candidate, and whether BIC agrees; whether to trust it is the verdict's to say."""
    return " ".join(filter(None, [_choice(table, chosen, best), _bic(table, chosen)]))


def explain_bic(table: pd.DataFrame, chosen: int, best: int) -> str:
    """Why this candidate, and whether held-out sessions agree."""
    held_out = (
        "The held-out log-likelihood is highest there too."
        if chosen == best
        else f"The held-out log-likelihood is highest for {name(table, best)}: {table['held_out'][best]:.4f} nats per "
        f"step against {table['held_out'][chosen]:.4f}."
    )
    return f"Chosen: {name(table, chosen)}, which has the lowest BIC ({table['bic'][chosen]:.0f}). {held_out}"


def explain_evidence(table: pd.DataFrame, chosen: int, best: int) -> str:
    """Why this candidate, what comes next and by how much, and whether held-out sessions and BIC agree."""
    evidence = table["evidence"]
    top, known = int(evidence.argmax()), evidence.notna()
    first = f"Chosen: {name(table, chosen)}, " + (
        f"which has the highest evidence ({evidence[chosen]:.1f} nats)."
        if chosen == top
        else f"the simplest within {TIE:g} nats of the highest evidence ({evidence[chosen]:.1f} nats against "
        f"{evidence[top]:.1f}, {name(table, top)})."
    )
    below = (evidence[chosen] - evidence.drop(index=[chosen, top], errors="ignore")).dropna().sort_values()
    held_out = "" if pd.isna(table["held_out"][chosen]) or chosen == best else (
        f"The held-out log-likelihood is highest for {name(table, best)}."
    )  # fmt: skip
    without = "" if known.all() else f"{(~known).sum()} candidates have no evidence and are not compared."
    return " ".join(filter(None, [first, _runners_up(table, below), held_out, _bic(table, chosen), without]))


def _runners_up(table: pd.DataFrame, below: pd.Series) -> str:
    """By how much the next one falls short, or which ones cannot be told from the chosen one."""
    if below.empty:
        return ""
    ties = [int(position) for position in below.index[below < TIE]]
    if ties:
        shown = "; ".join(f"{name(table, each)} ({-below[each]:+.1f})" for each in ties[:4])
        return f"Within {TIE:g} nats of it, and so not to be told from it: {shown}{' …' if len(ties) > 4 else ''}."
    return f"Next comes {name(table, int(below.index[0]))}, {below.iloc[0]:.1f} nats below."


def told_limits(table: pd.DataFrame, chosen: int, n_left_out: int, n_unable: int = 0) -> str:
    """Where the choice lies at the edge of what was tried, and which candidates could not be judged."""
    tried = table["n_intentions"]
    at_edge = tried.nunique() > 1 and tried.iloc[chosen] == tried.max()
    edge = "It is the largest K tried: try larger ones." if at_edge else ""
    left_out = f"{n_left_out} candidates are left out, as some of their fits failed." if n_left_out else ""
    verbs = "candidate has no evidence and was" if n_unable == 1 else "candidates have no evidence and were"
    unable = f"{n_unable} {verbs} not fitted." if n_unable else ""
    return " ".join(filter(None, [edge, left_out, unable]))


def name(table: pd.DataFrame, position: int) -> str:
    """A candidate by the axes on which the candidates differ; K always."""
    row = table.iloc[position]
    words = {
        "history": "{}",
        "family": "{}",
        "pseudo_count": "pseudo-count {:g}",
        "dynamics": "{}",
        "prior": "{} prior",
        "pool": "pooled by {}",
    }
    shown = [axis for axis in words if table[axis].nunique(dropna=False) > 1 and not pd.isna(row[axis])]
    told = row.to_dict() | {"history": told_reading(row["history"])}
    parts = [words[axis].format(told[axis]) for axis in shown]
    return ", ".join([f"K = {row['n_intentions']}", *parts])


def _choice(table: pd.DataFrame, chosen: int, best: int) -> str:
    ours, top = table.iloc[chosen], table.iloc[best]
    score = f"a held-out log-likelihood of {ours['held_out']:.4f} nats per step"
    if chosen == best:
        is_simplest = pd.isna(ours["n_free"]) or ours["n_free"] == table["n_free"].min()
        simpler = "" if is_simplest else ", and no simpler candidate comes within one standard error of it"
        return f"Chosen: {name(table, chosen)}. It has the highest score, {score}{simpler}."
    return (
        f"Chosen: {name(table, chosen)}. With {score} it lies {-ours['gap']:.4f} below the best, {name(table, best)} "
        f"({top['held_out']:.4f}), which is within one standard error of that difference ({ours['gap_se']:.4f}), "
        f"and it has {_simpler(ours, top)}."
    )


def _simpler(ours: pd.Series, top: pd.Series) -> str:
    """In what a chosen candidate is simpler than the best one; parameters of pooled rows cannot be counted."""
    what = "n_intentions" if pd.isna(ours["n_free"]) or pd.isna(top["n_free"]) else "n_free"
    noun = {"n_intentions": "intentions", "n_free": "free parameters"}[what]
    if ours[what] < top[what]:
        return f"fewer {noun} ({ours[what]:g} against {top[what]:g})"
    rates = ours.get("switching", 0.0), top.get("switching", 0.0)
    often = f", and minds change less often (at {rates[0]:.1%} of steps against {rates[1]:.1%})"
    return f"no more {noun} ({ours[what]:g}){often if rates[0] < rates[1] else ''}"


def _bic(table: pd.DataFrame, chosen: int) -> str:
    if table["bic"].count() < 2 or pd.isna(table["bic"][chosen]):
        return ""
    lowest = int(table["bic"].argmin(skipna=True))
    return "BIC agrees." if lowest == chosen else f"BIC would choose {name(table, lowest)}."
