"""Names for intentions from what they do: the named place of the world they lead to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from hiql.data.sizes import check_sizes
from hiql.data.trajectories import Trajectories
from hiql.errors import HiqlError, InvalidParameter
from hiql.evaluate.measures.effects import effects
from hiql.evaluate.measures.occupancy import expected_occupancy, shares
from hiql.evaluate.words.arrival import TOLERANCE, arrival, at_best, at_random, following
from hiql.evaluate.words.drives import sure_drives
from hiql.evaluate.words.strategies import action_biases, strategy_profile, sure_strategies
from hiql.models import IntentionModel
from hiql.worlds.mdp import MDP, World

FloatArray = npt.NDArray[np.float64]
ELSEWHERE = "elsewhere"
MAJORITY = 0.5
"""A place gives its name when an intention is closer to the shortest way there than to a random walk."""


def suggest_names(model: IntentionModel, data: Trajectories, world: MDP | None = None) -> tuple[str, ...]:
    """K names: after places of the world, strategies in a choice task, or what drives choices; else "intention 1", …

    The last three only where sure. ``world`` is the model's own by default.
    """
    place = model.world_ if world is None else world
    if isinstance(place, World) and place.places:
        return name_intentions(model, place, data)
    if hasattr(model, "weights_"):
        return _sure(sure_drives(effects(model, data, errors=False)), model.share_)
    try:
        profile = strategy_profile(model, data)
    except HiqlError:  # the data are not trials with numbers as outcomes
        profile = np.full((model.n_intentions_, 3), np.nan)
    if np.isnan(profile).any():  # or only wins, or only losses were seen
        return tuple(f"intention {i + 1}" for i in range(model.n_intentions_))
    biases = action_biases(model, data)
    sure = [bias or name for bias, name in zip(biases, sure_strategies(profile), strict=True)]
    return _sure(sure, model.share_)


def _sure(names: Sequence[str | None], share: FloatArray) -> tuple[str, ...]:
    return _numbered([name or f"intention {i + 1}" for i, name in enumerate(names)], share)


def name_intentions(
    model: IntentionModel, world: World, data: Trajectories | None = None, *, horizon: float | None = None
) -> tuple[str, ...]:
    """K names: "to water", "to home", …, or "elsewhere" for an intention that leads to no named place.

    An intention is called after the place with the largest :func:`directedness`, if that exceeds a half. Names do
    not depend on how the intentions are numbered, nor on what the other intentions do: where several lead to the
    same place, all bear its name, numbered from the one that explains most of the training data.
    """
    score = directedness(model, world, data, horizon=horizon)
    places = list(world.places)
    names = [f"to {places[int(row.argmax())]}" if row.max() > MAJORITY else ELSEWHERE for row in score]
    return _numbered(names, model.share_)


def directedness(
    model: IntentionModel, world: World, data: Trajectories | None = None, *, horizon: float | None = None
) -> FloatArray:
    """(K, n) how well each intention leads to each named place: 1 is the best way there, 0 a random walk.

    (a − a_random) / (a_best − a_random), where a is the chance that the place is the first one reached before
    giving up (:func:`~hiql.evaluate.words.arrival.arrival`), under the intention's policy, under uniform actions and
    under the policy that maximises it; all from the states the intention was used in: its expected occupancy in
    the data or, without data, in sessions of the model itself from the world's start. An intention that leads
    away has a negative value. Where nothing can be done to arrive sooner the value is 0.

    ``horizon`` is the mean number of steps before giving up: by default the mean length of a session, or without
    data the planning horizon 1 / (1 − γ) of the world.
    """
    check_is_fitted(model)
    check_sizes(world, model.n_states_, model.n_actions_)
    if not getattr(world, "places", None):
        raise InvalidParameter(parameter="world", value=world, remedy="give a World with named places={name: state}")
    steps = horizon if horizon is not None else _usual_horizon(world, data)
    used = shares(model_occupancy(model, world, steps)) if data is None else expected_occupancy(model, data)
    places = list(world.places.values())
    reached = np.stack(
        [arrival(world, following(p), places, steps) @ start for p, start in zip(model.policy_, used, strict=True)]
    )
    random = used @ arrival(world, at_random, places, steps).T
    room = used @ arrival(world, at_best, places, steps).T - random
    return np.divide(reached - random, room, out=np.zeros_like(room), where=room > TOLERANCE)


def model_occupancy(model: IntentionModel, world: World, n_steps: float) -> FloatArray:
    """(K, S) the visits of each intention that the model expects in a session of ``n_steps`` from the start.

    p_0(z, s) = Π(z) 1[s = start]; p_{t+1}(z', s') = Σ_{z,s} Λ(z, z') P_{π_z}(s, s') p_t(z, s); summed over t.
    """
    backwards = [world.under(policy).T for policy in model.policy_]
    here = np.outer(model.initial_, np.eye(1, world.n_states, world.start))
    total = here.copy()
    for _ in range(round(n_steps) - 1):
        here = model.transition_.T @ np.stack([move @ p for move, p in zip(backwards, here, strict=True)])
        total += here
    return total


def _usual_horizon(world: World, data: Trajectories | None) -> float:
    return 1.0 / (1.0 - world.discount) if data is None else float(data.lengths.mean())


def _numbered(names: Sequence[str], share: FloatArray) -> tuple[str, ...]:
    """Names that occur more than once get numbers, in falling order of share."""
    count, met = Counter(names), Counter[str]()
    unique = list(names)
    for i in np.argsort(-share, kind="stable"):
        met[names[i]] += 1
        if count[names[i]] > 1:
            unique[i] = f"{names[i]} {met[names[i]]}"
    return tuple(unique)
