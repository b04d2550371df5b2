"""The worlds of the comparison by name: simulated ones, in which the truth is known, and recordings of mice."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from hiql.errors import HiqlError
from hiql.experiments.related import recorded, simulated
from hiql.experiments.related.world import World

WORLDS: dict[str, Callable[[int, int], World]] = {
    "gridworld": simulated.two_goals,
    "habits": simulated.habits,
    "places": simulated.places,
    "on leaving": simulated.on_leaving,
    "came from": simulated.came_from,
    "clusters": simulated.clusters,
    "experts": simulated.experts,
    "not linear": simulated.not_linear,
    "one reward": simulated.one_reward,
    "subgoals": simulated.subgoals,
    "drift": simulated.drift,
    "features": simulated.features,
    "objectworld": simulated.few_features,
    "gate": simulated.gate,
    "psychophysics": simulated.psychophysics,
    "labyrinth": recorded.labyrinth,
    "labyrinth, long": recorded.labyrinth_long,
    "bandit": recorded.bandit,
}
RECORDED = ("labyrinth", "labyrinth, long", "bandit")


@lru_cache(maxsize=4)
def made(name: str, size: int, seed: int) -> World:
    """A world by name; units of work share it within a process."""
    return WORLDS[name](size, seed)


def found(name: str, size: int, seed: int) -> World | None:
    """The same; None where its recordings are not at hand."""
    try:
        return made(name, size, seed)
    except (HiqlError, OSError):
        if name not in RECORDED:
            raise
        return None
