"""The recordings of the comparison: mice in a maze, and at two spouts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hiql import datasets
from hiql.data.bandit import bandit_trials
from hiql.data.folds import identical_sessions
from hiql.data.trajectories import Trajectories
from hiql.experiments.related.world import World
from hiql.worlds import MDP

MEMORY = (1, 4, 16)
"""Time constants of the bandit's memory, in trials."""
LONG_DISCOUNT = 0.95


def labyrinth(size: int, seed: int) -> World:  # noqa: ARG001
    """Water-restricted mice in a maze (the paper's §5.2); copies of a session stay on one side."""
    found = datasets.labyrinth("restricted", discount=LONG_DISCOUNT)
    data = found.data.select(range(min(size, found.data.n_sessions)))
    return each_move_once(data, found.mdp, 2)._replace(groups=tuple(identical_sessions(data)))


def labyrinth_long(size: int, seed: int) -> World:  # noqa: ARG001
    """The same maze for whole nights."""
    nights = datasets.labyrinth_long()
    moves = np.eye(nights.data.n_states)[nights.successors]
    data = nights.data.select(range(min(size, nights.data.n_sessions)))
    return each_move_once(data, MDP(moves, LONG_DISCOUNT), 3)


def each_move_once(data: Trajectories, mdp: MDP, n_intentions: int) -> World:
    """The maze with one place more, which actions that cannot be meant lead to.

    At a dead end left, right and staying come to the same, and recordings know only one of them. A system that plans
    cannot tell them apart, and would have to divide its choices among them; where all but one lead nowhere, it learns
    to leave them alone. Of actions that do the same in a place, that which the recordings have most often is left.
    """
    n_states, n_actions = mdp.n_states, mdp.n_actions
    moves = np.zeros((n_states + 1, n_actions, n_states + 1))
    matrices = mdp.transitions if mdp.is_sparse else mdp.transitions.transpose(1, 0, 2)
    moves[:-1, :, :-1] = np.stack([m.toarray() if mdp.is_sparse else m for m in matrices], axis=1)
    moves[-1, :, -1] = 1.0
    same = (moves[:-1, :, None] == moves[:-1, None]).all(axis=3)  # (S, A, A)
    ranks = np.asarray(data.pair_counts) + np.linspace(0.0, 0.5, n_actions)
    rival = (same & (ranks[:, None] > ranks[:, :, None])).any(axis=2)
    moves[:-1][rival] = np.arange(n_states + 1) == n_states
    widened = replace(data, n_states=n_states + 1, state_labels=None)
    return World(widened, n_intentions, MDP(moves, mdp.discount))


def bandit(size: int, seed: int) -> World:  # noqa: ARG001
    """Mice in a two-armed bandit: states are the last trial, inputs leaky traces of those before."""
    data = bandit_trials(datasets.mice_bandit(), history=1, memory=MEMORY)
    chosen = np.random.default_rng(0).permutation(data.n_sessions)[:size]
    return World(data.select(np.sort(chosen)), 2)
