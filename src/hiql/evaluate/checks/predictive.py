"""Does the model make data like the real ones? Statistics of both, side by side (posterior predictive check)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, UnequalLengths
from hiql.evaluate.checks.repeats import repeat
from hiql.evaluate.checks.simulating import simulate_like
from hiql.evaluate.checks.statistics import action_rates, input_statistics, intention_spells, trial_statistics
from hiql.evaluate.measures.occupancy import shares
from hiql.models import IntentionModel
from hiql.worlds.environment import Environment

FloatArray = npt.NDArray[np.float64]
OCCUPANCY = "occupancy distance"


class Statistics(NamedTuple):
    """Of one data set: shares of visits (S,), and numbers by name."""

    occupancy: FloatArray
    numbers: dict[str, float]


def predictive_check(
    model: IntentionModel,
    world: Environment,
    data: Trajectories,
    n_samples: int = 200,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = True,
    *,
    names: Sequence[str] | None = None,
    level: float = 0.95,
) -> pd.DataFrame:
    """Compare the data with ``n_samples`` data sets of the same shape, simulated from the model.

    One row a statistic: its ``real`` value, its mean over the ``simulated`` sets, their central range ``low`` …
    ``high`` that holds a share ``level`` of them, and whether the real value lies ``inside``:

    - "occupancy distance": the total variation between a data set's shares of visits (S,) and the mean of the
      (other) simulated sets. Only a large distance speaks against the model, so its range begins at 0;
    - "rate of …": how often each action was taken;
    - "switch rate": the share of steps at which the decoded intention differs from the one before;
    - "dwell time, …": mean number of steps an intention lasts, decoded, cut off where sessions end; NaN where it
      never occurs. ``names`` (K) are those of :func:`name_intentions`, or "intention 1", …;
    - where outcomes are known, "mean outcome" (the accuracy, where right choices pay 1), "change of action after
      reward" and "… after none", and "run of one action", the mean number of trials it lasts;
    - where there are inputs, "mean … at …": the mean of each input where each action was taken.

    ``world`` answers the actions: for animals that move, an :class:`hiql.MDP`; for tables of trials, the
    :class:`~hiql.worlds.ObservedSchedule` of the data or a task such as :class:`~hiql.worlds.Bandit`.

    Real and simulated sets are decoded by the same model, so errors of decoding affect both alike. The parameters are
    those of the fit, and were fitted to these data: being inside is necessary, not sufficient, and of twenty
    statistics of a true model one is outside by chance.
    """
    check_is_fitted(model)
    if not 0.0 < level < 1.0:
        raise InvalidParameter(parameter="level", value=level, remedy="choose a number between 0 and 1")
    named = _intention_names(model, names)

    def statistics(of: Trajectories) -> Statistics:
        visits = np.bincount(of.states[of.states >= 0], minlength=of.n_states)
        spells = intention_spells(of, model.decode(of), named)
        numbers = action_rates(of) | spells | trial_statistics(of) | input_statistics(of)
        return Statistics(shares(visits.astype(np.float64)), numbers)

    real = statistics(data)
    simulated = repeat(
        lambda rng: statistics(simulate_like(model, world, data, rng)),
        n_samples, random_state, label="Predictive check", n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    table = {OCCUPANCY: _distance_row(real.occupancy, np.stack([one.occupancy for one in simulated]), level)}
    for name, value in real.numbers.items():
        table[name] = _row(value, np.array([one.numbers.get(name, np.nan) for one in simulated]), level)
    return pd.DataFrame.from_dict(table, orient="index").rename_axis("statistic")


def _distance_row(real: FloatArray, simulated: FloatArray, level: float) -> dict[str, Any]:
    """The distance of the real occupancy from the mean simulated one, beside that of each simulated one (n, S) from
    the mean of the others."""
    others = (simulated.sum(axis=0) - simulated) / max(len(simulated) - 1, 1)
    distances = 0.5 * np.abs(simulated - others).sum(axis=1)
    distance = 0.5 * float(np.abs(real - simulated.mean(axis=0)).sum())
    high = float(np.quantile(distances, level))
    return _entry(distance, float(distances.mean()), 0.0, high)


def _row(real: float, simulated: FloatArray, level: float) -> dict[str, Any]:
    occurring = simulated[~np.isnan(simulated)]
    if not occurring.size:
        return _entry(float(real), np.nan, np.nan, np.nan)
    low, high = np.quantile(occurring, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
    return _entry(float(real), float(occurring.mean()), float(low), float(high))


def _entry(real: float, simulated: float, low: float, high: float) -> dict[str, Any]:
    inside = low <= real <= high or bool(np.isnan(real) and np.isnan(simulated))
    return {"real": real, "simulated": simulated, "low": low, "high": high, "inside": inside}


def _intention_names(model: IntentionModel, names: Sequence[str] | None) -> list[str]:
    intentions = [f"intention {i + 1}" for i in range(model.n_intentions_)] if names is None else list(names)
    if len(intentions) != model.n_intentions_:
        raise UnequalLengths(
            field="names", length=len(intentions), other="intentions", other_length=model.n_intentions_
        )
    return intentions
