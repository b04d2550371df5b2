"""One unit of the experiment: fit one model to one fold of one sub-dataset, and judge it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import KFold

from hiql.baselines import DIRL, KnownExpert, RandomPolicy
from hiql.data.trajectories import Trajectories
from hiql.evaluate.measures.courses import mean_course
from hiql.evaluate.measures.value_difference import matched_value_differences
from hiql.experiments.as_printed import Procedure, fit_as_printed
from hiql.experiments.fitting import scores, timed
from hiql.experiments.gridworld.authors_evd import authors_value_differences
from hiql.models import HIAVI, IntentionModel
from hiql.rewards.iavi import IAVI
from hiql.worlds.planning import boltzmann_policy, evaluate_policy, soft_value_iteration
from hiql.worlds.two_goals import ABANDON, TwoGoals, simulate_two_goals

FloatArray = npt.NDArray[np.float64]


@lru_cache(maxsize=2)
def simulation(seed: int, n_sessions: int, inverse_temperature: float | None) -> TwoGoals:
    """The whole dataset; units of the same experiment share it within a process."""
    return simulate_two_goals(n_sessions, inverse_temperature, seed)


def split(expert: TwoGoals, unit: Mapping[str, Any]) -> tuple[Trajectories, Trajectories]:
    """The unit's fold of the first sessions: scikit-learn's, shuffled, as the authors cut them."""
    part = expert.data.select(range(unit["size"]))
    folds = KFold(unit["n_folds"], shuffle=True, random_state=unit["seed"]).split(range(unit["size"]))
    train, test = list(folds)[unit["fold"]]
    return part.select(train), part.select(test)


def fit_unit(unit: Mapping[str, Any]) -> dict[str, Any]:
    """Held-out likelihood of one fit; at the largest size also EVD, value maps and the course of "abandon"."""
    expert = simulation(unit["seed"], unit["n_total"], unit["inverse_temperature"])
    train, test = split(expert, unit)
    model, seconds = timed(partial(fitted, unit, expert, train, test))
    result = scores(model, train, test) | {"fit_seconds": seconds}
    if unit["size"] == unit["n_total"] and isinstance(model, IntentionModel | DIRL):
        result |= judge(model, expert)
    return result


def fitted(unit: Mapping[str, Any], expert: TwoGoals, train: Trajectories, test: Trajectories) -> Any:
    """The model that a unit names, fitted; the authors' procedure looks at the test side, too."""
    spec, world = unit["spec"], expert.world
    if spec["kind"] == "printed":
        options = {"procedure": Procedure(**spec["procedure"]), "seed": spec["repeat"]}
        return fit_as_printed(spec["n_intentions"], IAVI(mdp=world), train, test, **options)
    options = {"mdp": world, "random_state": unit["seed"]}
    makers = {
        "hiavi": lambda: HIAVI(
            spec["n_intentions"], pseudo_count=unit["pseudo_count"], progress=False, **options
        ),
        "dirl": lambda: DIRL(spec["n_maps"], sigma=spec["sigma"], **options),
        "expert": lambda: KnownExpert(expert.policy),
        "random": RandomPolicy,
    }  # fmt: skip
    return makers[spec["kind"]]().fit(train)


def judge(model: IntentionModel | DIRL, expert: TwoGoals) -> dict[str, Any]:
    """How well the expert's policies and changes of mind come back."""
    policies = learnt_policies(model, expert)
    values = [
        [evaluate_policy(expert.world, p, r).tolist() for p in policies] for r in expert.reward
    ]  # [true intention][learnt policy][state]
    order, differences = matched_value_differences(expert.world, expert.reward, expert.policy, policies)
    mean, error = abandon_course(model, expert, order)
    return {
        "evd": differences,
        "authors_evd": authors_value_differences(expert, policies).differences,
        "values": [values[z][order[z]] for z in range(len(expert.reward))],
        "abandon": {"mean": mean.tolist(), "error": np.nan_to_num(error).tolist()},
    }


def learnt_policies(model: IntentionModel | DIRL, expert: TwoGoals) -> FloatArray:
    """(K, S, A) the policy of each intention; for DIRL, the soft-optimal one of each map at its mean weight."""
    if isinstance(model, IntentionModel):
        return model.policy_
    rewards = model.maps_ * model.weights_.mean(axis=1, keepdims=True)
    return np.stack([boltzmann_policy(soft_value_iteration(expert.world, r)) for r in rewards])


def abandon_course(model: IntentionModel | DIRL, expert: TwoGoals, order: list[int]) -> tuple[FloatArray, FloatArray]:
    """(T,) mean probability of "abandon" at each time over all sessions, and its standard error.

    HIAVI: the smoothed posterior. DIRL has no probabilities: we take the share of the reward's range that the
    "abandon" map accounts for, |w_m(t)|·range(u_m), which is the same in every session.
    """
    data = expert.data
    if isinstance(model, IntentionModel):
        if model.n_intentions_ == 1:
            return np.zeros(data.lengths.max()), np.zeros(data.lengths.max())
        course = mean_course(data, model.smooth_proba(data)[:, order[ABANDON]])
        return course.mean, course.error
    weight = np.abs(model.weights_) * np.ptp(model.maps_, axis=1)[:, None]
    share = (weight / weight.sum(axis=0))[order[ABANDON]] if len(weight) > 1 else np.zeros(1)
    last = np.minimum(np.arange(data.lengths.max()), len(share) - 1)
    return share[last], np.zeros(len(last))
