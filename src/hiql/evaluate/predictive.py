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
from hiql.evaluate.occupancy import shares
from hiql.evaluate.repeats import repeat
from hiql.evaluate.simulating import simulate_like
from hiql.models import IntentionModel
from hiql.worlds.mdp import MDP

FloatArray = npt.NDArray[np.float64]
OCCUPANCY = "occupancy distance"
SWITCHES = "switch rate"


class Statistics(NamedTuple):
    """Of one data set: shares of visits (S,); action rates, switch rate and dwell times (M,)."""

    occupancy: FloatArray
    numbers: FloatArray


def predictive_check(
    model: IntentionModel,
    world: MDP,
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
      never occurs. ``names`` (K) are those of :func:`name_intentions`, or "intention 1", ….

    Real and simulated sets are decoded by the same model, so errors of decoding affect both alike. The parameters are
    those of the fit, and were fitted to these data: being inside is necessary, not sufficient, and of twenty
    statistics of a true model one is outside by chance.
    """
    check_is_fitted(model)
    if not 0.0 < level < 1.0:
        raise InvalidParameter(parameter="level", value=level, remedy="choose a number between 0 and 1")
    rows = _row_names(model, data, names)
    real = _statistics(model, data)
    simulated = repeat(
        lambda rng: _statistics(model, simulate_like(model, world, data, rng)),
        n_samples, random_state, label="Predictive check", n_jobs=n_jobs, progress=progress,
    )  # fmt: skip
    occupancies = np.stack([one.occupancy for one in simulated])
    table = [_distance_row(real.occupancy, occupancies, level)]
    numbers = np.stack([one.numbers for one in simulated])
    table += [_row(value, column, level) for value, column in zip(real.numbers, numbers.T, strict=True)]
    return pd.DataFrame(table, index=pd.Index(rows, name="statistic"))


def _statistics(model: IntentionModel, data: Trajectories) -> Statistics:
    decoded = model.decode(data)
    visits = np.bincount(data.states[data.states >= 0], minlength=data.n_states)
    taken = np.bincount(data.actions[data.actions >= 0], minlength=data.n_actions)
    begins = data.time == 0
    switched = ~begins
    switched[1:] &= decoded[1:] != decoded[:-1]
    rate = switched.sum() / max((~begins).sum(), 1)
    steps = np.bincount(decoded, minlength=model.n_intentions)
    spells = np.bincount(decoded[begins | switched], minlength=model.n_intentions)
    dwell = np.where(spells > 0, steps / np.maximum(spells, 1), np.nan)
    return Statistics(
        shares(visits.astype(np.float64)), np.concatenate([shares(taken.astype(np.float64)), [rate], dwell])
    )


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


def _row_names(model: IntentionModel, data: Trajectories, names: Sequence[str] | None) -> list[str]:
    actions = range(data.n_actions) if data.action_labels is None else data.action_labels
    intentions = [f"intention {i + 1}" for i in range(model.n_intentions)] if names is None else list(names)
    if len(intentions) != model.n_intentions:
        raise UnequalLengths(field="names", length=len(intentions), other="intentions", other_length=model.n_intentions)
    dwells = [f"dwell time, {name}" for name in intentions]
    return [OCCUPANCY, *(f"rate of {action}" for action in actions), SWITCHES, *dwells]
