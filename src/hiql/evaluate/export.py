"""What a model says about every step, as a table for neural analysis."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from hiql.data.trajectories import Trajectories
from hiql.errors import UnequalLengths
from hiql.models import IntentionModel


def decoding_table(model: IntentionModel, data: Trajectories, names: Sequence[str] | None = None) -> pd.DataFrame:
    """One row a step: subject, session, step, state, action, and what the model makes of it.

    - ``p_<name>``: p(intention | whole session). It looks ahead: do not relate it to neural activity causally;
    - ``causal_<name>``: p(intention | steps up to this one);
    - ``decoded``: the intention on the most likely path;
    - ``p_action``: the probability of the action taken, given the past only;
    - ``value``, ``advantage``, ``reward``: V(s), Q(s, a) − V(s) and r(s, a) of the decoded intention. Rewards and
      values are known up to a gauge (see the theory page); advantages are not affected by it.

    What depends on a missing state or action is missing.
    """
    texts = [str(i) for i in range(model.n_intentions)] if names is None else list(names)
    if len(texts) != model.n_intentions:
        raise UnequalLengths(field="names", length=len(texts), other="intentions", other_length=model.n_intentions)
    decoded = model.decode(data)
    table = data.to_dataframe()
    for prefix, proba in (("p", model.smooth_proba(data)), ("causal", model.filter_proba(data))):
        for i, text in enumerate(texts):
            table[f"{prefix}_{text}"] = proba[:, i]
    table["decoded"] = np.array(texts, dtype=object)[decoded]
    seen = (data.states >= 0) & (data.actions >= 0)
    at = decoded[seen], data.states[seen], data.actions[seen]
    proba = model.predict_action_proba(data)
    table["p_action"] = _where(seen, proba[np.flatnonzero(seen), data.actions[seen]])
    table["value"] = _where(data.states >= 0, model.value_[decoded, data.states][data.states >= 0])
    table["advantage"] = _where(seen, model.q_[at] - model.value_[at[:2]])
    table["reward"] = _where(seen, model.reward_[at])
    return table


def _where(known: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(N,) the values where they are known, NaN elsewhere."""
    column = np.full(len(known), np.nan)
    column[known] = values
    return column
