"""The Markov decision process an animal moves in: transition probabilities, a discount, and a drawing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse

from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidDiscount, InvalidParameter, InvalidTransitions, ShapeMismatch, UnequalLengths
from hiql.worlds.draws import draw, draw_from_sparse
from hiql.worlds.environment import Answer, Environment, Format, IntArray, Moment
from hiql.worlds.linear import LinearSolver, linear_solver
from hiql.worlds.starting import starting_like

FloatArray = npt.NDArray[np.float64]
SHAPES = "give P[s, a, s'] or a list of A sparse (S, S) matrices"


@dataclass(frozen=True, eq=False)
class MDP(Environment):
    """A world of S states and A actions with known P(s, a, s') and discount γ.

    Parameters
    ----------
    transitions : (S, A, S) array, or A sparse (S, S) matrices
        ``transitions[s, a, s']`` resp. ``transitions[a][s, s']`` is P(s' | s, a); copied.
    discount : γ in [0, 1). The paper also allows 1, but then (I − γ P̄) has no inverse and values no bound
    """

    transitions: Any
    discount: float = 0.99

    def __post_init__(self) -> None:
        object.__setattr__(self, "discount", check_discount(self.discount))
        checked = _checked_sparse if _all_sparse(self.transitions) else _checked_dense
        object.__setattr__(self, "transitions", checked(self.transitions))

    @property
    def is_sparse(self) -> bool:
        """Whether the transitions are sparse matrices, one an action."""
        return isinstance(self.transitions, tuple)

    @property
    def n_states(self) -> int:
        """S."""
        return int(self.transitions[0].shape[-1] if self.is_sparse else self.transitions.shape[0])

    @property
    def n_actions(self) -> int:
        """A."""
        return len(self.transitions) if self.is_sparse else int(self.transitions.shape[1])

    def expect(self, value: npt.ArrayLike) -> FloatArray:
        """(…, S, A) the expected value of the next state, Σ_s' P(s, a, s') V(s'), of values (…, S)."""
        value = np.asarray(value, dtype=np.float64)
        if not self.is_sparse:
            return np.einsum("sat,...t->...sa", self.transitions, value, optimize=True)
        columns = value.reshape(-1, self.n_states).T
        nexts = np.stack([matrix @ columns for matrix in self.transitions], axis=1)  # (S, A, n)
        return np.moveaxis(nexts, -1, 0).reshape(*value.shape, self.n_actions)

    def next_states(
        self,
        states: npt.NDArray[np.integer[Any]],
        actions: npt.NDArray[np.integer[Any]],
        rng: np.random.Generator,
    ) -> npt.NDArray[np.int64]:
        """(n,) a draw of s' ~ P(s, a, ·) for each pair of a state and an action."""
        if not self.is_sparse:
            return draw(self.transitions[states, actions], rng)
        drawn = np.empty(len(states), dtype=np.int64)
        for a, matrix in enumerate(self.transitions):
            chosen = actions == a
            drawn[chosen] = draw_from_sparse(matrix, states[chosen], rng)
        return drawn

    @property
    def format(self) -> Format:
        """The numbers of states and actions; they are called by their numbers."""
        return Format(self.n_states, self.n_actions)

    @property
    def entrance(self) -> int:
        """The state where sessions begin."""
        return 0

    def begin(self, n_sessions: int, rng: np.random.Generator) -> Moment:  # noqa: ARG002
        return Moment.at(np.full(n_sessions, self.entrance))

    def answer(self, moment: Moment, actions: IntArray, rng: np.random.Generator) -> Answer:
        """Moves; a world has no outcomes of its own."""
        nexts = self.next_states(moment.states, actions, rng)
        return Answer(np.full(len(nexts), np.nan), Moment.at(nexts))

    def like(self, data: Trajectories) -> Environment:
        """Sessions begin in states drawn from those in which sessions of the data begin."""
        return starting_like(self, data)

    def under(self, policy: npt.ArrayLike) -> Any:
        """(S, S) the transitions Σ_a π(a|s) P(s, a, s') under a policy (S, A); sparse in a sparse world."""
        policy = np.asarray(policy, dtype=np.float64)
        if policy.shape != (self.n_states, self.n_actions):
            raise ShapeMismatch(
                field="policy",
                shape=policy.shape,
                expected=(self.n_states, self.n_actions),
                remedy="give one row a state, one column an action",
            )
        if not self.is_sparse:
            return np.einsum("sa,sat->st", policy, self.transitions)
        # One product of π (S, A·S), whose row s holds π(a|s) at column a·S + s, with all P(·, a, ·) stacked (A·S, S).
        columns = np.arange(self.n_states)[:, None] + self.n_states * np.arange(self.n_actions)
        row_ends = self.n_actions * np.arange(self.n_states + 1)
        choice = sparse.csr_array((policy.ravel(), columns.ravel(), row_ends), shape=(self.n_states, columns.size))
        return choice @ sparse.vstack(self.transitions, format="csr")

    @property
    def anchor(self) -> FloatArray:
        """(S, A) the weights over actions under which rewards are given mean 0: uniform in a known world."""
        return np.full((self.n_states, self.n_actions), 1.0 / self.n_actions)

    @cached_property
    def resolvent(self) -> LinearSolver:
        """Solves (I − γ P̄) x = b, P̄ = mean_a P(·, a, ·): factorised once for all IAVI here."""
        return linear_solver(self.under(self.anchor), self.discount)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self  # immutable; scikit-learn's clone() would otherwise copy the world for every fit

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle holds no factorisation (it cannot), and what comes out of it is read-only again.
        return type(self), tuple(getattr(self, f.name) for f in fields(self))

    def __repr__(self) -> str:
        kind = "sparse" if self.is_sparse else "dense"
        size = f"{self.n_states} states, {self.n_actions} actions"
        return f"{type(self).__name__}({size}, {kind}, γ={self.discount})"


@dataclass(frozen=True, eq=False, repr=False)
class World(MDP):
    """An MDP one can draw: where the states lie and what actions and places are called.

    Attributes
    ----------
    positions : (S, 2) x, y of each state
    action_names : A names
    places : name → state, for example ``{"home": 0, "water": 100}``
    links : (L, 2) pairs of states joined by a corridor, for mazes; empty for open grids
    start : state where sessions begin
    """

    positions: FloatArray = field(default_factory=lambda: np.zeros((0, 2)))
    action_names: tuple[str, ...] = ()
    places: Mapping[str, int] = field(default_factory=dict)
    links: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    start: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("positions", "links"):
            array = np.array(getattr(self, name))
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        self._check_drawing()

    @property
    def format(self) -> Format:
        """The numbers of states and actions, and what actions are called."""
        return Format(self.n_states, self.n_actions, None, self.action_names or None)

    @property
    def entrance(self) -> int:
        return self.start

    def _check_drawing(self) -> None:
        """Raise unless the map shows states and actions that there are."""
        if self.positions.shape not in {(0, 2), (self.n_states, 2)}:
            remedy = "give x, y of every state"
            expected = (self.n_states, 2)
            raise ShapeMismatch(field="positions", shape=self.positions.shape, expected=expected, remedy=remedy)
        if len(self.action_names) not in {0, self.n_actions}:
            raise UnequalLengths(
                field="action_names", length=len(self.action_names), other="actions", other_length=self.n_actions
            )
        states = {**self.places, "start": self.start} | {
            f"link {i}": s for i, s in enumerate(self.links.ravel().tolist())
        }
        for name, state in states.items():
            if not 0 <= state < self.n_states:
                raise InvalidParameter(parameter=name, value=state, remedy=f"choose a state in 0…{self.n_states - 1}")


def check_discount(discount: Any) -> float:
    try:
        value = float(discount)
    except (TypeError, ValueError):
        raise InvalidDiscount(discount=discount) from None
    if not 0.0 <= value < 1.0:
        raise InvalidDiscount(discount=discount)
    return value


def _all_sparse(transitions: Any) -> bool:
    return isinstance(transitions, Sequence) and len(transitions) > 0 and all(map(sparse.issparse, transitions))


def _checked_dense(transitions: Any) -> FloatArray:
    try:
        array = np.array(transitions, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidTransitions(what=f"they are not an array of numbers ({error})", remedy=SHAPES) from error
    if array.ndim != 3 or array.shape[0] != array.shape[2] or min(array.shape, default=0) < 1:
        raise InvalidTransitions(what=f"shape {array.shape} is not (S, A, S)", remedy=SHAPES)
    bad = ~(array >= 0).all(axis=2) | ~(np.abs(array.sum(axis=2) - 1.0) < 1e-6)
    if bad.any():
        s, a = np.argwhere(bad)[0]
        raise InvalidTransitions(what=_row_problem(int(s), int(a), array[s, a]))
    array.setflags(write=False)
    return array


def _checked_sparse(transitions: Any) -> tuple[Any, ...]:
    matrices = tuple(sparse.csr_array(m, dtype=np.float64, copy=True) for m in transitions)
    n_states = matrices[0].shape[0]
    for a, matrix in enumerate(matrices):
        if matrix.shape != (n_states, n_states):
            raise InvalidTransitions(
                what=f"the matrix of action {a} has shape {matrix.shape}, not {(n_states, n_states)}",
                remedy="give A square matrices of one size",
            )
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
        bad = ~(np.abs(matrix.sum(axis=1) - 1.0) < 1e-6)
        bad[np.searchsorted(matrix.indptr, np.flatnonzero(matrix.data < 0), side="right") - 1] = True
        if bad.any():
            s = int(np.argmax(bad))
            raise InvalidTransitions(what=_row_problem(s, a, matrix[[s]].toarray().ravel()))
        for array in (matrix.data, matrix.indices, matrix.indptr):
            array.setflags(write=False)
    return matrices


def _row_problem(state: int, action: int, row: FloatArray) -> str:
    if np.isnan(row).any():
        return f"P(s={state}, a={action}, ·) contains NaN"
    if (row < 0).any():
        return f"P(s={state}, a={action}, s'={int(row.argmin())}) is {row.min():.6g}, below 0"
    return f"P(s={state}, a={action}, ·) sums to {row.sum():.6g}"
