"""Worlds: what answers an action. Markov decision processes one can plan in and draw, tasks, schedules, simulators."""

from hiql.worlds.animals_that_differ import simulate_animals
from hiql.worlds.bandit import Bandit
from hiql.worlds.environment import Answer, Environment, Format, Moment, Sessions
from hiql.worlds.files import load_world, named_world
from hiql.worlds.grids_with_goals import simulate_one_intention, simulate_places
from hiql.worlds.gridworld import gridworld
from hiql.worlds.labyrinth import labyrinth
from hiql.worlds.mdp import MDP, World
from hiql.worlds.objectworld import Objectworld, objectworld
from hiql.worlds.observed import ObservedSchedule
from hiql.worlds.planning import (
    boltzmann_policy,
    evaluate_policy,
    soft_value_iteration,
    state_occupancy,
    value_iteration,
)
from hiql.worlds.playing import Agent, Mind, play
from hiql.worlds.psychophysics import simulate_learning, simulate_psychophysics
from hiql.worlds.remembering import WithHistories, WithMemory
from hiql.worlds.reversal_rules import ReversalTask
from hiql.worlds.reversal_task import ReversalCohort, simulate_reversal
from hiql.worlds.simulation import Simulation
from hiql.worlds.stimuli import Stimuli
from hiql.worlds.two_goals import TwoGoals, simulate_two_goals

__all__ = [
    "MDP",
    "Agent",
    "Answer",
    "Bandit",
    "Environment",
    "Format",
    "Mind",
    "Moment",
    "Objectworld",
    "ObservedSchedule",
    "ReversalCohort",
    "ReversalTask",
    "Sessions",
    "Simulation",
    "Stimuli",
    "TwoGoals",
    "WithHistories",
    "WithMemory",
    "World",
    "boltzmann_policy",
    "evaluate_policy",
    "gridworld",
    "labyrinth",
    "load_world",
    "named_world",
    "objectworld",
    "play",
    "simulate_animals",
    "simulate_learning",
    "simulate_one_intention",
    "simulate_places",
    "simulate_psychophysics",
    "simulate_reversal",
    "simulate_two_goals",
    "soft_value_iteration",
    "state_occupancy",
    "value_iteration",
]
