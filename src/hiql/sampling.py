"""Simulating behaviour from intentions, policies and a world."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import Chain
from hiql.parts.part import FloatArray
from hiql.errors import InvalidParameter
from hiql.worlds.draws import draw
from hiql.worlds.mdp import MDP, World


def sample_sessions(
    chain_for: Callable[[Trajectories], Chain],
    policy: FloatArray,
    world: MDP,
    lengths: npt.NDArray[np.int64],
    start: int | npt.ArrayLike | None,
    rng: np.random.Generator,
) -> Trajectories:
    """Sessions of the given lengths, all simulated side by side; policies (K, S, A)."""
    chain = _chain_by_state(chain_for, world)
    n_sessions = len(lengths)
    state = _start_states(world, start, n_sessions, rng)
    shape = (int(lengths.max()), n_sessions)
    states, actions, nexts, intentions = (np.empty(shape, dtype=np.int32) for _ in range(4))
    phase = draw(np.broadcast_to(chain.initial, (n_sessions, len(chain.initial))), rng)
    for t in range(shape[0]):
        if t > 0:
            phase = draw(chain.bank[chain.rows[state], phase], rng)
        states[t], intentions[t] = state, chain.phases[phase]
        actions[t] = draw(policy[intentions[t], state], rng)
        state = nexts[t] = world.next_states(state, actions[t], rng)

    def ragged(values: npt.NDArray[np.int32]) -> list[npt.NDArray[np.int32]]:
        return [values[:n, i] for i, n in enumerate(lengths)]

    return Trajectories.from_arrays(
        ragged(states),
        ragged(actions),
        ragged(nexts),
        n_states=world.n_states,
        n_actions=world.n_actions,
        action_labels=world.action_names if isinstance(world, World) and world.action_names else None,
        intentions=ragged(intentions),
    )


def _chain_by_state(chain_for: Callable[[Trajectories], Chain], world: MDP) -> Chain:
    """The chain of a session that visits each state once, so that ``rows[s]`` belongs to state s."""
    every_state = np.arange(world.n_states)
    tour = Trajectories.from_arrays(
        [every_state], [np.zeros_like(every_state)], n_states=world.n_states, n_actions=world.n_actions
    )
    return chain_for(tour)


def session_lengths(n_sessions: int, n_steps: int | npt.ArrayLike) -> npt.NDArray[np.int64]:
    """(n_sessions,) whole numbers ≥ 1, from one length for all sessions or one for each."""
    lengths = np.asarray(n_steps)
    whole = isinstance(n_sessions, int | np.integer) and np.issubdtype(lengths.dtype, np.integer)
    if not (whole and n_sessions >= 1 and lengths.shape in ((), (n_sessions,)) and (lengths >= 1).all()):
        raise InvalidParameter(
            parameter="n_sessions, n_steps",
            value=(n_sessions, n_steps),
            remedy="choose whole numbers ≥ 1, and one length for all sessions or one for each",
        )
    return np.broadcast_to(lengths, n_sessions).astype(np.int64)


def _start_states(
    world: MDP, start: int | npt.ArrayLike | None, n_sessions: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """(n_sessions,) the given state in every session, or draws from the given distribution (S,)."""
    if start is None:
        start = world.start if isinstance(world, World) else 0
    where = np.asarray(start)
    is_state = where.ndim == 0 and np.issubdtype(where.dtype, np.integer) and 0 <= where < world.n_states
    is_distribution = where.shape == (world.n_states,) and (where >= 0).all() and abs(where.sum() - 1.0) < 1e-6
    if not (is_state or is_distribution):
        raise InvalidParameter(
            parameter="start",
            value=start,
            remedy=f"give a state 0…{world.n_states - 1}, or {world.n_states} probabilities that sum to 1",
        )
    if is_state:
        return np.full(n_sessions, int(where))
    return draw(np.broadcast_to(where.astype(np.float64), (n_sessions, world.n_states)), rng)
