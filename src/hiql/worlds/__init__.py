"""Worlds: Markov decision processes one can plan in, simulate and draw."""

from hiql.worlds.files import load_world, named_world
from hiql.worlds.gridworld import gridworld
from hiql.worlds.labyrinth import labyrinth
from hiql.worlds.mdp import MDP, World
from hiql.worlds.objectworld import Objectworld, objectworld
from hiql.worlds.planning import (
    boltzmann_policy,
    evaluate_policy,
    soft_value_iteration,
    state_occupancy,
    value_iteration,
)
from hiql.worlds.reversal_task import ReversalCohort, simulate_reversal
from hiql.worlds.two_goals import TwoGoals, simulate_two_goals

__all__ = [
    "MDP",
    "Objectworld",
    "ReversalCohort",
    "TwoGoals",
    "World",
    "boltzmann_policy",
    "evaluate_policy",
    "gridworld",
    "labyrinth",
    "load_world",
    "named_world",
    "objectworld",
    "simulate_reversal",
    "simulate_two_goals",
    "soft_value_iteration",
    "state_occupancy",
    "value_iteration",
]
