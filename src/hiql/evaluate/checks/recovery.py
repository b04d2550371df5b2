"""Would we find these intentions if they were true? Simulate from a fitted model, refit, compare."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from hiql.data.trajectories import Trajectories
from hiql.evaluate.checks.repeats import repeat, unfitted
from hiql.evaluate.checks.simulating import simulate_like
from hiql.evaluate.measures.alignment import align
from hiql.models import IntentionModel
from hiql.worlds.environment import Environment

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Recovery:
    """How well the truth came back: one entry (n,) a repeat, each between 0 and 1.

    Attributes
    ----------
    policy_distance : mean over simulated steps of the total variation between true and refitted ``π_z(·|s)``, z being
        the true intention; 0 is perfect
    transition_mean_error, transition_max_error : mean and largest absolute difference of an entry of Λ
    initial_error : total variation between the two Π
    agreement : share of steps at which the refit decodes the true intention
    oracle_agreement : the same for decoding with the true parameters: what it misses, the data do not tell
    chance_agreement : the share of the most frequent true intention: what a blind guess agrees
    """

    policy_distance: FloatArray
    transition_mean_error: FloatArray
    transition_max_error: FloatArray
    initial_error: FloatArray
    agreement: FloatArray
    oracle_agreement: FloatArray
    chance_agreement: FloatArray

    def table(self) -> pd.DataFrame:
        """One row a measure: its mean, least and largest value over the repeats."""
        measures = {field.name: getattr(self, field.name) for field in fields(self)}
        rows = {name: {"mean": v.mean(), "low": v.min(), "high": v.max()} for name, v in measures.items()}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("measure")


def recovery(
    model: IntentionModel,
    world: Environment,
    data: Trajectories,
    n_repeats: int = 10,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = True,
) -> Recovery:
    """Simulate data in the shape of ``data`` from the fitted model, refit from scratch with its settings, compare.

    Sessions are as many and as long as the real ones and start where those do. ``world`` answers the actions: an
    :class:`hiql.MDP`, or for tables of trials the :class:`~hiql.worlds.ObservedSchedule` of the data or a task. The
    refit knows nothing of the truth; its intentions are matched to the true ones by their policies
    (:func:`~hiql.evaluate.align`), once, and everything is compared in that numbering. The same ``random_state`` gives
    the same result, whatever ``n_jobs`` (threads).
    """
    check_is_fitted(model)

    def one(rng: np.random.Generator) -> tuple[float, ...]:
        simulated = simulate_like(model, world, data, rng)
        return _compared(align(unfitted(model, rng).fit(simulated), model), model, simulated)

    rows = repeat(one, n_repeats, random_state, label="Recovery", n_jobs=n_jobs, progress=progress)
    return Recovery(*np.array(rows).T)


def _compared(refit: IntentionModel, truth: IntentionModel, simulated: Trajectories) -> tuple[float, ...]:
    """The entries of a :class:`Recovery`, in their order."""
    intentions = np.asarray(simulated.intentions)
    known = simulated.states >= 0
    distance = 0.5 * np.abs(refit.policy_ - truth.policy_).sum(axis=-1)  # (K, S)
    transition = np.abs(refit.transition_ - truth.transition_)
    return (
        float(distance[intentions[known], simulated.states[known]].mean()),
        float(transition.mean()),
        float(transition.max()),
        float(0.5 * np.abs(refit.initial_ - truth.initial_).sum()),
        float((refit.decode(simulated) == intentions).mean()),
        float((truth.decode(simulated) == intentions).mean()),
        float(np.bincount(intentions).max() / len(intentions)),
    )
