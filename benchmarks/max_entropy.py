"""IAVI against maximum entropy IRL on the same demonstrations: "up to several orders of magnitude" faster (§3)?

A row has a rival's time over IAVI's: from demonstrations to a reward, K = 1, one thread, everything that a world lets
us prepare included in both. IAVI is ours, a count and one linear solve. Three rivals:

- *max causal entropy* (:class:`hiql.baselines.MaxCausalEntropyIRL`): Newton planning, exact gradients, L-BFGS. As good
  as we can make it, so that the ratio is what the idea of IAVI brings and not what our care brings.
- *max entropy, plain*: as it is usually written. 200 steps of gradient ascent, each with soft value iteration to 1e-3
  and the visits that the policy is expected to make in as many steps as a session has (Ziebart et al. 2008, in numpy).
- *IAVI as printed*: the sweeps of Algorithm 1, but over all states at once (state by state: `speed.py`), to 1e-3.

Each stands with the training log-likelihood of its policy. Rewards of states cannot reproduce every policy, IAVI's
rewards of states and actions can; so time alone is compared. The goal is 100, two orders of magnitude, for the rival
that the paper names: the plain one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from scipy import sparse
from scipy.special import logsumexp

import hiql
from hiql.baselines import MaxCausalEntropyIRL
from hiql.worlds import objectworld
from hiql.worlds.planning import boltzmann_policy, soft_value_iteration
from measuring import race, timed
from rows import Row, arguments, report, row_of, tell

GOAL = 100
STEPS, RATE, PRECISION = 200, 0.1, 1e-3
PSEUDO_COUNT = 0.1
REPEATS = 3


def problems() -> Iterator[tuple[str, hiql.MDP, hiql.Trajectories]]:
    maze = hiql.datasets.labyrinth("restricted")
    yield "labyrinth, restricted", maze.mdp, maze.train
    for size in (8, 16, 32):
        grid = objectworld(size, n_objects=size)
        policy = boltzmann_policy(soft_value_iteration(grid.world, 5.0 * grid.reward))
        yield f"objectworld {size} × {size}", grid.world, demonstrations(grid.world, policy)


def demonstrations(world: hiql.MDP, policy: np.ndarray, n_sessions: int = 256, length: int = 32) -> hiql.Trajectories:
    """Sessions from random states by a known policy."""
    rng, ways = np.random.default_rng(0), stacked(world)
    states = [rng.integers(world.n_states, size=n_sessions)]
    actions = []
    for _ in range(length):
        actions.append(picked(policy[states[-1]], rng))
        states.append(picked(ways[states[-1] * world.n_actions + actions[-1]].toarray(), rng))
    return hiql.Trajectories.from_arrays(
        list(np.transpose(states[:-1])), list(np.transpose(actions)), n_states=world.n_states, n_actions=world.n_actions
    )


def picked(probabilities: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return (probabilities.cumsum(axis=1) < rng.random((len(probabilities), 1))).sum(axis=1)


def stacked(world: hiql.MDP) -> sparse.csr_array:
    """(S·A, S) transitions, sparse: the rivals' worlds are kept as well as ours."""
    dense = np.stack([m.toarray() for m in world.transitions], axis=1) if world.is_sparse else world.transitions
    return sparse.csr_array(dense.reshape(-1, world.n_states))


def counted(data: hiql.Trajectories) -> np.ndarray:
    counts = data.pair_counts + PSEUDO_COUNT
    return counts / counts.sum(axis=1, keepdims=True)


def by_iavi(world: hiql.MDP, data: hiql.Trajectories) -> np.ndarray:
    """The policy of the reward; a world of its own, so that nothing is prepared."""
    return np.exp(hiql.iavi(counted(data), replace(world)).log_policy)


def by_printed_iavi(world: hiql.MDP, ways: sparse.csr_array, data: hiql.Trajectories) -> np.ndarray:
    log_policy, q, change = np.log(counted(data)), np.zeros((world.n_states, world.n_actions)), np.inf
    reward = q
    while change > PRECISION:
        ahead = world.discount * (ways @ q.max(axis=1)).reshape(q.shape)
        mu = log_policy - ahead
        before, reward = reward, mu - mu.mean(axis=1, keepdims=True)
        q, change = reward + ahead, np.abs(reward - before).max()
    return np.exp(q - logsumexp(q, axis=1, keepdims=True))


def by_causal_entropy(world: hiql.MDP, data: hiql.Trajectories) -> np.ndarray:
    return np.exp(MaxCausalEntropyIRL(mdp=replace(world)).fit(data).log_policy_[0])


def by_plain_entropy(world: hiql.MDP, ways: sparse.csr_array, data: hiql.Trajectories) -> np.ndarray:
    reward = np.zeros(world.n_states)
    seen = data.pair_counts.sum(axis=1) / data.n_sessions
    first = np.bincount(data.states[data.time == 0], minlength=world.n_states) / data.n_sessions
    length = round(data.n_observed / data.n_sessions)
    for _ in range(STEPS):
        policy = soft_policy(world.discount, ways, reward)
        reward += RATE * (seen - expected_visits(ways, policy, first, length))
    return soft_policy(world.discount, ways, reward)


def soft_policy(discount: float, ways: sparse.csr_array, reward: np.ndarray) -> np.ndarray:
    value, change = np.zeros(len(reward)), np.inf
    while change > PRECISION:
        q = reward[:, None] + discount * (ways @ value).reshape(len(reward), -1)
        before, value = value, logsumexp(q, axis=1)
        change = np.abs(value - before).max()
    return np.exp(q - value[:, None])


def expected_visits(ways: sparse.csr_array, policy: np.ndarray, first: np.ndarray, length: int) -> np.ndarray:
    total, now = first.copy(), first
    for _ in range(length - 1):
        now = (now[:, None] * policy).ravel() @ ways
        total += now
    return total


def per_step(policy: np.ndarray, data: hiql.Trajectories) -> float:
    return float((data.pair_counts * np.log(policy)).sum() / data.n_observed)


def rows() -> Iterator[Row]:
    for name, world, data in problems():
        tell(name)
        ways = stacked(world)
        rivals = {
            "IAVI as printed": partial(by_printed_iavi, world, ways, data),
            "max causal entropy": partial(by_causal_entropy, world, data),
            "max entropy, plain": partial(by_plain_entropy, world, ways, data),
        }
        reached = per_step(by_iavi(world, data), data)
        for what, rival in rivals.items():
            ours, theirs, policy = in_turn(partial(by_iavi, world, data), rival)
            detail = f"{np.median(theirs):.2g} s, IAVI {np.median(ours):.2g} s; "
            detail += f"{per_step(policy, data):.3f} nats a step, IAVI {reached:.3f}; {world.n_states} states"
            goal = GOAL if what == "max entropy, plain" else None
            yield row_of(f"{what} / IAVI, {name}", theirs / ours, goal, detail)


def in_turn(ours: Callable[[], np.ndarray], rival: Callable[[], np.ndarray]) -> tuple[np.ndarray, ...]:
    """Seconds (repeats,) of both, and the rival's policy. Ours takes milliseconds and is repeated within a turn."""
    turns = [(race({"ours": ours}, 1)["ours"][0], *timed(rival)) for _ in range(REPEATS)]
    return np.array([turn[0] for turn in turns]), np.array([turn[1] for turn in turns]), turns[0][2]


if __name__ == "__main__":
    report("Maximum entropy IRL", rows(), arguments(__doc__).parse_args())
