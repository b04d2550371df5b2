"""Parts written for the contract: those that CONTRIBUTING.md shows, and two that ask for what these do not."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hiql.choices import Policies, TableChoice
from hiql.dynamics import MarkovChain
from hiql.models.persistence import register
from hiql.parts import Rows
from tests.dynamics.clocks import SwitchingByPlace, printed

Slopes, FollowsInput = (printed(1, name, "rng = np.random") for name in ("Slopes", "FollowsInput"))


@dataclass(frozen=True)
class BeginsBySubject(MarkovChain):
    """The sessions of each named subject begin in their own way; those of anyone else in the first."""

    subjects: tuple[str, ...] = ()

    def bind(self, data):
        numbers = [1 + self.subjects.index(name) if name in self.subjects else 0 for name in data.subjects]
        begins = Rows.of_steps(1 + len(self.subjects), numbers, np.arange(data.n_sessions + 1))
        return super().bind(data)._replace(begins=begins)


@dataclass(frozen=True, eq=False)
class Specialists(TableChoice):
    """Intention k never takes action k mod A in state k mod S: nothing is added to counts, so EM keeps such zeros."""

    pseudo_count: float = 0.0

    def start(self, data, n_intentions, rng):
        log_policy = super().start(data, n_intentions, rng).log_policy
        k = np.arange(n_intentions)
        log_policy[k, k % data.n_states, k % data.n_actions] = -np.inf
        return Policies(log_policy - np.log(np.exp(log_policy).sum(axis=-1, keepdims=True)))


for kind in (SwitchingByPlace, Slopes, FollowsInput, BeginsBySubject, Specialists):
    register(kind)
