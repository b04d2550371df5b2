"""What the two parts say of some sessions, checked once before compiled loops go over it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.choices.choice import Taken
from hiql.dynamics.chain import Done, Follows, Smoothed
from hiql.errors import ShapeMismatch
from hiql.parts.part import FloatArray
from hiql.parts.rows import numbers_below


class Chunk(NamedTuple):
    """Some sessions, ``offsets`` counted from their first step, and what both parts say of them."""

    offsets: npt.NDArray[np.int64]
    chain: Follows
    taken: Taken
    n_intentions: int

    @property
    def done(self) -> Done:
        return Done(self.offsets, self.taken.rows, self.taken.table)

    def by_intention(self, per_phase: FloatArray) -> FloatArray:
        """(…, K) sums over the phases of each intention."""
        phases = self.chain.phases
        same = phases.tolist() == list(range(self.n_intentions))
        return per_phase if same else per_phase @ np.eye(self.n_intentions)[phases]

    def smoothed(self, posterior: FloatArray | None = None) -> Smoothed:
        """The E-step; ``posterior`` (N, K), where given, receives p(z_t | session)."""
        return self.chain.smoothed(self.done, posterior)

    def drawn(self, rng: np.random.Generator) -> tuple[Smoothed, npt.NDArray[np.int64]]:
        """A path of intentions (N,) drawn from p(path | sessions), and how often it has used each row."""
        return self.chain.drawn(self.done, rng)

    def followed(self) -> tuple[FloatArray, FloatArray]:
        """(N, P) twice: p(phase_t | steps before t) and p(phase_t | steps up to t)."""
        return self.chain.followed(self.done)

    def best_path(self) -> npt.NDArray[np.int64]:
        """(N,) the intentions on the most likely path through each session."""
        return self.chain.best_path(self.done)

    @property
    def unseen(self) -> Chunk:
        """The same sessions, of which nothing was seen: what is drawn of them comes from the chain alone."""
        return self._replace(taken=self.taken._replace(table=np.ones_like(self.taken.table)))

    def checked(self) -> Chunk:
        """Itself, if chain, choice and sessions fit each other: kernels do not look whether an index is in range."""
        n_sessions, n_steps = len(self.offsets) - 1, int(self.offsets[-1])
        fits = self.taken.table.shape[1:] == (self.n_intentions,) and self.chain.fits(self.done)
        if not (fits and numbers_below(len(self.taken.table), self.taken.rows, n_steps)):
            shapes = tuple(getattr(each, "shape", None) for each in (*self.chain, *self.taken[:2]))  # type: ignore[misc]
            raise ShapeMismatch(
                field="chain and choice",
                shape=shapes,
                expected=(f"{n_sessions} sessions", f"{n_steps} steps", f"{self.n_intentions} intentions"),
                remedy="let the parts give each session and step the number of a row they have, and known intentions",
            )
        return self
