"""Every pair of dynamics and choice that the contract holds for: add yours to ``CLOCKS`` or ``WAYS``.

Beside each part stands what it means, said as plainly as possible and one step at a time: that is what enumeration of
all paths is made from.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.special import expit, softmax

import hiql
from hiql.choices import (
    Aims,
    AnimalTables,
    Coefficients,
    DayTables,
    Goals,
    LinearChoice,
    LinearWeights,
    Planned,
    Policies,
    PooledTable,
    PooledWeights,
    TableChoice,
)
from hiql.choices.pooled import PooledPolicies
from hiql.choices.pooled_weights import PooledLinear
from hiql.data.coding import Coding
from hiql.dynamics import (
    ByState,
    ChainCounts,
    Independent,
    InputDriven,
    MarkovChain,
    PhaseCounts,
    SemiMarkov,
    SessionWise,
    StickyChain,
)
from hiql.dynamics.by_state import PlacedChain
from hiql.dynamics.input_driven import DrivenChain
from hiql.dynamics.markov import ChainParameters
from hiql.dynamics.semi_markov import PhaseParameters
from hiql.engine.problem import Problem
from hiql.errors import InvalidParameter
from hiql.rewards.iql import LearnedPolicies, StochasticIQL
from hiql.worlds.planning import boltzmann_policy, soft_value_iteration, value_iteration
from tests.contract.parts import BeginsBySubject, FollowsInput, Slopes, Specialists
from tests.dynamics.clocks import SwitchingByPlace

N_STATES, N_ACTIONS = 3, 2
PLACES = (1, 2)
SUBJECTS = ("ada", "ben")
DAYS = (0.0, 3.0), (5.0,)
"""Of each subject: sessions are on days 0, 1, 2, …, and so before, on and after these."""
LEARNER = StochasticIQL(0.1, epochs=3, discount=0.5)
WORLD = hiql.MDP(
    [[[0.1, 0.8, 0.1], [0.7, 0.2, 0.1]], [[0.2, 0.1, 0.7], [0.8, 0.1, 0.1]], [[0.9, 0.0, 0.1], [0.1, 0.2, 0.7]]], 0.8
)
FEATURES = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.5]])
POLICIES = np.array([[[0.95, 0.05], [0.9, 0.1], [0.1, 0.9]], [[0.05, 0.95], [0.2, 0.8], [0.9, 0.1]]])
MATRICES = np.array([[[0.95, 0.05], [0.1, 0.9]], [[0.6, 0.4], [0.3, 0.7]]])
BEGINNINGS = np.array([[0.5, 0.5], [0.9, 0.1], [0.1, 0.9]])


class Clock(NamedTuple):
    """A dynamics; how session n begins (P,) and what leads into step t (P, P); parameters of two clear intentions.

    ``phases`` says which of K intentions each of the P phases belongs to, and ``folded`` what the dynamics counts of
    expected beginnings and moves of phases. One that differs from another only in what it hands to the model is tried
    with some ``ways`` to choose, not all.
    """

    part: Any
    begins: Callable[[Any, Any, int], np.ndarray]
    moves: Callable[[Any, Any, int], np.ndarray]
    known: Any
    ways: tuple[str, ...] | None = None
    identified: bool = True
    """Whether two intentions can be told apart at all with so few states."""
    phases: Callable[[int], np.ndarray] = np.arange
    folded: Callable[[Any, Any], Any] = ChainCounts

    @property
    def forgets(self):
        """Whether what follows an intention does not depend on how long it has lasted."""
        return len(self.phases(2)) == 2


class Way(NamedTuple):
    """A choice; the probabilities of the actions at step t (K, A); parameters of two clear intentions.

    One that hands to the model what another does is tried with some ``clocks``, not all.
    """

    part: Any
    acts: Callable[[Any, Any, int], np.ndarray]
    known: Any
    clocks: tuple[str, ...] | None = None


def first_beginning(params, data, n):
    return np.exp(params.log_initial[0])


def own_beginning(params, data, n):
    known = data.subjects[n] in SUBJECTS
    return np.exp(params.log_initial[1 + SUBJECTS.index(data.subjects[n]) if known else 0])


def only_matrix(params, data, t):
    return np.exp(params.log_transition[0])


def matrix_of_the_place(params, data, t):
    return np.exp(params.log_transition[1 if data.states[t] in PLACES else 0])


def matrix_of_the_state_left(params, data, t):
    return np.exp(params.log_transition[data.states[t - 1]])  # the last one, anywhere, where the state is missing


def matrix_of_the_subject(params, data, t):
    return np.exp(params.log_transition[subject_of(data, t)])


def beginning_of_the_subject(params, data, n):
    return np.exp(params.log_initial[subject_of(data, data.offsets[n])])


def subject_of(data, t):
    """The number of the animal of step t; that of the population for one never met."""
    name = data.subjects[np.searchsorted(data.offsets, t, side="right") - 1]
    return SUBJECTS.index(name) if name in SUBJECTS else len(SUBJECTS)


def beginning_of_phases(params, data, n):
    return (np.exp(params.log_initial[0])[:, None] * np.exp(params.log_first)).ravel()


def matrix_of_phases(params, data, t):
    """Each phase is kept or left for the next one; from the last one another intention is entered, at any phase."""
    k, n = params.log_entry.shape
    keep, leave = np.exp(params.log_stay).T
    matrix = np.zeros((k, n, k, n))
    for i, m in np.ndindex(k, n):
        matrix[i, m, i, m] = keep[i]
        if m + 1 < n:
            matrix[i, m, i, m + 1] = leave[i]
            continue
        for j, entered in np.ndindex(k, n):
            matrix[i, m, j, entered] += leave[i] * np.exp(params.log_following[i, j] + params.log_entry[j, entered])
    return matrix.reshape(k * n, k * n)


def counts_of_phases(initial, bank):
    """The same the other way: which moves of phases were to stay, to go on, and to enter."""
    k = len(bank[0]) // PHASES
    moved, entered = bank[0].reshape(k, PHASES, k, PHASES), np.zeros((k, PHASES))
    stays, following = np.zeros((k, 2)), np.zeros((k, k))
    for i, m, j, other in np.ndindex(moved.shape):
        n = moved[i, m, j, other]
        stays[i] += [n, 0.0] if (i, m) == (j, other) else [0.0, n]
        if i != j:
            entered[j, other] += n
            following[i, j] += n
    return PhaseCounts(initial.reshape(-1, k, PHASES), entered, stays, following)


def by_table_of_the_animal(params, data, t):
    return np.exp(params.log_policy[:, subject_of(data, t) * N_STATES + data.states[t]])


def by_table_of_the_day(params, data, t):
    """That of the animal's last known day; before its first, and for an animal never met, that of first days."""
    n, session = subject_of(data, t), np.searchsorted(data.offsets, t, side="right") - 1
    known = [(m, day) for m, days in enumerate(DAYS) for day in days]
    met = [row for row, (m, day) in enumerate(known) if m == n and day <= data.session_days[session]]
    return np.exp(params.log_policy[:, (met[-1] if met else len(known)) * N_STATES + data.states[t]])


def by_table(params, data, t):
    return np.exp(params.log_policy[:, data.states[t]])


def by_input(params, data, t):
    right = expit(params.slope * data.inputs[t, 0])
    return np.stack([1 - right, right], axis=-1)


def by_weights(params, data, t):
    chosen = softmax(params.weights @ [data.inputs[t, 0], 1.0], axis=-1)
    return (1 - params.lapse[:, None]) * chosen + params.lapse[:, None] / N_ACTIONS


def matrix_of_the_inputs(params, data, t):
    return softmax(params.weights @ [data.inputs[t, 0], 1.0], axis=-1)


def by_planning(params, data, t):
    rewards = params.coefficients @ FEATURES.T
    return np.stack([boltzmann_policy(soft_value_iteration(WORLD, r, 1e-13))[data.states[t]] for r in rewards])


def by_goal(params, data, t):
    rewards = params.sharpness[:, None] * np.eye(N_STATES)[params.goal.astype(int)]
    return np.stack([boltzmann_policy(value_iteration(WORLD, r, 1e-13))[data.states[t]] for r in rewards])


def by_weights_of_the_animal(params, data, t):
    n = subject_of(data, t)
    weights = params.own[:, n] if n < len(SUBJECTS) else params.weights
    return softmax(weights @ [data.inputs[t, 0], 1.0], axis=-1)


def tables(n_beginnings, n_matrices):
    return ChainParameters(np.log(BEGINNINGS[:n_beginnings]), np.log(MATRICES[:n_matrices]))


def placed(n_beginnings, n_matrices):
    chain = ChainParameters(np.log(BEGINNINGS[:n_beginnings]), np.log(MATRICES[np.arange(n_matrices) % 2]))
    pseudo_counts = 2.0 * np.exp(chain.log_transition), 0.1 + 0.0 * chain.log_initial
    strengths = np.full((1, 2), 2.0), np.full((1, 1), 2.0)
    return PlacedChain(chain.log_initial, chain.log_transition, *pseudo_counts, *strengths, np.ones((n_matrices, 2)))


with np.errstate(divide="ignore"):
    ONE_KIND_A_SESSION = ChainParameters(np.log(BEGINNINGS[:1]), np.log(np.eye(2))[None])
FITTED_TO = Coding(
    N_STATES,
    N_ACTIONS,
    input_names=("stimulus",),
    input_means=(0.0,),
    input_scales=(1.0,),
    subjects=SUBJECTS,
    days=DAYS,
)
TO_AND_FRO = np.array([[[0.8, 1.0], [-0.8, -1.0]], [[0.8, -1.2], [-0.8, 1.2]]])
DRIVEN = DrivenChain(np.log(BEGINNINGS[:1]), TO_AND_FRO, np.ones(2), np.ones((2, 2)))
PHASES = 2
with np.errstate(divide="ignore"):
    LASTING = PhaseParameters(
        np.log([[0.6, 0.4]]),
        np.log([[0.5, 0.5], [0.7, 0.3]]),
        np.log([[0.9, 0.1], [0.8, 0.2]]),
        np.log([[0.9, 0.1], [0.8, 0.2]]),
        np.log([[0.0, 1.0], [1.0, 0.0]]),
    )
CLOCKS = {
    "semi-markov": Clock(
        SemiMarkov(n_phases=PHASES),
        beginning_of_phases,
        matrix_of_phases,
        LASTING,
        ways=("table", "zeros", "input"),
        phases=lambda k: np.repeat(np.arange(k), PHASES),
        folded=counts_of_phases,
    ),
    "input-driven": Clock(
        InputDriven(ridge=0.5, coding=FITTED_TO),
        first_beginning,
        matrix_of_the_inputs,
        DRIVEN,
        ways=("table", "linear"),
    ),
    "session-wise": Clock(SessionWise(), first_beginning, only_matrix, ONE_KIND_A_SESSION),
    "animal-wise": Clock(
        SessionWise(unit="subject"), first_beginning, only_matrix, ONE_KIND_A_SESSION, ways=("table", "input")
    ),
    "by-state": Clock(ByState(), first_beginning, matrix_of_the_state_left, placed(1, N_STATES + 1)),
    "by-subject": Clock(
        ByState(context="subject", coding=FITTED_TO), beginning_of_the_subject, matrix_of_the_subject, placed(3, 3)
    ),
    "sticky": Clock(StickyChain(stickiness=3.0), first_beginning, only_matrix, tables(1, 1), ways=("table",)),
    "independent": Clock(
        Independent(),
        first_beginning,
        only_matrix,
        ChainParameters(np.log(BEGINNINGS[1:2]), np.log(BEGINNINGS[[[1, 1]]])),
        ways=("goals",),
        identified=False,
    ),
    "markov": Clock(MarkovChain(), first_beginning, only_matrix, tables(1, 1)),
    "places": Clock(SwitchingByPlace(places=PLACES), first_beginning, matrix_of_the_place, tables(1, 2)),
    "subjects": Clock(BeginsBySubject(subjects=SUBJECTS), own_beginning, only_matrix, tables(3, 1)),
}
HABITS = Policies(np.log(POLICIES))
with np.errstate(divide="ignore"):
    EXCLUSIVE = Policies(np.log([[[0.0, 1.0], [0.9, 0.1], [0.1, 0.9]], [[0.9, 0.1], [1.0, 0.0], [0.9, 0.1]]]))
POOLED = PooledPolicies(HABITS.log_policy, 2.0 * POLICIES, np.full((2, 1), 2.0))
ANIMALS = PooledPolicies(
    np.tile(HABITS.log_policy, (1, 3, 1)), np.tile(2.0 * POLICIES, (1, 3, 1)), np.full((2, 2), 2.0)
)
OVER_DAYS = PooledPolicies(
    np.tile(HABITS.log_policy, (1, 4, 1)), np.tile(2.0 * POLICIES, (1, 4, 1)), np.full((2, 3), 2.0)
)
WEIGHTS = LinearWeights(np.array([[[-2.0, 0.2], [2.0, -0.2]], [[2.0, 0.0], [-2.0, 0.0]]]), np.ones((2, 2)), np.zeros(2))
LAPSES = replace(WEIGHTS, weights=2.0 * WEIGHTS.weights, lapse=np.array([0.1, 0.05]))
OWN = WEIGHTS.weights[:, None] * np.array([1.0, 0.6])[None, :, None, None]
OF_ANIMALS = PooledLinear(WEIGHTS.weights, np.ones((2, 2)), np.zeros(2), OWN, np.ones((2, 2)), np.zeros(2))
WAYS = {
    "weights of animals": Way(
        PooledWeights(0.5, coding=FITTED_TO), by_weights_of_the_animal, OF_ANIMALS, clocks=("markov",)
    ),
    "linear": Way(LinearChoice(coding=FITTED_TO), by_weights, WEIGHTS, clocks=("markov", "by-subject", "input-driven")),
    "lapses": Way(LinearChoice(0.1, lapse=True, coding=FITTED_TO), by_weights, LAPSES, clocks=("markov",)),
    "planned": Way(
        Planned(mdp=WORLD, features=FEATURES),
        by_planning,
        Coefficients(np.array([[4.0, 0.0], [-4.0, 2.0]])),
        clocks=("markov",),
    ),
    "goals": Way(
        Goals(mdp=WORLD, sharpness=(3.0, 10.0)),
        by_goal,
        Aims(np.array([1.0, 2.0]), np.array([10.0, 3.0])),
        clocks=("markov", "independent"),
    ),
    "pooled": Way(PooledTable(), by_table, POOLED),
    "animals": Way(AnimalTables(coding=FITTED_TO), by_table_of_the_animal, ANIMALS),
    "days": Way(DayTables(coding=FITTED_TO), by_table_of_the_day, OVER_DAYS, clocks=("markov", "by-subject")),
    "table": Way(TableChoice(0.1), by_table, HABITS),
    "base policy": Way(TableChoice(np.array([[0.5, 0.0], [0.0, 0.2], [0.1, 1.0]])), by_table, HABITS),
    "zeros": Way(Specialists(), by_table, EXCLUSIVE),
    "input": Way(FollowsInput(), by_input, Slopes(np.array([4.0, -4.0]))),
    "learned": Way(LearnedPolicies(0.1, learner=LEARNER), by_table, HABITS),
}


class Pair(NamedTuple):
    """A dynamics and a choice."""

    clock: Clock
    way: Way

    def problem(self, data, n_intentions=3, **options):
        return Problem(data, self.clock.part, self.way.part, n_intentions, **options)

    def model(self, n_intentions=2, **options):
        quick = {"n_init": 2, "patience": 0, "max_iter": 30, "progress": False} | options
        return hiql.IntentionModel(n_intentions, dynamics=self.clock.part, choice=self.way.part, **quick)


def pairs(choose=lambda clock, way: True):
    """A parametrisation over the pairs for which ``choose(clock, way)`` holds."""
    meant = [(c, w) for c in CLOCKS for w in CLOCKS[c].ways or WAYS if c in (WAYS[w].clocks or CLOCKS)]
    names = [(c, w) for c, w in meant if choose(CLOCKS[c], WAYS[w])]
    chosen = {f"{c}-{w}": Pair(CLOCKS[c], WAYS[w]) for c, w in names}
    return pytest.mark.parametrize("pair", chosen.values(), ids=chosen.keys())


def exact(clock, way):
    return clock.part.exact and way.part.exact


def identified(clock, way):
    return exact(clock, way) and clock.identified


def given_prior(clock, way):
    """Whether nothing is learned of the priors: else each climb has an objective of its own."""
    problem = Pair(clock, way).problem(some_data())
    start = problem.start(np.random.default_rng(0))
    return problem.learned(start) is start


def forgets(clock, way):
    """Whether the intentions can be told, and are all that the clock knows."""
    return identified(clock, way) and clock.forgets


def counting(clock, way):
    """Whether both M-steps are nothing but counting."""
    problem = Pair(clock, way).problem(some_data())
    return problem.priors(problem.start(np.random.default_rng(0))) is not None


def averaging(clock, way):
    """Whether both have posteriors, and believe everything possible."""
    problem = Pair(clock, way).problem(some_data())
    start = problem.start(np.random.default_rng(0))
    try:
        priors = problem.estimating("bayes").priors(start)
    except InvalidParameter:
        return False
    return priors is not None and bool((priors[1].pseudo_counts > 0).all())


def some_data(seed=0, lengths=(4, 1, 5, 2), missing=0.2, states=(0, 1, 2), subjects=("ada", "ben", "cyd", "ada")):
    """Ragged sessions of random steps, some states and actions missing, an input, and subjects in turn."""
    rng = np.random.default_rng(seed)

    def masked(codes):
        return np.where(rng.random(len(codes)) < missing, -1, codes)

    return hiql.Trajectories.from_arrays(
        [masked(rng.choice(states, size=n)) for n in lengths],
        [masked(rng.integers(N_ACTIONS, size=n)) for n in lengths],
        subjects=[subjects[i % len(subjects)] for i in range(len(lengths))],
        session_days=np.arange(len(lengths), dtype=float),
        n_states=N_STATES,
        n_actions=N_ACTIONS,
        inputs=[rng.normal(size=(n, 1)) for n in lengths],
        input_names=["stimulus"],
    )


def more_data(seed=0, **options):
    """The same with enough steps for many chunks: sessions of 1 to 30."""
    lengths = np.random.default_rng(seed).integers(1, 31, size=40)
    return some_data(seed, (*lengths, 1), 0.1, **options)
