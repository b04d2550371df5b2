"""One unit of the experiment: fit one model to one fold of one sub-dataset, and judge it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.baselines import DIRL, KnownExpert, RandomPolicy
from hiql.data.folds import session_folds
from hiql.evaluate.courses import mean_course
from hiql.evaluate.value_difference import matched_value_differences
from hiql.experiments.fitting import fit_and_score, single_starts
from hiql.models import HIAVI
from hiql.worlds.planning import boltzmann_policy, evaluate_policy, soft_value_iteration
from hiql.worlds.two_goals import ABANDON, TwoGoals, simulate_two_goals

FloatArray = npt.NDArray[np.float64]


@lru_cache(maxsize=2)
def simulation(seed: int, n_sessions: int, inverse_temperature: float) -> TwoGoals:
    """The whole dataset; units of the same experiment share it within a process."""
    return simulate_two_goals(n_sessions, inverse_temperature, seed)


def fit_unit(unit: Mapping[str, Any]) -> dict[str, Any]:
    """Held-out likelihood of one fit; at the largest size also EVD, value maps and the course of "abandon"."""
    expert = simulation(unit["seed"], unit["n_total"], unit["inverse_temperature"])
    part = expert.data.select(range(unit["size"]))
    fold = session_folds(part, unit["n_folds"], random_state=unit["seed"])[unit["fold"]]
    train, test = part.select(fold.train), part.select(fold.test)
    model = contestant(unit, expert)
    result = fit_and_score(model, train, test)
    if unit["spec"]["kind"] == "hiavi":
        result["restarts"] = single_starts(
            partial(contestant, unit, expert), unit["seed"], unit["n_restarts"], train, test
        )
    if unit["size"] == unit["n_total"] and isinstance(model, HIAVI | DIRL):
        result |= judge(model, expert)
    return result


def contestant(unit: Mapping[str, Any], expert: TwoGoals, **options: Any) -> Any:
    """The unfitted model that a unit names."""
    spec = unit["spec"]
    if spec["kind"] == "hiavi":
        prior = {"pseudo_count": unit["pseudo_count"], "progress": False} | {"random_state": unit["seed"]}
        return HIAVI(spec["n_intentions"], mdp=expert.world, **(prior | options))
    if spec["kind"] == "dirl":
        return DIRL(spec["n_maps"], mdp=expert.world, sigma=spec["sigma"], random_state=unit["seed"])
    return KnownExpert(expert.policy) if spec["kind"] == "expert" else RandomPolicy()


def judge(model: HIAVI | DIRL, expert: TwoGoals) -> dict[str, Any]:
    """How well the expert's policies and changes of mind come back."""
    policies = learnt_policies(model, expert)
    values = [
        [evaluate_policy(expert.world, p, r).tolist() for p in policies] for r in expert.reward
    ]  # [true intention][learnt policy][state]
    order, differences = matched_value_differences(expert.world, expert.reward, expert.policy, policies)
    mean, error = abandon_course(model, expert, order)
    return {
        "evd": differences,
        "values": [values[z][order[z]] for z in range(len(expert.reward))],
        "abandon": {"mean": mean.tolist(), "error": np.nan_to_num(error).tolist()},
    }


def learnt_policies(model: HIAVI | DIRL, expert: TwoGoals) -> FloatArray:
    """(K, S, A) the policy of each intention; for DIRL, the soft-optimal one of each map at its mean weight."""
    if isinstance(model, HIAVI):
        return model.policy_
    rewards = model.maps_ * model.weights_.mean(axis=1, keepdims=True)
    return np.stack([boltzmann_policy(soft_value_iteration(expert.world, r)) for r in rewards])


def abandon_course(model: HIAVI | DIRL, expert: TwoGoals, order: list[int]) -> tuple[FloatArray, FloatArray]:
    """(T,) mean probability of "abandon" at each time over all sessions, and its standard error.

    HIAVI: the smoothed posterior. DIRL has no probabilities: we take the share of the reward's range that the
    "abandon" map accounts for, |w_m(t)|·range(u_m), which is the same in every session.
    """
    data = expert.data
    if isinstance(model, HIAVI):
        if model.n_intentions == 1:
            return np.zeros(data.lengths.max()), np.zeros(data.lengths.max())
        course = mean_course(data, model.smooth_proba(data)[:, order[ABANDON]])
        return course.mean, course.error
    weight = np.abs(model.weights_) * np.ptp(model.maps_, axis=1)[:, None]
    share = (weight / weight.sum(axis=0))[order[ABANDON]] if len(weight) > 1 else np.zeros(1)
    last = np.minimum(np.arange(data.lengths.max()), len(share) - 1)
    return share[last], np.zeros(len(last))
