"""What a model says about every step, as a table for neural analysis."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, UnequalLengths
from hiql.models import IntentionModel
from hiql.models.scoring import taken_proba

OURS = ("row", "decoded", "p_action", "value", "advantage", "reward")
"""Columns that decoding adds."""
METHODS = ("all", "smooth", "filter", "viterbi")


def decoding_table(
    model: IntentionModel, data: Trajectories, names: Sequence[str] | None = None, *, method: str = "all"
) -> pd.DataFrame:
    """One row a step: its columns as in ``data.to_dataframe()``, and what the model makes of it.

    - ``p_<name>``: p(intention | whole session). It looks ahead: do not relate it to neural activity causally;
    - ``causal_<name>``: p(intention | steps up to this one);
    - ``decoded``: the intention on the most likely path;
    - ``p_action``: the probability of the action taken, given the past only;
    - ``value``, ``advantage``, ``reward``: V(s), Q(s, a) − V(s) and r(s, a) of the decoded intention, if the model has
      rewards. Rewards and values are known up to a gauge (see the theory page); advantages are not affected by it.

    ``names`` are K names, "1", "2", … by default. ``method`` leaves out some of the first three: "smooth", "filter"
    and "viterbi" keep one of them each. What depends on a missing state or action is missing.
    """
    texts = [str(i + 1) for i in range(model.n_intentions_)] if names is None else list(names)
    if len(texts) != model.n_intentions_:
        raise UnequalLengths(field="names", length=len(texts), other="intentions", other_length=model.n_intentions_)
    if method not in METHODS:
        raise InvalidParameter(parameter="method", value=method, remedy=f"choose from {', '.join(METHODS)}")
    table = _with_own_names(data.to_dataframe())
    for wanted, prefix, proba in (("smooth", "p", model.smooth_proba), ("filter", "causal", model.filter_proba)):
        if method in {"all", wanted}:
            table[[f"{prefix}_{word}" for word in _column_words(texts)]] = proba(data)
    path = model.decode(data)
    if method in {"all", "viterbi"}:
        table["decoded"] = np.array(texts, dtype=object)[path]
    return table.assign(**_consequences(model, data, path))


def _with_own_names(table: pd.DataFrame) -> pd.DataFrame:
    """The user's columns, renamed where they would be taken for ours: an input "reward" becomes "input_reward"."""
    taken = [name for name in table if name in OURS or name.startswith(("p_", "causal_"))]
    return table.rename(columns={name: f"input_{name}" for name in taken})


def _column_words(names: Sequence[str]) -> list[str]:
    """Names as parts of column names, each its own, and none that would make p_action."""
    words = [in_one_word(name) for name in names]
    if len(set(words)) < len(words) or "action" in words or not all(words):
        return [f"{word or 'intention'}_{i + 1}" for i, word in enumerate(words)]
    return words


def in_one_word(name: str) -> str:
    """A name that can be part of a column name: "to water" → "to_water"."""
    return re.sub(r"\W+", "_", name).strip("_")


def _consequences(model: IntentionModel, data: Trajectories, path: np.ndarray) -> dict[str, np.ndarray]:
    """p(action), and value, advantage and reward of the action taken under the decoded intention, where it has any."""
    columns = {"p_action": taken_proba(model, data)}
    if not hasattr(model, "reward_"):
        return columns
    seen = data.observed
    at = path[seen], data.states[seen], data.actions[seen]
    return columns | {
        "value": _where(data.states >= 0, model.value_[path, data.states][data.states >= 0]),
        "advantage": _where(seen, model.q_[at] - model.value_[at[:2]]),
        "reward": _where(seen, model.reward_[at]),
    }


def _where(known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(N,) the values where they are known, NaN elsewhere."""
    column = np.full(len(known), np.nan)
    column[known] = values
    return column
