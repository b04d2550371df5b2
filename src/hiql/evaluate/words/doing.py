"""What each intention does, and when it is left, in words with the numbers that they stand for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.codes import label_text
from hiql.data.trajectories import Trajectories
from hiql.errors import HiqlError
from hiql.evaluate.measures.by_state import policy_by_state
from hiql.evaluate.measures.effects import effects
from hiql.evaluate.measures.leaving import leaving
from hiql.evaluate.measures.occupancy import expected_visits
from hiql.evaluate.words.dwell import expected_dwell, find_runs
from hiql.evaluate.words.strategies import strategy_profile
from hiql.models import IntentionModel
from hiql.parts.reads import SUBJECT

FloatArray = npt.NDArray[np.float64]
MOST_NAMED = 2
"""States, inputs and places named of each intention."""
RARE = 1.0
"""Expected visits below which nothing is said of what an intention does in a state."""


def what_each_does(model: IntentionModel, data: Trajectories) -> list[str]:
    """A phrase for each intention, with numbers: after wins and losses, by inputs, or where it differs from others."""
    if hasattr(model, "weights_"):
        return _by_inputs(model, data)
    smoothed = model.smooth_proba(data)
    policy, visits = policy_by_state(model, data, smoothed), expected_visits(data, smoothed)
    try:
        profile = strategy_profile(model, data)
    except HiqlError:  # these are no trials with numbers as outcomes
        return _by_states(policy, visits, data)
    if np.isnan(profile).any():
        return _by_states(policy, visits, data)
    chosen = np.einsum("ks,ksa->ka", visits, policy) / np.maximum(visits.sum(axis=1), RARE)[:, None]
    most, labels = chosen.argmax(axis=1), action_labels(data)
    return [
        f"after a win it stays ({stay:.0%}), after a loss it switches ({leave:.0%}); {labels[a]} {chosen[i, a]:.0%}"
        for i, ((_, stay, leave), a) in enumerate(zip(profile, most, strict=True))
    ]


def _by_inputs(model: IntentionModel, data: Trajectories) -> list[str]:
    """The strongest inputs, as changes of log-odds for one standard deviation, and the bias."""
    found = effects(model, data, errors=False)
    phrases = []
    for size, reach in zip(found.size, found.reach, strict=True):
        first = [j for j in np.argsort(-reach[:-1], kind="stable")[:MOST_NAMED] if reach[j] > 0]
        shown = [*first, len(reach) - 1]
        names = [*found.names, "bias"]
        strongest = [int(np.abs(size[:, j]).argmax()) for j in shown]
        phrases.append(
            ", ".join(
                f"{names[j]} {size[c, j]:+.2f} for {found.contrasts[c]}" for j, c in zip(shown, strongest, strict=True)
            )
        )
    return [f"log-odds for one SD: {phrase}" for phrase in phrases]


def _by_states(policy: FloatArray, visits: FloatArray, data: Trajectories) -> list[str]:
    """Its most telling states: where it is often and acts unlike all intentions together."""
    states = [label_text(label) for label in data.state_labels or range(data.n_states)]
    labels = action_labels(data)
    total = visits.sum(axis=0)[:, None]
    common = np.einsum("ks,ksa->sa", visits, policy) / np.maximum(total, RARE)
    several = len(policy) > 1
    with np.errstate(divide="ignore", invalid="ignore"):
        log_ratio = np.where(policy > 0, np.log(policy / np.maximum(common, 1e-12)), 0.0)
    telling = visits * (np.einsum("ksa,ksa->ks", policy, log_ratio) if several else 1.0)
    phrases = []
    for i, told in enumerate(telling):
        first = [s for s in np.argsort(-told, kind="stable")[:MOST_NAMED] if visits[i, s] >= RARE]
        acts = [(s, int(policy[i, s].argmax())) for s in first]
        where = "" if data.n_states == 1 else "in {}: "
        phrases.append("; ".join(where.format(states[s]) + f"{labels[a]} {policy[i, s, a]:.0%}" for s, a in acts))
    return phrases


def action_labels(data: Trajectories) -> list[str]:
    return [label_text(label) for label in data.action_labels or range(data.n_actions)]


# --- when they are left --------------------------------------------------------------------------------------------


def where_each_is_left(model: IntentionModel) -> list[str]:
    """For clocks with a matrix for each context: where each intention is left most; empty for others.

    By the expected number of departures there, with the share of steps there that are departures. An animal is no place
    that sessions come through: of clocks by animal nothing is said.
    """
    found = leaving(model) if hasattr(model, "steps_by_context_") else None
    if found is None or found.context == SUBJECT:
        return [""] * model.n_intentions_
    phrases = []
    for i, departures in enumerate(found.departures.T):
        first = [m for m in np.argsort(-departures, kind="stable")[:MOST_NAMED] if departures[m] >= RARE]
        phrases.append(", ".join(f"{found.labels[m]} ({found.probability[m, i]:.0%} of times there)" for m in first))
    return phrases


def intentions_table(model: IntentionModel, data: Trajectories, names: Sequence[str]) -> pd.DataFrame:
    """One row an intention, in words and rounded numbers."""
    dwell, runs = expected_dwell(model.transition_), find_runs(data, model.decode(data))
    mean = float(data.lengths.mean())
    columns = {
        "intention": list(names),
        "share of steps": [f"{share:.0%}" for share in model.smooth_proba(data).mean(axis=0)],
        "what it does": what_each_does(model, data),
        "mean stay": ["longer than a session" if steps > mean else f"{steps:.1f} steps" for steps in dwell],
        "runs": [f"{len(runs.of(i).length):,}" for i in range(model.n_intentions_)],
    }
    left = where_each_is_left(model)
    return pd.DataFrame(columns | ({"left most at": left} if any(left) else {}))
