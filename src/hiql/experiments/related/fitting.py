"""Units of the comparison: a system fitted to a fold of a world and judged on what was held out; or its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from hiql.baselines.recipes import RECIPES, Recipe, Setting
from hiql.data.folds import session_folds
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.evaluate.measures.value_difference import matched_value_differences
from hiql.experiments.fitting import timed
from hiql.experiments.related.world import World
from hiql.experiments.related.worlds import made
from hiql.models import IntentionModel
from hiql.models.scoring import taken_proba
from hiql.priors.estimates import BAYES


def applies(recipe: Recipe, world: World) -> bool:
    """Whether a system can work there at all."""
    return {"world": world.mdp is not None, "inputs": len(world.data.input_names) > 0, "": True}[recipe.needs]


def has_evidence(recipe: Recipe, world: World) -> bool:
    """Whether its parameters can be averaged over: then fits have a lower bound of log p(data)."""
    model = recipe.model(_setting(world))
    if not isinstance(model, IntentionModel):
        return False
    try:
        for part in model._parts(None):
            part.estimating(BAYES)
    except InvalidParameter:
        return False
    return True


def evidence_unit(unit: Mapping[str, Any]) -> dict[str, Any]:
    """Nats of evidence a step, of all sessions of a world."""
    world = made(unit["world"], unit["size"], unit["seed"])
    model: Any = RECIPES[unit["system"]].model(_setting(world, unit["n_init"], unit["max_iter"], unit["seed"]))
    fitted = model.set_params(estimate=BAYES).fit(world.data)
    return {"evidence": float(fitted.evidence_) / int(world.data.observed.sum())}


def _setting(world: World, *search: int) -> Setting:
    return Setting(world.n_intentions, world.mdp, world.features, *search)


def fit_unit(unit: Mapping[str, Any]) -> dict[str, Any]:
    """Held-out nats of every session, seconds, free parameters; EVD and agreement where the truth is known."""
    world, recipe = made(unit["world"], unit["size"], unit["seed"]), RECIPES[unit["system"]]
    fold = session_folds(world.data, unit["n_folds"], groups=world.groups, random_state=unit["seed"])[unit["fold"]]
    train, test = world.data.select(fold.train), world.data.select(fold.test)
    setting = _setting(world, unit["n_init"], unit["max_iter"], unit["seed"])
    model, seconds = timed(lambda: recipe.model(setting).fit(train))
    return {
        "sessions": fold.test.tolist(),
        "nats": session_nats(model, test),
        "steps": [int(n) for n in np.add.reduceat(test.observed.astype(np.int64), test.offsets[:-1])],
        "seconds": seconds,
        "n_free": int(model.n_free_),
        "evd": value_difference(model, world),
        "agreement": agreement(model, test),
    }


def session_nats(model: Any, data: Trajectories) -> list[float]:
    """Log-likelihood of every session: each action given those before it."""
    with np.errstate(divide="ignore"):
        steps = np.nan_to_num(np.log(taken_proba(model, data)), nan=0.0)
    return [float(n) for n in np.add.reduceat(steps, data.offsets[:-1])]


def value_difference(model: Any, world: World) -> float | None:
    """Mean over true intentions, each with the learnt policy that stands for it; None where it has no meaning."""
    policy = getattr(model, "policy_", None)
    if world.reward is None or world.policy is None or world.mdp is None or policy is None:
        return None
    if not isinstance(model, IntentionModel) and len(policy) > 1:  # policies of times, not of intentions
        return None
    return float(np.mean(matched_value_differences(world.mdp, world.reward, world.policy, policy).differences))


def agreement(model: Any, data: Trajectories) -> float | None:
    """The share of held-out steps that are decoded as the intention that they were, names matched at best."""
    truth = data.intentions
    if not isinstance(model, IntentionModel) or model.n_intentions_ < 2 or truth is None or len(np.unique(truth)) < 2:
        return None
    decoded = model.decode(data)
    together = np.zeros((model.n_intentions_, int(truth.max()) + 1))
    np.add.at(together, (decoded, truth), 1.0)
    return float(together[linear_sum_assignment(-together)].sum() / together.sum())
