"""Simulating behaviour from intentions, policies and a world."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import Chain, FloatArray
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


def _start_states(
    world: MDP, start: int | npt.ArrayLike | None, n_sessions: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    if start is None:
        start = world.start if isinstance(world, World) else 0
    where = np.asarray(start, dtype=np.float64)
    if where.ndim == 0:
        return np.full(n_sessions, int(where))
    return draw(np.broadcast_to(where, (n_sessions, world.n_states)), rng)
