"""A fitted model as an animal: simulated in a world, or followed while it acts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from hiql.data.coding import Coding
from hiql.data.sizes import check_sizes
from hiql.data.trajectories import Trajectories
from hiql.models.asked_steps import Animal
from hiql.models.live import Live, known_or_nobody
from hiql.models.sampling import FittedAgent, chosen_sessions
from hiql.worlds.environment import Environment, check_environment
from hiql.worlds.playing import play
from hiql.worlds.recoded import recoded
from hiql.worlds.remembering import remembering
from hiql.worlds.starting import starting


class Acting:
    """Simulation, and the posterior of one animal step by step: a mixin."""

    _parts: Any
    _point: Any
    coding_: Coding
    n_states_: int
    n_actions_: int
    n_intentions_: Any

    def sample(
        self,
        world: Environment,
        n_sessions: int | None = None,
        n_steps: int | npt.ArrayLike | None = None,
        random_state: int | np.random.Generator = 0,
        *,
        start: int | npt.ArrayLike | None = None,
    ) -> Trajectories:
        """Simulate sessions; ``.intentions`` of the result are the true ones.

        ``world`` is what answers the actions: an :class:`hiql.MDP` or any other environment of :mod:`hiql.worlds`.
        ``n_steps`` is one length for all sessions or one for each; by default there are the sessions the world is made
        for, in an MDP one of 100 steps. ``start`` is a state or a distribution (S,), by default the world's.
        """
        check_is_fitted(self)
        check_environment(world)
        environment = self._as_read(world)
        check_sizes(environment.format, self.n_states_, self.n_actions_)
        rng = np.random.default_rng(random_state)
        sessions = chosen_sessions(environment, n_sessions, n_steps)
        begun = environment if start is None else starting(environment, start)
        dynamics, choice = self._parts()
        agent = FittedAgent(dynamics, choice, self._point)
        sampled = play(agent, begun, sessions, rng)
        labels = (self.coding_.state_labels, self.coding_.action_labels) if hasattr(self, "coding_") else (None, None)
        return replace(sampled, state_labels=labels[0], action_labels=labels[1])

    def live(self, subject: object = None) -> Live:
        """Follow one animal in a running experiment, step by step (:class:`hiql.models.live.Live`).

        ``live.step(state=3, action=1)`` gives p(z | steps so far) (K,), ``live.predict(state=3)`` the probabilities of
        its next action (A,), and ``live.reset()`` begins a session. A subject never met, or None, is followed as the
        population's.
        """
        check_is_fitted(self)
        coding = self.coding_ if hasattr(self, "coding_") else Coding(self.n_states_, self.n_actions_)
        name = known_or_nobody(coding, subject)
        dynamics, choice = self._parts(coding)
        return Live(Animal(dynamics, choice, self._point, coding, self.n_intentions_, name))

    def _as_read(self, world: Environment) -> Environment:
        """The world in this model's codes, with the histories of trials and the memories that it reads."""
        known = hasattr(self, "coding_")
        return remembering(recoded(world, self.coding_), self.coding_) if known else world
