"""What an intention does in a choice task, in the three numbers of the paper's Figure 7d, and a name for it."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt

from hiql.data.histories import latest_trial
from hiql.data.trajectories import Trajectories
from hiql.errors import ShapeMismatch
from hiql.evaluate.measures.by_state import policy_by_state
from hiql.evaluate.measures.occupancy import expected_visits, shares
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]
BIASED = 0.75
SURE = 0.2
"""An intention is called after a pure strategy if it comes at least this close; no two are closer than 0.5."""
NEVER_SURE = {"disengaged", "random"}
"""Who stays after a win and does either after a loss is disengaged in the paper's task, and elsewhere may be the one
that follows rewards most; averages of one half may hide any habit."""
ENOUGH = 20
"""Steps after each choice that are needed to call an intention biased whatever was chosen before."""
MEASURES = ("switch", "win-stay", "lose-switch")
ARCHETYPES = {
    "exploitation": (1.0, 1.0),
    "disengaged": (1.0, 0.5),
    "exploration": (0.0, 1.0),
    "perseveration": (1.0, 0.0),
    "random": (0.5, 0.5),
}
"""(win-stay, lose-switch) of the pure strategies: the paper's three, and two that other tasks bring out."""


def strategy_profile(model: IntentionModel, data: Trajectories) -> FloatArray:
    """(K, 3) each intention's probability to switch, to stay after a win, and to switch after a loss.

    Its policy, weighted by how often it was in each history state of ``data`` (:func:`hiql.bandit_trials`, ℓ ≥ 1):
    so states that hardly occur do not matter.
    """
    latest_trial(data)  # raises for data that are not trials
    smoothed = model.smooth_proba(data)
    return profile_of_policy(policy_by_state(model, data, smoothed), shares(expected_visits(data, smoothed)), data)


def profile_of_policy(policy: npt.ArrayLike, visits: npt.ArrayLike, data: Trajectories) -> FloatArray:
    """(K, 3) the same for any policy (K, S, A) and weights of states (K, S); NaN where the weights are all 0."""
    policy, visits = np.asarray(policy, dtype=np.float64), np.asarray(visits, dtype=np.float64)
    latest = latest_trial(data)
    begun = latest.choice >= 0
    stay = policy[:, np.arange(len(begun)), np.maximum(latest.choice, 0)]
    won = begun & (latest.reward > 0)
    lost = begun & ~won
    cases = (begun, 1.0 - stay), (won, stay), (lost, 1.0 - stay)
    return np.stack([_mean(values[:, where], visits[:, where]) for where, values in cases], axis=1)


def name_strategies(profile: npt.ArrayLike) -> tuple[str, ...]:
    """The nearest archetype of each row of a profile (K, 3), by win-stay and lose-switch; duplicates are numbered."""
    seen: Counter[str] = Counter()
    names = []
    for name in nearest_strategies(profile):
        seen[name] += 1
        names.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return tuple(names)


def nearest_strategies(profile: npt.ArrayLike) -> list[str]:
    """The nearest archetype of each row of a profile (K, 3); several may have the same."""
    rows = np.asarray(profile, dtype=np.float64)
    if rows.ndim != 2 or rows.shape[1] != len(MEASURES):
        remedy = "give a row of switch, win-stay and lose-switch for each intention"
        raise ShapeMismatch(field="profile", shape=rows.shape, expected="(K, 3)", remedy=remedy)
    return [_nearest(row[1:]) for row in rows]


def sure_strategies(profile: npt.ArrayLike) -> list[str | None]:
    """The archetype that each row of a profile (K, 3) is sure to be; None where that is doubtful."""
    rows = np.asarray(profile, dtype=np.float64)
    near = zip(rows, nearest_strategies(rows), strict=True)
    distances = [(float(np.hypot(*(row[1:] - ARCHETYPES[name]))), name) for row, name in near]
    return [name if far <= SURE and name not in NEVER_SURE else None for far, name in distances]


def action_biases(model: IntentionModel, data: Trajectories) -> list[str | None]:
    """ "bias to R" for an intention that prefers one action whatever it did before; None for others.

    It does if that action has probability above ``BIASED`` after each of the choices, judged by at least ``ENOUGH``
    expected steps after each. (In most of its steps alone would not do: whoever stays with R is mostly where R was.)
    """
    labels = [str(label) for label in data.action_labels or range(data.n_actions)]
    smoothed = model.smooth_proba(data)
    visits = expected_visits(data, smoothed)
    after = latest_trial(data).choice == np.arange(data.n_actions)[:, None]  # (choice before, state)
    weights = np.einsum("ks,cs->kcs", visits, after)
    total = weights.sum(axis=2)
    preference = (
        np.einsum("kcs,ksa->kca", weights, policy_by_state(model, data, smoothed)) / np.maximum(total, 1e-12)[..., None]
    )
    least = np.where((total >= ENOUGH).all(axis=1)[:, None], preference.min(axis=1), 0.0)
    return [f"bias to {labels[int(row.argmax())]}" if row.max() > BIASED else None for row in least]


def in_order_of_archetypes(profile: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """(K,) the order that puts intentions as the archetypes are listed, so that colours mean the same in every fit."""
    rows = np.asarray(profile, dtype=np.float64)
    return np.argsort([list(ARCHETYPES).index(_nearest(row[1:])) for row in rows], kind="stable")


def _nearest(point: FloatArray) -> str:
    """A missing number (an intention never seen after a win, or after a loss) counts as undecided."""
    known = np.nan_to_num(point, nan=0.5)
    return min(ARCHETYPES, key=lambda name: float(np.hypot(*(known - ARCHETYPES[name]))))


def _mean(values: FloatArray, weights: FloatArray) -> FloatArray:
    """(K,) weighted means of the rows."""
    total = weights.sum(axis=1)
    return np.where(total > 0, (values * weights).sum(axis=1) / np.where(total > 0, total, 1.0), np.nan)
