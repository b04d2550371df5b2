"""The outcome of a sweep in words: what was found, how sure it is, what was as good, what the data cannot tell.

Every sentence quotes numbers of a table that stands beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from hiql.data.trajectories import Trajectories
from hiql.evaluate.words.doing import intentions_table, where_each_is_left
from hiql.evaluate.words.dwell import expected_dwell, tell_sessions_apart
from hiql.evaluate.words.verdict import judge
from hiql.models import IntentionModel
from hiql.sweep.explanation import name
from hiql.sweep.rivals import as_good, best_of_each_k, paired, rivals_in_words, rivals_table
from hiql.sweep.selection import Selection

NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten")
FEW_GROUPS = 8
"""With fewer sessions than this, errors of differences are rough."""


class Said(NamedTuple):
    """A question, what is answered, and the numbers behind it, already rounded; None where the text has them all."""

    question: str
    text: str
    numbers: pd.DataFrame | None = None


def answer(
    model: IntentionModel, data: Trajectories, selection: Selection, names: Sequence[str] | None = None
) -> tuple[Said, ...]:
    """What a sweep found, question by question. ``model`` is the chosen candidate, fitted to all the ``data``."""
    called = names or [f"intention {i + 1}" for i in range(model.n_intentions_)]
    intentions = intentions_table(model, data, called)
    return (
        Said("How many intentions?", _how_many(selection), numbers_by_k(selection)),
        Said("What does each do, and when is it left?", _doing(model, data, called), intentions),
        Said("Do animals differ, or switch?", _animals(data, selection)),
        Said("How sure is this?", _how_sure(model, data, selection)),
        Said("What was second best, or as good?", rivals_in_words(selection), rivals_table(selection)),
        Said("What can these data not tell?", _limits(model, data, selection)),
    )


# --- how many -------------------------------------------------------------------------------------------------------


def numbers_by_k(selection: Selection) -> pd.DataFrame:
    """The best candidate of each K."""
    rows = best_of_each_k(selection.table, selection.chosen)
    shown = {
        "K": [f"{k}" for k in rows["n_intentions"]],
        "best candidate": [name(selection.table, int(i)).partition(", ")[2] for i in rows.index],
        "held out (nats/step)": [f"{score:.4f}" for score in rows["held_out"]],
        "difference to the choice": [paired(row) for _, row in rows.iterrows()],
        "BIC": [f"{bic:,.0f}" for bic in rows["bic"]],
        "evidence (nats)": [f"{evidence:,.1f}" for evidence in rows["evidence"]],
    }
    return _told_only(pd.DataFrame(shown).replace("nan", "–"))


def _how_many(selection: Selection) -> str:
    k = int(selection.table["n_intentions"].iloc[selection.chosen])
    count = NUMBERS[k] if k < len(NUMBERS) else str(k)
    rows = best_of_each_k(selection.table, selection.chosen).set_index("n_intentions")
    parts = [f"{count} {'intention' if k == 1 else 'intentions'}. {selection.explanation}"]
    if k > 1 and 1 in rows.index and np.isfinite(rows.loc[1, "to_chosen"]):
        row = rows.loc[1]
        parts.append(
            f"One intention predicts worse by {-row['to_chosen']:.4f} ± {row['to_chosen_se']:.4f} nats a step."
        )
    return " ".join(parts)


# --- what each does, and when ---------------------------------------------------------------------------------------


def _doing(model: IntentionModel, data: Trajectories, names: Sequence[str]) -> str:
    if model.n_intentions_ == 1:
        return "There is one intention, so nothing is switched."
    share, dwell = model.smooth_proba(data).mean(axis=0), expected_dwell(model.transition_)
    mean = float(data.lengths.mean())
    told = ", ".join(f"{called} {part:.0%}" for called, part in zip(names, share, strict=True))
    if any(where_each_is_left(model)):
        return f"Of the steps: {told}. How likely each is left depends on where, or after what: see the last column."
    if tell_sessions_apart(dwell, data, model.decode(data)):
        when = f"All of them last longer than a session ({mean:.0f} steps on average): they tell sessions apart."
    else:
        when = (
            "They last "
            + ", ".join("longer than a session" if steps > mean else f"{steps:.1f} steps" for steps in dwell)
            + " on average."
        )
    return f"Of the steps: {told}. {when}"


def _animals(data: Trajectories, selection: Selection) -> str:
    n = len(set(data.subjects))
    if n == 1:
        return "There is one animal, so the data cannot tell."
    return selection.traits or f"There are {n} animals; candidates without switching were not compared."


# --- how sure -------------------------------------------------------------------------------------------------------


def _how_sure(model: IntentionModel, data: Trajectories, selection: Selection) -> str:
    verdict = judge(model, selection.agreement, len(selection.failures))
    if model.n_intentions_ == 1:
        return verdict.sentence
    sure = float(model.smooth_proba(data).max(axis=1).mean())
    return f"{verdict.sentence} On average a step is given to its intention with probability {sure:.2f}."


# --- what else ------------------------------------------------------------------------------------------------------


def _limits(model: IntentionModel, data: Trajectories, selection: Selection) -> str:
    table, chosen = selection.table, selection.chosen
    told = ["Rewards are known up to a gauge, and a policy that explains a stretch need not be a goal."]
    near = as_good(table, chosen)
    for axis, what in (("dynamics", "when minds change"), ("n_intentions", "how many intentions there are")):
        values = {str(table[axis][i]) for i in near} - {str(table[axis][chosen])}
        if values:
            told.append(f"They cannot tell {what}: {', '.join(sorted(values))} would do as well.")
    unlike = [i for i in near if table["agrees_with_chosen"][i] < 0.9 and table["n_intentions"][i] > 1]
    if unlike and model.n_intentions_ > 1:
        least = float(table["agrees_with_chosen"][unlike].min())
        told.append(f"Candidates as good as the choice give as few as {least:.0%} of the steps to the same intention.")
    rare = float((data.pair_counts.sum(axis=1)[data.pair_counts.sum(axis=1) > 0] < 2 * data.n_actions).mean())
    if rare > 0.2 and hasattr(model, "policy_"):
        few = f"fewer than {2 * data.n_actions} times"
        told.append(f"{rare:.0%} of the states met were met {few}: what is done there is a guess.")
    if longer := _longer_histories(table, chosen):
        told.append(longer)
    if len(set(data.subjects)) == 1:
        told.append("There is one animal: whether others would do the same is open.")
    if data.n_sessions < FEW_GROUPS:
        told.append(f"There are {data.n_sessions} sessions only: errors of differences are rough.")
    return " ".join(told)


def _longer_histories(table: pd.DataFrame, chosen: int) -> str:
    """Where the longest history tried is chosen, as a flat table: real mice are predicted better by longer pooled ones,
    and no worse where these are not needed (``docs/theory/pooling.md``)."""
    lengths = [length for length in table["history"] if isinstance(length, int | np.integer)]
    longest = max(lengths, default=0)
    if not longest or table["history"][chosen] != longest or table["prior"][chosen] != "flat":
        return ""
    return (
        f"Histories longer than {longest} were not tried. Flat tables of them run out of trials; pooled ones may "
        f"predict better (--history {longest + 2} --prior pooled)."
    )


def _told_only(table: pd.DataFrame) -> pd.DataFrame:
    """Without columns in which nothing is known."""
    return table[[column for column in table if not table[column].isin(["–", ""]).all()]]
