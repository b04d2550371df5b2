"""Choices by table: a probability for every action in every state. The M-step is a weighted count (DESIGN, fact 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.choices.choice import ChoicePrior, Evidence, Taken
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.kernels.log_tables import log_shares, scaled_exponentials
from hiql.parts.dirichlet import log_dirichlet_draw
from hiql.parts.log_probabilities import LogProbabilities, check_tables, log_dirichlet
from hiql.parts.part import FloatArray, Order
from hiql.parts.path import Path
from hiql.parts.reads import STATE_ENTERED, Reads
from hiql.parts.registry import register
from hiql.parts.rows import Rows, Sessions, Some, add_rows
from hiql.priors.counted import ModeOrPosterior
from hiql.priors.estimates import MODE, check_estimate, concentration, evidence_of_rows, log_rows, times_log


@register
@dataclass(frozen=True, eq=False)
class Policies:
    """``log_policy`` (K, S, A): log π_i(a|s)."""

    log_policy: FloatArray


@register
@dataclass(frozen=True, eq=False)
class TableChoice(ModeOrPosterior, LogProbabilities):
    """π(a|s) ∝ expected count(s, a) + pseudo-count(s, a).

    This is the mode under a Dirichlet prior with concentrations 1 + pseudo-count, the mean of the posterior under one
    with the pseudo-counts themselves, and softmax(Q) of the reward that IAVI or IQL finds for it.

    Parameters
    ----------
    pseudo_count : a number, or an array that broadcasts to (K, S, A). A base policy b(a|s) held with a strength
        c(s) is the array c(s)·b(a|s); one for each intention gives it a first axis.
    estimate : "mode" or "bayes" (:mod:`hiql.priors.estimates`); models say it for their parts
    """

    pseudo_count: float | FloatArray = 0.1
    estimate: str = field(default=MODE, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        check_pseudo_count(self.pseudo_count)
        check_estimate(self.estimate)

    @property
    def exact(self) -> bool:
        return True

    @property
    def by_table(self) -> bool:
        return True

    def check(self, data: Trajectories, n_intentions: int) -> None:
        wanted = (n_intentions, data.n_states, data.n_actions)
        try:
            fits = np.broadcast_shapes(np.shape(self.pseudo_count), wanted) == wanted
        except ValueError:
            fits = False
        if not fits:
            raise ShapeMismatch(
                field="pseudo_count",
                shape=np.shape(self.pseudo_count),
                expected=f"a number, or an array that broadcasts to {wanted},",
                remedy="give a base policy times a strength for every state and action",
            )

    # --- what the smoother reads -------------------------------------------------------------------------------

    def bind(self, data: Trajectories) -> Rows:
        """A row for each pair (s, a), and a last one for steps without evidence."""
        return Rows(data.n_states * data.n_actions + 1, data.pairs_between)

    @property
    def reads(self) -> Reads:
        """The state; unknown for a subclass with a ``bind`` of its own, unless it says otherwise."""
        return (STATE_ENTERED,) if type(self).bind is TableChoice.bind else None

    def taken(self, params: Policies, rows: Rows) -> Callable[[Sessions], Taken]:
        log_policy = params.log_policy
        table, log_scale = scaled_exponentials(log_policy.reshape(len(log_policy), -1))

        def of(sessions: Sessions) -> Taken:
            here = rows.chunk(sessions)
            return Taken(here.of(table), here.numbers, partial(weighed, here.visits, here.of(log_scale)), here.some)

        return of

    def statistics(self, params: Policies, rows: Rows, sessions: Sessions, counts: FloatArray) -> FloatArray:  # noqa: ARG002
        return counts

    def add_up(self, statistics: Sequence[tuple[FloatArray, Some | None]]) -> FloatArray:
        return add_rows(statistics)

    def proba(self, params: Policies, data: Trajectories, steps: npt.NDArray[np.integer[Any]]) -> FloatArray:
        """Uniform where the state is missing."""
        states = data.states[steps]
        proba = np.exp(params.log_policy)[:, states].transpose(1, 0, 2)
        proba[states < 0] = 1.0 / data.n_actions
        return proba

    # --- fitting -----------------------------------------------------------------------------------------------

    def start(self, data: Trajectories, n_intentions: int, rng: np.random.Generator) -> Policies:
        """Every π(·|s) drawn uniformly from the simplex."""
        return Policies(random_policies((n_intentions, data.n_states, data.n_actions), rng))

    def use(self, statistics: FloatArray) -> FloatArray:
        return statistics[:-1].sum(axis=0)

    def update(self, params: Policies, evidence: Evidence) -> Policies:
        raised = self._by_row(evidence.counts, params) + self.prior(params)
        return replace(params, log_policy=log_rows(self.estimate, raised))

    def _by_row(self, statistics: FloatArray, params: Policies) -> FloatArray:
        """(K, rows, A) the expected counts."""
        return statistics[:-1].T.reshape(params.log_policy.shape)

    def log_prior(self, params: Policies) -> float:
        """Σ pseudo-count · log π: the logarithm of the Dirichlet prior, up to a constant."""
        return log_dirichlet(self.prior(params), params.log_policy)

    def worth(self, params: Policies, statistics: FloatArray) -> float:
        """The log-prior; or log B(n + c) − log B(c) − n · log θ for what was read, θ, whatever it was."""
        if not self.is_posterior:
            return self.log_prior(params)
        counts = self._by_row(statistics, params)
        return evidence_of_rows(counts, self.prior(params)) - times_log(counts, params.log_policy)

    def conjugate(self, params: Policies) -> ChoicePrior | None:
        """The pseudo-counts; None for a subclass with an M-step of its own, unless it says otherwise."""
        if type(self).update is not TableChoice.update:
            return None
        n_intentions, _, n_actions = params.log_policy.shape
        by_pair = np.full(params.log_policy.shape, self.prior(params), dtype=np.float64).reshape(n_intentions, -1).T
        return ChoicePrior(np.ascontiguousarray(by_pair), n_actions)

    def prior(self, params: Policies) -> float | FloatArray:  # noqa: ARG002
        """The pseudo-counts: what broadcasts to (K, S, A)."""
        return self.pseudo_count

    def drawn(self, params: Policies, path: Path, rng: np.random.Generator) -> Policies | None:
        """π_i(·|s) ~ Dirichlet(concentration + counts), with the prior that belongs to the estimate."""
        if self.conjugate(params) is None:
            return None
        counts = path.told(self, params)[:-1].T.reshape(params.log_policy.shape)
        return replace(
            params, log_policy=log_dirichlet_draw(concentration(self.estimate, self.prior(params)) + counts, rng)
        )

    def deal(self, params: Policies, rng: np.random.Generator) -> Policies:
        """In every state, the intentions' policies dealt out anew among the intentions."""
        n_intentions, n_states, _ = params.log_policy.shape
        dealt = rng.permuted(np.tile(np.arange(n_intentions)[:, None], n_states), axis=0)
        return replace(params, log_policy=params.log_policy[dealt, np.arange(n_states)])

    def graft(self, params: Policies, intentions: Order, others: Policies) -> Policies:
        log_policy = params.log_policy.copy()
        log_policy[intentions] = others.log_policy
        return replace(params, log_policy=log_policy)

    def lifted(self, params: Policies, parent: Order) -> Policies:
        """The same habits over finer states: state s behaves like state ``parent[s]``."""
        return Policies(params.log_policy[:, parent])

    def explained(self, params: Policies, log_policy: FloatArray) -> Policies:
        """The same with the policies of a reward that has learned from demonstrations."""
        return params if np.array_equal(log_policy, params.log_policy) else replace(params, log_policy=log_policy)

    # --- what a fitted model shows, and keeps ------------------------------------------------------------------

    def permute(self, params: Policies, order: Order) -> Policies:
        return replace(params, log_policy=params.log_policy[order])

    def summary(self, params: Policies) -> dict[str, FloatArray]:
        return {"log_policy": params.log_policy, "policy": np.exp(params.log_policy)}

    def n_free(self, data: Trajectories, n_intentions: int) -> int:
        """The log-odds between actions that were seen: observed pairs − observed states, for each intention."""
        return n_intentions * log_odds_seen(data.pair_counts)

    def check_params(self, params: Policies, data: Trajectories, n_intentions: int) -> None:
        check_tables(params, Policies, log_policy=(n_intentions, data.n_states, data.n_actions))


TableChoice.counts_as = TableChoice


def random_policies(shape: tuple[int, ...], rng: np.random.Generator) -> FloatArray:
    """(…, S, A) log-policies, each uniform on the simplex."""
    draws = rng.standard_exponential(shape)
    return np.log(np.maximum(draws / draws.sum(axis=-1, keepdims=True), 1e-300))


def log_policy_from_counts(counts: npt.ArrayLike, pseudo_count: Any) -> FloatArray:
    """(…, S, A) log of (counts + pseudo-counts) / their sum over actions; uniform where there is neither."""
    raised = np.ascontiguousarray(np.asarray(counts, dtype=np.float64) + pseudo_count)
    return log_shares(raised.reshape(-1, raised.shape[-1])).reshape(raised.shape)


def weighed(visits: FloatArray, log_scale: FloatArray) -> float:
    """Σ visits · log_scale, where −inf counts only if it was met."""
    with np.errstate(invalid="ignore"):
        scale = float(visits @ log_scale)
    return scale if np.isfinite(scale) else float(visits[visits > 0] @ log_scale[visits > 0])


def weighted_counts(data: Trajectories, weights: FloatArray) -> FloatArray:
    """(S·A + 1, K) the demonstrations of each pair counted with weights (N, K); last come missing steps."""
    return TableChoice().bind(data).count(weights, (0, data.n_sessions))


def log_odds_seen(counts: Any) -> int:
    """How many log-odds between actions the counts (…, S, A) can tell: observed pairs − observed states."""
    seen = np.asarray(counts) > 0
    return int(seen.sum() - seen.any(axis=-1).sum())


def check_pseudo_count(pseudo_count: Any) -> None:
    try:
        array = np.asarray(pseudo_count, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if not (np.isfinite(array).all() and (array >= 0).all()):
        shown = pseudo_count if array.ndim == 0 else f"an array with minimum {array.min()}"
        raise InvalidParameter(parameter="pseudo_count", value=shown, remedy="choose finite numbers ≥ 0")
