"""How often evidence, BIC and cross-validation find the true number of intentions and the true clock, beside an oracle.

    python benchmarks/recovery.py --out DIR [--seeds N] [--sizes small large] [--clocks …] [--kinds …] [--only RULE]

Each experiment is simulated with random policies in a random world: K = 1…4 × Markov, by state left, one intention a
session, driven by an input, in two sizes: 30 sessions of 100 steps, as a few mice in a week, and 60 of 250, as a group
of mice in a month or a rat in two. Candidates are K = 1…4 × the same clocks, as ``hiql.select`` fits them. The
*oracle* knows the true parameters: it can tell if they make the data more likely, by ``TELLS`` nats, than the same with
the two most similar intentions in one. Beside that, choices that weigh two inputs (K = 1…3, a Markov chain;
``family="glmhmm"``), and animals that differ and never switch.

There is no BIC for by-state; of the others, it is that of the posteriors' means. Cross-validation has three folds and
one search for each candidate and fold, and chooses the simplest within one error of the best. Results are kept in
``--out`` as they come, so a run that was stopped goes on; the cheap rules of all experiments come first.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, softmax

import hiql
from hiql.dynamics.markov import ChainParameters
from hiql.engine.inference import Reading, expect
from hiql.engine.problem import Point, Problem
from hiql.sweep import run_units
from hiql.sweep.criteria import criterion_named
from rows import arguments, tell

CLOCKS = ("markov", "by-state", "session-wise", "input-driven")
SIZES = {"small": (30, 100), "large": (60, 250)}
EVIDENCE, HELD_OUT = "evidence", "held-out"
RULES = {EVIDENCE: {}, HELD_OUT: {"n_folds": 3, "n_restarts": 1}}
N_STATES, N_ACTIONS, MOST = 20, 4, 4
CUES, CUED = (-1, 0, 1), (0.05, 0.9, 0.05)
TELLS = 3.0


def simulated(k: int, clock: str, size: str, seed: int) -> tuple[hiql.Trajectories, dict[str, np.ndarray]]:
    """Data, and the policies (K, S, A), beginnings (K,) and matrices (cues, S, K, K), by cue and state left, behind."""
    rng = np.random.default_rng([seed, k, CLOCKS.index(clock), list(SIZES).index(size)])
    policy = rng.dirichlet(np.full(N_ACTIONS, 0.5), (k, N_STATES))
    world = rng.dirichlet(np.full(N_STATES, 0.3), (N_STATES, N_ACTIONS))
    places = rng.permutation(N_STATES)[:3]
    n_sessions, n_steps = SIZES[size]
    states, actions = np.empty((2, n_sessions, n_steps), dtype=np.int64)
    s, z = rng.integers(N_STATES, size=n_sessions), rng.integers(k, size=n_sessions)
    cues = rng.choice(len(CUES), size=(n_sessions, n_steps), p=CUED)
    moves = matrices(k, clock, places)
    for t in range(n_steps):
        if t > 0:
            z, s = drawn(moves[cues[:, t], s, z], rng), drawn(world[s, actions[:, t - 1]], rng)
        states[:, t], actions[:, t] = s, drawn(policy[z, s], rng)
    inputs = [np.asarray(CUES, dtype=np.float64)[row][:, None] for row in cues]
    data = hiql.Trajectories.from_arrays(
        list(states), list(actions), n_states=N_STATES, n_actions=N_ACTIONS, inputs=inputs, input_names=["cue"]
    )
    return data, {"policy": policy, "initial": np.full(k, 1 / k), "moves": moves}


def matrices(k: int, clock: str, places: np.ndarray) -> np.ndarray:
    """(cues, S, K, K): which intention follows, by the cue that comes and the state that is left."""
    if clock == "input-driven":
        drive = np.multiply.outer(CUES, np.linspace(-2.5, 2.5, k))
        moves = softmax(3.5 * np.eye(k) + drive[:, None, None, :], axis=-1)
    else:
        leaving = {"markov": np.full(N_STATES, 0.05), "session-wise": np.zeros(N_STATES)}.get(clock)
        if leaving is None:
            leaving = np.where(np.isin(np.arange(N_STATES), places), 0.5, 0.005)
        leaving = leaving[:, None, None] * (k > 1)
        moves = (np.eye(k) * (1 - leaving) + (1 - np.eye(k)) * leaving / max(k - 1, 1))[None]
    return np.broadcast_to(moves, (len(CUES), N_STATES, k, k))


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
            left, cue = np.r_[0, data.states[:-1]], data.inputs[:, 0].astype(np.int64) - CUES[0]
            row = cue * N_STATES + left
            return super().bind(data)._replace(moves=Rows.of_steps(len(CUES) * N_STATES, row, data.offsets))

    with np.errstate(divide="ignore"):
        chain = ChainParameters(
            np.log(truth["initial"])[None], np.log(truth["moves"].reshape(-1, *truth["moves"].shape[2:]))
        )
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
    """What one rule says of one experiment: all candidates, which was chosen, and by how much an oracle can tell."""
    data, oracle, candidates = KINDS.get(unit["clock"], experiment)(unit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = hiql.select(data, **candidates, by=unit["by"], progress=False, **RULES[unit["by"]])
    columns = ["n_intentions", "dynamics", "pool", "evidence", "bic", "n_free", "held_out"]
    return {"candidates": chosen.table[columns].to_dict("list"), "chosen": chosen.selection.chosen, "oracle": oracle}


def experiment(unit: Mapping[str, Any]) -> tuple[hiql.Trajectories, float, dict[str, Any]]:
    data, truth = simulated(unit["k"], unit["clock"], unit["size"], unit["seed"])
    known = log_likelihood(data, truth)
    gaps = (known - log_likelihood(data, merged(truth, *two)) for two in combinations(range(unit["k"]), 2))
    return data, float(min(gaps, default=1e300)), {"n_intentions": range(1, MOST + 1), "dynamics": tuple(unit["among"])}


def animals(unit: Mapping[str, Any]) -> tuple[hiql.Trajectories, float, dict[str, Any]]:
    """Six animals of three kinds, each the same in all its sessions."""
    frame = hiql.worlds.simulate_animals(6, 5, 100, random_state=unit["seed"]).table()
    candidates = {"n_intentions": (1, 2, 3), "dynamics": "markov", "pool": (None, "subjects")}
    return hiql.bandit_trials(frame, history=1), 1e300, candidates


def weighing(unit: Mapping[str, Any]) -> tuple[hiql.Trajectories, float, dict[str, Any]]:
    """Two inputs and a bias, weighed otherwise by each intention, as logits of one of two actions."""
    k, (n_sessions, n_steps) = unit["k"], SIZES["small"]
    rng = np.random.default_rng([unit["seed"], k])
    inputs, weights = rng.normal(size=(n_sessions, n_steps, 2)), rng.normal(scale=2.0, size=(k, 3))
    moves, paths = matrices(k, "markov", np.empty(0))[0, 0], rng.integers(k, size=(n_sessions, n_steps))
    for t in range(1, n_steps):
        paths[:, t] = drawn(moves[paths[:, t - 1]], rng)
    logits = np.concatenate([inputs, np.ones((n_sessions, n_steps, 1))], axis=2) @ weights.T
    right = rng.random(paths.shape) < expit(np.take_along_axis(logits, paths[..., None], axis=2)[..., 0])
    data = hiql.Trajectories.from_arrays(None, list(right.astype(int)), inputs=list(inputs), input_names=["u", "v"])

    def known(logits: np.ndarray, moves: np.ndarray) -> float:
        likely = np.where(right[..., None], expit(logits), expit(-logits))
        forward, total = np.full((n_sessions, len(moves)), 1 / len(moves)), 0.0
        for t in range(n_steps):
            forward = (forward if t == 0 else forward @ moves) * likely[:, t]
            total += float(np.log(forward.sum(axis=1)).sum())
            forward /= forward.sum(axis=1, keepdims=True)
        return total

    gaps = [known(logits, moves) - known(*together(logits, moves, *two)) for two in combinations(range(k), 2)]
    candidates = {"n_intentions": range(1, MOST + 1), "dynamics": ("markov", "session-wise"), "family": "glmhmm"}
    return data, float(min(gaps, default=1e300)), candidates


def together(logits: np.ndarray, moves: np.ndarray, one: int, other: int) -> tuple[np.ndarray, np.ndarray]:
    """Two intentions as one that weighs inputs as both do on average, and the moves of what is left."""
    merging = merged({"policy": logits.T, "initial": np.full(len(moves), 1.0), "moves": moves}, one, other)
    return merging["policy"].T, merging["moves"]


KINDS = {"never": animals, "weighing": weighing}
TABLES = "tables"


def units(
    n_seeds: int,
    sizes: Sequence[str],
    rules: Sequence[str],
    clocks: Sequence[str] = CLOCKS,
    kinds: Sequence[str] = (TABLES, *KINDS),
) -> list[dict[str, Any]]:
    """``clocks`` are those of the experiments with tables, and of their candidates."""
    every = [(k, clock) for k, clock in product(range(1, MOST + 1), clocks) if k > 1 or clock == "markov"]
    found = []
    for by, seed in product(rules, range(n_seeds)):
        other = {"never": [(1, "animals")], "weighing": [(k, "small") for k in (1, 2, 3)]}
        for kind in KINDS:
            sizes_of = other[kind] if kind in kinds else []
            found += [{"k": k, "clock": kind, "size": size, "seed": seed, "by": by} for k, size in sizes_of]
        for size, (k, clock) in product(sizes, every if TABLES in kinds else []):
            table = {"k": k, "clock": clock, "size": size, "seed": seed, "by": by}
            found.append(table | {"among": list(clocks)})
    return found


def judged(unit: Mapping[str, Any], result: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Whether each rule that was applied was right, and whether an oracle can tell: a row for each rule."""
    table = pd.DataFrame(result["candidates"])
    rows = {unit["by"]: table.iloc[result["chosen"]]}
    if unit["by"] == EVIDENCE and table["bic"].notna().any():
        rows["BIC"] = table.iloc[criterion_named("bic").choose(table)]
    true_clock = "markov" if unit["clock"] in KINDS else unit["clock"]
    where = {"truth": unit["clock"], "size": unit["size"], "k": unit["k"], "told": result["oracle"] > TELLS}
    return [
        where
        | {
            "rule": rule,
            "K": bool(row["n_intentions"] == unit["k"]),
            "K and clock": bool(row["n_intentions"] == unit["k"] and (unit["k"] == 1 or row["dynamics"] == true_clock)),
        }
        for rule, row in rows.items()
    ]


def shown(rows: pd.DataFrame, what: list[str]) -> str:
    """ "right / of how many" for each rule, where the oracle can tell."""
    grouped = rows[rows["told"]].groupby([*what, "rule"])[["K", "K and clock"]]
    right, of = grouped.sum().astype(int), grouped.count()
    text = right.astype(str) + " / " + of.astype(str)
    return (text.unstack("rule") if what else text).fillna("–").to_string()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--clocks", nargs="+", choices=CLOCKS, default=list(CLOCKS), help="markov among them")
    parser.add_argument("--kinds", nargs="+", choices=(TABLES, *KINDS), default=[TABLES, *KINDS])
    parser.add_argument("--only", choices=RULES, help="one rule instead of all")
    options = parser.parse_args()
    rules = [options.only] if options.only else list(RULES)
    every = units(options.seeds, options.sizes, rules, options.clocks, options.kinds)
    outcomes, failures = run_units(every, compute, options.out, label="Recovering")
    for failure in failures:
        tell(f"failed: {failure.unit}: {failure.error}")
    rows = pd.DataFrame([row for outcome in outcomes for row in judged(outcome.unit, outcome.result)])
    for what in (["truth", "size"], ["k"], []):
        print(shown(rows, what), "\n")
    print(f"{len(outcomes)} of {len(every)} are done; in {(~rows['told']).sum()} rows the oracle cannot tell.")


if __name__ == "__main__":
    main()
