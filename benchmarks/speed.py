"""IAVI and IQL against the paper's algorithms as printed, in one run."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import hiql
from hiql.kernels.inverse_q_learning import iql_epoch
from measuring import once, peak_memory, race
from rows import Row, report, row_of

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.oracles.algorithms import iavi_iterated, iql_epoch_as_printed


def iavi_rows() -> list[Row]:
    """Closed form against Algorithm 1 as printed, in the 32 × 32 objectworld (1,024 states × 5 actions)."""
    objects = hiql.worlds.objectworld(32, discount=0.9)
    q = hiql.worlds.value_iteration(objects.world, objects.reward)
    policy = hiql.worlds.boltzmann_policy(q)
    transitions = np.stack([m.toarray() for m in objects.world.transitions], axis=1)
    contenders = {
        "factorised anew": lambda: hiql.iavi(policy, hiql.MDP(objects.world.transitions, 0.9)),
        "world known": lambda: hiql.iavi(policy, objects.world),
    }
    times = race(contenders)
    printed = once(lambda: iavi_iterated(policy, transitions, 0.9, threshold=1e-4))
    return [
        row_of(
            f"Algorithm 1 as printed / hiql.iavi, {name}",
            printed / taken,
            10_000,
            f"{1e3 * np.median(taken):.3g} ms, {peak_memory(contenders[name]):.0f} MiB",
        )
        for name, taken in times.items()
    ]


def iql_row() -> Row:
    """One epoch of the compiled Algorithm 2 against the plain-Python loop."""
    data = hiql.worlds.simulate_two_goals(1024, random_state=0).data
    shape = (data.n_states, data.n_actions)
    tables = [np.full(shape, 0.1), *(np.zeros(shape) for _ in range(3))]
    weights, order = np.ones(data.n_steps), np.arange(data.n_steps)
    demonstrations = list(zip(data.states.tolist(), data.actions.tolist(), data.next_states.tolist(), strict=True))
    rates = (0.05, 0.05, 0.05)
    steps = data.states, data.actions, data.next_states
    times = race(
        {
            "printed": lambda: iql_epoch_as_printed(demonstrations, weights, 0.9, rates, *tables),
            "ours": lambda: iql_epoch(order, *steps, weights, 0.9, rates, *tables),
        }
    )
    per_step = f"{1e9 * np.median(times['ours']) / data.n_steps:.0f} ns per demonstration"
    return row_of("Algorithm 2 as printed / one compiled epoch", times["printed"] / times["ours"], 300, per_step)


if __name__ == "__main__":
    report("IAVI and IQL", [*iavi_rows(), iql_row()])
