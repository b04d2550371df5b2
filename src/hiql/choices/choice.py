"""How an intention acts: what every choice hands to the smoother, and what it gets back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.parts.part import FloatArray, Order, Params, Part
from hiql.parts.rows import Sessions, Some


class Taken(NamedTuple):
    """How likely each intention was to do what was done, for a chunk of sessions.

    Step t reads ``table[rows[t]]`` (K,). Each row has been divided by its maximum; ``log_scale()`` is the sum of the
    logarithms of those maxima over all steps. ``some`` says which rows of the whole table these are, if not all.
    """

    table: FloatArray
    rows: npt.NDArray[np.uint32]
    log_scale: Callable[[], float]
    some: Some | None = None


class ChoicePrior(NamedTuple):
    """A choice whose M-step is counting, for compiled passes: ``pseudo_counts`` (R, K) of the rows that carry evidence.

    Shares are taken within groups of ``n_actions`` successive rows.
    """

    pseudo_counts: FloatArray
    n_actions: int


@dataclass(frozen=True, eq=False)
class Evidence:
    """Demonstrations weighted by how likely each intention was behind them.

    ``counts`` are the statistics of the choice, added up over the data (for a table the expected number of times that
    each row was read, by intention); ``weights`` (N, K), the posterior of every step, are computed only when asked for.
    """

    data: Trajectories
    counts: FloatArray
    compute_weights: Callable[[], FloatArray]

    @cached_property
    def weights(self) -> FloatArray:
        return self.compute_weights()


class Choice(Part[Params], Protocol[Params]):
    """How an intention acts. Implemented by small frozen dataclasses."""

    @property
    def by_table(self) -> bool:
        """Whether the parameters have ``log_policy`` (K, S, A), which is what rewards explain."""
        ...

    @property
    def world(self) -> Any:
        """The world that it plans in (:class:`hiql.MDP`), if it does."""
        ...

    def bind(self, data: Trajectories) -> Any:
        """The rows that the steps of these data read, as ``taken`` and ``statistics`` want them; they can ``count``."""
        ...

    def taken(self, params: Params, rows: Any) -> Callable[[Sessions], Taken]:
        """How likely what was done is under each intention, chunk by chunk."""
        ...

    def statistics(self, params: Params, rows: Any, sessions: Sessions, counts: FloatArray) -> FloatArray:
        """What ``update`` wants to know of a chunk whose rows have these expected counts (R, K); chunks add up."""
        ...

    def add_up(self, statistics: Sequence[tuple[FloatArray, Some | None]]) -> FloatArray:
        """The statistics of all data from those of successive chunks, each with the rows of the table that it read."""
        ...

    def update(self, params: Params, evidence: Evidence) -> Params: ...

    def use(self, statistics: FloatArray) -> FloatArray:
        """(K,) how many observed steps each intention explains, from the statistics of all chunks."""
        ...

    def conjugate(self, params: Params) -> ChoicePrior | None:
        """The pseudo-counts, if ``update`` is nothing but shares of counts and these."""
        ...

    def proba(self, params: Params, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> FloatArray:
        """(n, K, A) the probabilities of all actions at these steps, from what is known before each."""
        ...

    def explained(self, params: Params, log_policy: FloatArray) -> Params:
        """The same with the policies (K, S, A) of the reward that explains them: learning may have moved them."""
        ...

    def lifted(self, params: Params, parent: Order) -> Params:
        """The same habits over finer states: state s behaves like state ``parent[s]``; a named error if it cannot."""
        ...

    def deal(self, params: Params, rng: np.random.Generator) -> Params:
        """The same habits dealt out anew among the intentions, context by context."""
        ...

    def graft(self, params: Params, intentions: Order, others: Params) -> Params:
        """``params`` with the habits of ``others``, as many as there are ``intentions``, in place of those of these."""
        ...

    def n_free(self, data: Trajectories, n_intentions: int) -> int:
        """How many numbers the data can tell."""
        ...
