"""IAVI, IQL and the E-step against their peers, as ratios in one run."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import hiql
from hiql.dynamics import Chain
from hiql.inference import emission, expect
from hiql.kernels.inverse_q_learning import iql_epoch
from hiql.kernels.smoother import smooth_sessions
from measuring import Measurement, measure, once
from peers import dynamax_estep, hmmlearn_estep, plain_c_estep

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.oracles.algorithms import iavi_iterated, iql_epoch_as_printed

SIZES = ((200, 22), (64, 87), (2000, 500), (1, 1_000_000))


def iavi_table() -> Table:
    """Closed form against Algorithm 1 as printed, in the 32 × 32 objectworld (1,024 states × 5 actions)."""
    objects = hiql.worlds.objectworld(32, discount=0.9)
    q = hiql.worlds.value_iteration(objects.world, objects.reward)
    policy = hiql.worlds.boltzmann_policy(q)
    transitions = np.stack([m.toarray() for m in objects.world.transitions], axis=1)

    def fresh() -> object:
        return hiql.iavi(policy, hiql.MDP(objects.world.transitions, 0.9))

    ours = measure({"factorised anew": fresh, "world known": lambda: hiql.iavi(policy, objects.world)})
    printed = once(lambda: iavi_iterated(policy, transitions, 0.9, threshold=1e-4))
    table = Table("", "seconds", "Algorithm 1 takes", "goal", "peak memory", title="IAVI, 1,024 states × 5 actions")
    table.add_row("Algorithm 1, plain Python (threshold 1e-4)", f"{printed:.3g}", "1×", "", "")
    for name, m in ours.items():
        table.add_row(f"hiql.iavi, {name}", f"{m.seconds:.3g}", f"{printed / m.seconds:,.0f}×", "10,000×", mib(m))
    return table


def iql_table() -> Table:
    """One epoch of the compiled Algorithm 2 against the plain-Python loop."""
    data = hiql.worlds.simulate_two_goals(1024, random_state=0).data
    shape = (data.n_states, data.n_actions)
    tables = [np.full(shape, 0.1), *(np.zeros(shape) for _ in range(3))]
    weights, order = np.ones(data.n_steps), np.arange(data.n_steps)
    demonstrations = list(zip(data.states.tolist(), data.actions.tolist(), data.next_states.tolist(), strict=True))
    rates = (0.05, 0.05, 0.05)
    results = measure(
        {
            "Algorithm 2, plain Python": lambda: iql_epoch_as_printed(demonstrations, weights, 0.9, rates, *tables),
            "hiql, compiled": lambda: iql_epoch(
                order, data.states, data.actions, data.next_states, weights, 0.9, rates, *tables
            ),
        }
    )
    printed, ours = results.values()
    table = Table("", "ns per demonstration", "ratio", "goal", "peak memory", title="IQL, one epoch of 1,024 sessions")
    table.add_row("Algorithm 2, plain Python", f"{1e9 * printed.seconds / data.n_steps:,.0f}", "1×", "", mib(printed))
    ratio = f"{printed.seconds / ours.seconds:,.0f}×"
    table.add_row("hiql, compiled", f"{1e9 * ours.seconds / data.n_steps:,.0f}", ratio, "300×", mib(ours))
    return table


def estep_table(n_intentions: int = 3) -> Table:
    """One E-step: nanoseconds per step, and how many times longer the peers take.

    hmmlearn and dynamax are compared with the whole E-step (tables made from log-policies, counts summed up), plain C
    with our compiled loop on tables that are ready for both.
    """
    table = Table("data", "hiql", "hmmlearn", "dynamax", "C to loop", "goal", title=f"One E-step, K = {n_intentions}")
    for n_sessions, n_steps in SIZES:
        data, chain, policy = estep_problem(n_sessions, n_steps, n_intentions)
        log_policy = np.log(policy)
        contenders = {"hiql": lambda d=data, c=chain, p=log_policy: expect(d, c, p).log_likelihood}
        contenders["loop"] = hiql_loop(data, chain, log_policy)
        for name, make in (("hmmlearn", hmmlearn_estep), ("dynamax", dynamax_estep), ("plain C", plain_c_estep)):
            try:
                contenders[name] = make(data, chain, policy)
            except ImportError as reason:
                print(f"{name} left out: {reason}", file=sys.stderr)
        agree(contenders)
        results = measure(contenders, repeats=5)
        ours = results["hiql"]
        row = [f"{1e9 * ours.seconds / data.n_steps:.0f} ns, {mib(ours)}"]
        for name in ("hmmlearn", "dynamax", "plain C"):
            m = results.get(name)
            against = results["loop"] if name == "plain C" else ours
            row.append("absent" if m is None else f"{m.seconds / against.seconds:.2f}×, {mib(m)}")
        table.add_row(f"{n_sessions:,} × {n_steps:,}", *row, "≥ 5×, ≥ 5×, ≥ 0.67×")
    return table


def estep_problem(n_sessions: int, n_steps: int, n_intentions: int):
    rng = np.random.default_rng(0)
    states, actions = rng.integers(127, size=(n_sessions, n_steps)), rng.integers(4, size=(n_sessions, n_steps))
    data = hiql.Trajectories.from_arrays(states, actions, n_states=127, n_actions=4)
    bank = (0.9 * np.eye(n_intentions) + 0.1 / n_intentions)[None]
    rows = np.broadcast_to(np.uint32(0), data.n_steps)
    chain = Chain(np.full(n_intentions, 1 / n_intentions), bank, rows, np.arange(n_intentions))
    return data, chain, rng.dirichlet(np.ones(4), (n_intentions, 127))


def hiql_loop(data: hiql.Trajectories, chain: Chain, log_policy: np.ndarray) -> Callable[[], float]:
    """The compiled loop alone."""
    table, log_scale = emission(log_policy, chain.phases)
    offset = float(data.pair_counts.ravel() @ log_scale)
    k, longest = len(chain.phases), int(data.lengths.max())

    def run() -> float:
        counts = np.zeros(k), np.zeros(chain.bank.shape), np.zeros(table.shape)
        where = (0,) * k, (0, data.n_sessions), data.offsets, data.pairs, None
        return offset + smooth_sessions(*where, chain.initial, chain.bank, table, np.empty((longest, k)), *counts)

    return run


def agree(contenders: dict) -> None:
    """All must compute the same log-likelihood (dynamax in single precision), or the race is void."""
    values = {name: run() for name, run in contenders.items()}
    for name, value in values.items():
        if not np.isclose(value, values["hiql"], rtol=1e-3 if name == "dynamax" else 1e-9):
            raise AssertionError(f"{name} computes {value}, hiql {values['hiql']}")


def mib(m: Measurement) -> str:
    return f"{m.memory:.0f} MiB"


def main() -> None:
    console = Console(width=120)
    for make in (iavi_table, iql_table, estep_table):
        console.print(make())


if __name__ == "__main__":
    main()
