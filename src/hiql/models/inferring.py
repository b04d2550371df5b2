"""What a fitted model infers of data: which intention drove each step, and what comes next."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.data.joined import apart
from hiql.data.trajectories import Trajectories
from hiql.engine.inference import Reading, causal, drawn_path, is_possible, most_likely_path, smooth
from hiql.models.scoring import warn_impossible
from hiql.parts.part import FloatArray


class Inferring:
    """Posteriors, paths and predictions of a fitted model: a mixin."""

    _parts: Any
    _point: Any
    _problem: Any
    _check_data: Any
    choice_parameters_: Any

    def _read(self, data: Trajectories) -> Reading:
        self._check_data(data)
        return self._problem(data).read(self._point)

    def _read_and_tell(self, data: Trajectories) -> Reading:
        """The same, with a warning where the model rules out what was done."""
        reading = self._read(data)
        if not is_possible(reading):
            warn_impossible(self, data, stacklevel=4)
        return reading

    def _by_step(self, data: Trajectories, found: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What was inferred of what ``_read`` gave, in the order of the data."""
        return apart(found, data, self._parts()[0].units(data))

    def smooth_proba(self, data: Trajectories) -> FloatArray:
        """(N, K) p(z_t | the whole session). It looks ahead: do not relate it to neural activity causally.

        Here and in the other posteriors, a step that the model rules out is passed over like a missing one; a warning
        says where.
        """
        return self._by_step(data, smooth(self._read_and_tell(data)))

    def filter_proba(self, data: Trajectories) -> FloatArray:
        """(N, K) p(z_t | steps up to and including t): causal."""
        return self._by_step(data, causal(self._read_and_tell(data))[1])

    def decode(self, data: Trajectories) -> npt.NDArray[np.int64]:
        """(N,) the most likely path of intentions through each session (Viterbi)."""
        return self._by_step(data, most_likely_path(self._read_and_tell(data)))

    def draw_path(
        self, data: Trajectories, random_state: int | np.random.Generator = 0, *, seen: bool = True
    ) -> npt.NDArray[np.int64]:
        """(N,) one path of intentions drawn from p(z | data), at the fitted parameters.

        With ``seen=False`` as the clock would have it if nothing had been observed, in sessions of the same lengths and
        contexts: what draws of the first kind look like if the clock is right.
        """
        return self._by_step(data, drawn_path(self._read(data), np.random.default_rng(random_state), seen=seen))

    def policy_at(self, data: Trajectories, steps: npt.ArrayLike | None = None) -> FloatArray:
        """(n, K, A) p(a_t | what is known before step t, z_t = i): what each intention would do, by default at all."""
        self._check_data(data)
        wanted = np.arange(data.n_steps) if steps is None else np.asarray(steps, dtype=np.intp)
        return self._parts()[1].proba(self.choice_parameters_, data, wanted)

    def transitions_at(self, data: Trajectories, steps: npt.ArrayLike | None = None) -> FloatArray:
        """(n, P, P) what leads into these steps of a session, by default into all: p(z_t = j | z_{t−1} = i, …).

        P phases of the clock, K in all but those that count durations; at a session's first step nothing leads into it.
        """
        chain = self._read(data).all_sessions.chain.dense()
        rows = self._by_step(data, chain.rows)
        return np.asarray(chain.bank[rows if steps is None else rows[np.asarray(steps, dtype=np.intp)]])

    def predict_action_proba(self, data: Trajectories) -> FloatArray:
        """(N, A) p(a_t | s_t and steps before t): causal. Uniform where the state is missing."""
        predicted = self._by_step(data, causal(self._read(data))[0])
        return np.einsum("nk,nka->na", predicted, self.policy_at(data))
