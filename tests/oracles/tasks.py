"""Tasks as trees: every way in which each could answer an action, with its probability.

A task has ``begin``, a list of (probability, hidden), ``shown(hidden)``, the state an animal sees, and
``answers(hidden, action)``, a list of (probability, outcome, next hidden). Small, slow and written from the rules.
"""

from __future__ import annotations

from itertools import product

import numpy as np


class Walk:
    """An MDP with transitions (S, A, S), from one state."""

    def __init__(self, transitions, start=0):
        self.transitions, self.begin = transitions, [(1.0, start)]

    def shown(self, hidden):
        return hidden

    def answers(self, hidden, action):
        return [(p, None, s) for s, p in enumerate(self.transitions[hidden, action]) if p > 0]


class TwoSpouts:
    """Two spouts, two kinds of block of 1 or 2 trials, with or without baits; hidden: kind, trials left, armed."""

    def __init__(self, chances, baited):
        self.chances, self.baited = chances, baited
        self.begin = [(0.25, (kind, left, (0, 0))) for kind in (0, 1) for left in (1, 2)]

    def shown(self, hidden):
        return 0

    def answers(self, hidden, action):
        kind, left, armed = hidden
        nexts = [(1.0, kind, left - 1)] if left > 1 else [(0.5, 1 - kind, 1), (0.5, 1 - kind, 2)]
        for put in product((0, 1), repeat=2):
            p = np.prod([c if there else 1 - c for c, there in zip(self.chances[kind], put, strict=True)])
            full = [max(was, now) for was, now in zip(armed, put, strict=True)]
            outcome, kept = full[action], list(full) if self.baited else [0, 0]
            kept[action] = 0
            yield from ((p * q, outcome, (k, n, tuple(kept))) for q, k, n in nexts)


class Reversing:
    """The good side changes after ``needed`` correct choices in a row, each block at least that long."""

    def __init__(self, needed, pay):
        self.needed, self.pay, self.begin = needed, pay, [(0.5, (0, ())), (0.5, (1, ()))]

    def shown(self, hidden):
        return 0

    def answers(self, hidden, action):
        side, recent = hidden
        chance = self.pay if action == side else 0.0
        after = (*recent, action == side)
        mastered = len(after) >= self.needed and all(after[-self.needed :])
        for outcome, p in ((1, chance), (0, 1 - chance)):
            yield p, outcome, (1 - side, ()) if mastered else (side, after)


class Tones:
    """Three stimuli -1, 0, 1 and two kinds of block of 2 trials, in which +1 is four times as likely or as unlikely."""

    ODDS = np.array([[0.2, 0.5, 0.8], [0.8, 0.5, 0.2]]) / 1.5

    def __init__(self):
        self.begin = [(0.5 * p, (kind, 2, s)) for kind in (0, 1) for s, p in enumerate(self.ODDS[kind])]

    def shown(self, hidden):
        return hidden[2]

    def answers(self, hidden, action):
        kind, left, stimulus = hidden
        kind, left = (kind, left - 1) if left > 1 else (1 - kind, 2)
        right = [(1.0, int(stimulus == 2))] if stimulus != 1 else [(0.5, 0), (0.5, 1)]
        for p, side in right:
            for s, q in enumerate(self.ODDS[kind]):
                yield p * q, int(action == side), (kind, left, s)


class Replayed:
    """One session whose states and chances are given, trial by trial; hidden: the trial."""

    def __init__(self, states, chances):
        self.states, self.chances, self.begin = states, chances, [(1.0, 0)]

    def shown(self, hidden):
        return self.states[hidden]

    def answers(self, hidden, action):
        p = self.chances[hidden][action]
        nexts = min(hidden + 1, len(self.states) - 1)
        yield from ((p, 1, nexts), (1 - p, 0, nexts))


def enumerate_sessions(task, state_of, initial, matrix_of, policy, n_steps):
    """The probability of every course [(s, z, a, outcome), …] of a session.

    ``state_of(shown, course)`` is the model's state; ``matrix_of(course, state)`` the transition matrix (K, K) that
    leads into a step in that state.
    """
    ways = [(p, hidden, ()) for p, hidden in task.begin]
    for _ in range(n_steps):
        further = []
        for p, hidden, course in ways:
            s = state_of(task.shown(hidden), course)
            odds = initial if not course else matrix_of(course, s)[course[-1][1]]
            for z, a in product(range(len(initial)), range(policy.shape[-1])):
                here = p * odds[z] * policy[z, s, a]
                further += [
                    (here * q, later, (*course, (s, z, a, outcome))) for q, outcome, later in task.answers(hidden, a)
                ]
        ways = _merged(further)
    exact: dict = {}
    for p, _, course in ways:
        exact[course] = exact.get(course, 0.0) + p
    return exact


def _merged(ways):
    """Ways that share what is hidden and the course so far are one."""
    total: dict = {}
    for p, hidden, course in ways:
        total[hidden, course] = total.get((hidden, course), 0.0) + p
    return [(p, hidden, course) for (hidden, course), p in total.items() if p > 0]
