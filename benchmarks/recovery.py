"""How often evidence and BIC find the true number of intentions and the true clock, beside an oracle.

Each experiment is simulated with random policies in a random world: K = 1…4 × Markov, by state left, one intention a
session, in two sizes. Candidates are K = 1…4 × the same clocks, each fitted once with ``estimate="bayes"``. The
*oracle* knows the true parameters: it can tell if they make the data more likely, by ``TELLS`` nats, than the same with
the two most similar intentions in one. BIC is that of the fits' posterior means, and of unpooled clocks only, for there
is none for by-state. Beside that, animals that differ and never switch, and what a Bayes fit costs. Results are kept in
``--out`` as they come, so a run that was stopped goes on.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import hiql
from hiql.dynamics.markov import ChainParameters
from hiql.engine.inference import Reading, expect
from hiql.engine.problem import Point, Problem
from hiql.sweep import run_units
from hiql.sweep.criteria import criterion_named
from rows import arguments, tell

CLOCKS = ("markov", "by-state", "session-wise")
SIZES = {"small": (30, 100), "large": (60, 250)}
N_STATES, N_ACTIONS, MOST = 20, 4, 4
TELLS = 3.0


def simulated(k: int, clock: str, size: str, seed: int) -> tuple[hiql.Trajectories, dict[str, np.ndarray]]:
    """Data, and the policies (K, S, A), beginnings (K,) and matrices (S, K, K), by state left, that they come from."""
    rng = np.random.default_rng([seed, k, CLOCKS.index(clock), list(SIZES).index(size)])
    policy = rng.dirichlet(np.full(N_ACTIONS, 0.5), (k, N_STATES))
    world = rng.dirichlet(np.full(N_STATES, 0.3), (N_STATES, N_ACTIONS))
    places = rng.permutation(N_STATES)[:3]
    leaving = {"markov": np.full(N_STATES, 0.05), "session-wise": np.zeros(N_STATES)}.get(clock)
    if leaving is None:
        leaving = np.where(np.isin(np.arange(N_STATES), places), 0.5, 0.005)
    leaving = leaving[:, None, None] * (k > 1)
    moves = np.eye(k) * (1 - leaving) + (1 - np.eye(k)) * leaving / max(k - 1, 1)
    n_sessions, n_steps = SIZES[size]
    states, actions = np.empty((2, n_sessions, n_steps), dtype=np.int64)
    s, z = rng.integers(N_STATES, size=n_sessions), rng.integers(k, size=n_sessions)
    for t in range(n_steps):
        states[:, t], actions[:, t] = s, drawn(policy[z, s], rng)
        z, s = drawn(moves[s, z], rng), drawn(world[s, actions[:, t]], rng)
    data = hiql.Trajectories.from_arrays(list(states), list(actions), n_states=N_STATES, n_actions=N_ACTIONS)
    return data, {"policy": policy, "initial": np.full(k, 1 / k), "moves": moves}


def drawn(rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """One outcome of each row (n, A)."""
    return np.minimum((rng.random(len(rows))[:, None] > rows.cumsum(axis=1)).sum(axis=1), rows.shape[1] - 1)


def log_likelihood(data: hiql.Trajectories, truth: Mapping[str, np.ndarray]) -> float:
    """log p(data) under known parameters."""
    from hiql.choices import Policies, TableChoice
    from hiql.dynamics import MarkovChain, Timeline
    from hiql.parts import Rows

    class ByTruth(MarkovChain):
        def bind(self, data: hiql.Trajectories) -> Timeline:
            left = np.maximum(np.r_[0, data.states[:-1]], 0)
            return super().bind(data)._replace(moves=Rows.of_steps(N_STATES, left, data.offsets))

    with np.errstate(divide="ignore"):
        chain = ChainParameters(np.log(truth["initial"])[None], np.log(truth["moves"]))
        point = Point(chain, Policies(np.log(truth["policy"])))
    reading: Reading = Problem(data, ByTruth(), TableChoice(), len(truth["policy"])).read(point)
    return expect(reading).log_likelihood


def merged(truth: Mapping[str, np.ndarray], one: int, other: int) -> dict[str, np.ndarray]:
    """The same with two intentions in one, which does what both do on average."""
    k = len(truth["policy"])
    kept = [i for i in range(k) if i != other]
    sums = np.eye(k)[:, kept]
    sums[other, kept.index(one)] = 1.0
    average = sums.T / sums.T.sum(axis=1, keepdims=True)
    return {
        "policy": np.tensordot(average, truth["policy"], 1),
        "initial": truth["initial"] @ sums,
        "moves": average @ truth["moves"] @ sums,
    }


def compute(unit: Mapping[str, Any]) -> dict[str, Any]:
    """Fit all candidates to one simulated experiment, or to one of animals that never switch."""
    return animals(unit["seed"]) if unit["clock"] == "never" else experiment(unit)


def experiment(unit: Mapping[str, Any]) -> dict[str, Any]:
    data, truth = simulated(unit["k"], unit["clock"], unit["size"], unit["seed"])
    gap = min(
        (
            log_likelihood(data, truth) - log_likelihood(data, merged(truth, *two))
            for two in combinations(range(unit["k"]), 2)
        ),
        default=np.inf,
    )
    candidates = [("markov", 1), *product(CLOCKS, range(2, MOST + 1))]
    rows = [candidate(data, k, clock) for clock, k in candidates]
    return {"candidates": rows, "oracle": float(min(gap, 1e300))}


def candidate(data: hiql.Trajectories, k: int, clock: str, **options: Any) -> dict[str, Any]:
    model = hiql.HIQL(k, dynamics=clock, estimate="bayes", progress=False, **options).fit(data)
    pooled = clock == "by-state" or bool(options)
    bic = np.nan if pooled else model.bic(data)
    n_free = np.nan if pooled else model.n_free_
    names = {"n_intentions": k, "dynamics": clock, "pool": options.get("pool")}
    return names | {"evidence": model.evidence_, "bic": bic, "n_free": n_free}


def animals(seed: int) -> dict[str, Any]:
    """Six animals of three kinds, each the same in all its sessions."""
    frame = hiql.worlds.simulate_animals(6, 5, 100, random_state=seed).table()
    data = hiql.bandit_trials(frame, history=1)
    rows = [candidate(data, k, "markov") for k in (1, 2, 3)]
    for k in (1, 2, 3):
        model = hiql.HIQL(k, pool="subjects", estimate="bayes", progress=False).fit(data)
        names = {"n_intentions": k, "dynamics": "markov", "pool": "subjects"}
        rows.append(names | {"evidence": model.evidence_, "bic": np.nan, "n_free": np.nan})
    return {"candidates": rows, "oracle": 1e300}


def units(n_seeds: int, sizes: list[str]) -> list[dict[str, Any]]:
    every = [(k, clock) for k, clock in product(range(1, MOST + 1), CLOCKS) if k > 1 or clock == "markov"]
    grid = product(range(n_seeds), sizes, every)
    found = [{"k": k, "clock": clock, "size": size, "seed": seed} for seed, size, (k, clock) in grid]
    return found + [{"k": 1, "clock": "never", "size": "animals", "seed": seed} for seed in range(n_seeds)]


def judged(unit: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """Whether each rule was right, and whether an oracle can tell."""
    table = pd.DataFrame(result["candidates"])
    true_clock = "markov" if unit["clock"] == "never" else unit["clock"]
    by_evidence = table.iloc[criterion_named("evidence").choose(table)]
    by_bic = table.iloc[int(table["bic"].argmin(skipna=True))]
    right_clock = unit["k"] == 1 or by_evidence["dynamics"] == true_clock
    return {
        "truth": f"{unit['clock']}, {unit['size']}",
        "k": unit["k"],
        "oracle can tell": result["oracle"] > TELLS,
        "evidence: K": by_evidence["n_intentions"] == unit["k"],
        "evidence: K and clock": by_evidence["n_intentions"] == unit["k"] and right_clock,
        "evidence: K by its own clock": _best_k(table, true_clock) == unit["k"],
        "BIC: K": by_bic["n_intentions"] == unit["k"],
    }


def _best_k(table: pd.DataFrame, clock: str) -> int:
    own = table["evidence"].where((table["dynamics"] == clock) | (table["n_intentions"] == 1))
    return int(table["n_intentions"].iloc[int(own.argmax(skipna=True))])


def cost() -> float:
    """Processor time of a Bayes fit over that of a plain one, on the same data; in the middle of five."""
    ratios = []
    for seed in range(6):
        data, _ = simulated(3, "markov", "large", seed)
        took = {}
        for estimate in ("mode", "bayes"):
            began = time.process_time()
            hiql.HIQL(3, estimate=estimate, progress=False, random_state=seed).fit(data)
            took[estimate] = time.process_time() - began
        ratios.append(took["bayes"] / took["mode"])
    return float(np.median(ratios[1:]))  # the first one compiles


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    options = parser.parse_args()
    outcomes, failures = run_units(units(options.seeds, options.sizes), compute, options.out, label="Recovering")
    for failure in failures:
        tell(f"failed: {failure.unit}: {failure.error}")
    table = pd.DataFrame([judged(outcome.unit, outcome.result) for outcome in outcomes])
    for what in ("truth", "k"):
        print(table.drop(columns={"truth", "k"} - {what}).groupby(what).mean().round(2).to_string(), "\n")
    print(f"{len(table)} experiments. Where the oracle can tell:")
    print(table[table["oracle can tell"]].drop(columns=["truth", "k"]).mean().round(3).to_string())
    print(f"A Bayes fit takes {cost():.2f} times the processor time of a plain one.")


if __name__ == "__main__":
    main()
