"""Rows flat or pooled, their mode or their posterior mean: which of the four predicts sessions that were left out best?

    python benchmarks/defaults.py --out DIR

A third of each data set's sessions is left out, copies of a session on one side; four fits of the others, with the same
search and seed, are scored on it. Half of the data sets are there to choose the defaults by, the other half to report
what that choice is worth; the two have no session, no simulated world and no seed in common. Nothing is chosen within a
data set: K and the clock are given. Shown is the gain of each fit over the default (flat, mode), in nats a step, its
error from the spread of sessions. Results are kept in ``--out`` as they come, so a run that was stopped goes on.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import hiql
from hiql.data.folds import identical_sessions
from hiql.sweep import run_units
from optima_problems import CHOOSING, REPORTING
from recovery import simulated
from rows import arguments, tell

FITS = {f"{prior}, {estimate}": (prior, estimate) for prior in ("flat", "pooled") for estimate in ("mode", "bayes")}
DEFAULT = "flat, mode"


class DataSet(NamedTuple):
    half: str
    n_intentions: int
    data: Callable[[], hiql.Trajectories]


def mice(history: int, rest: int) -> hiql.Trajectories:
    """Bandit mice, every second animal; of their sessions every third."""
    data = hiql.bandit_trials(hiql.datasets.mice_bandit(), history)
    animal = pd.factorize(np.array(data.subjects))[0]
    return data.select(np.flatnonzero(animal % 2 == rest)[::3])


def maze(cohort: str) -> hiql.Trajectories:
    return hiql.datasets.labyrinth(cohort).data


def nights(rest: int) -> hiql.Trajectories:
    """Nights in the labyrinth, every second session of the first or of the second half."""
    data = hiql.datasets.labyrinth_long().data
    half = data.n_sessions // 2
    return data.select(np.arange(rest * half, (rest + 1) * half, 2))


def rat(rest: int) -> hiql.Trajectories:
    """A rat that compares two tones, in thirds of each as states; the first or the second half of its days."""
    table = hiql.datasets.rat_evidence()
    first, second = (pd.qcut(table[tone], 3, labels=False) for tone in ("s1", "s2"))
    table = table.assign(state=3 * first + second)
    days = [rows for _, rows in table.groupby("session")]
    days = days[: len(days) // 2] if rest == 0 else days[len(days) // 2 :]
    return hiql.Trajectories.from_arrays(*([rows[name].to_numpy() for rows in days] for name in ("state", "choice")))


def reversal(history: int, seed: int) -> hiql.Trajectories:
    return hiql.worlds.simulate_reversal(4, 16, random_state=seed).trajectories(history)


def grid(side: int, seed: int) -> hiql.Trajectories:
    return hiql.worlds.simulate_places(40, 150, seed, side=side).data


def world(k: int, clock: str, seed: int) -> hiql.Trajectories:
    return simulated(k, clock, "small", seed)[0]


DATA = {
    "mice A, history 2": DataSet(CHOOSING, 2, partial(mice, 2, 0)),
    "mice A, history 5": DataSet(CHOOSING, 3, partial(mice, 5, 0)),
    "labyrinth, restricted": DataSet(CHOOSING, 2, partial(maze, "restricted")),
    "nights A": DataSet(CHOOSING, 3, partial(nights, 0)),
    "rat, first days": DataSet(CHOOSING, 2, partial(rat, 0)),
    "reversal, history 3": DataSet(CHOOSING, 3, partial(reversal, 3, 1)),
    "grid 10 × 10": DataSet(CHOOSING, 2, partial(grid, 10, 1)),
    "random world, K = 3": DataSet(CHOOSING, 3, partial(world, 3, "markov", 201)),
    "mice B, history 3": DataSet(REPORTING, 2, partial(mice, 3, 1)),
    "mice B, history 4": DataSet(REPORTING, 3, partial(mice, 4, 1)),
    "labyrinth, unrestricted": DataSet(REPORTING, 2, partial(maze, "unrestricted")),
    "nights B": DataSet(REPORTING, 3, partial(nights, 1)),
    "rat, last days": DataSet(REPORTING, 2, partial(rat, 1)),
    "reversal, history 2": DataSet(REPORTING, 3, partial(reversal, 2, 2)),
    "grid 15 × 15": DataSet(REPORTING, 2, partial(grid, 15, 2)),
    "random world, K = 4": DataSet(REPORTING, 4, partial(world, 4, "markov", 202)),
}


def compute(unit: Mapping[str, Any]) -> dict[str, Any]:
    """Nats of each session that was left out, their steps, and the processor time of the fit."""
    _, k, made = DATA[unit["name"]]
    data = made()
    fold = hiql.session_folds(data, 3, groups=identical_sessions(data))[0]
    train, test = data.select(fold.train), data.select(fold.test)
    prior, estimate = FITS[unit["fit"]]
    began = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = hiql.HIQL(k, prior=prior, estimate=estimate, progress=False, random_state=0).fit(train)
    seconds = time.process_time() - began
    sessions = [test.select([n]) for n in range(test.n_sessions)]
    nats, steps = [model.score(one) for one in sessions], [one.n_observed for one in sessions]
    return {"nats": nats, "steps": steps, "seconds": seconds}


def gains(found: Mapping[tuple[str, str], Mapping[str, Any]]) -> pd.DataFrame:
    """A row for each data set: nats a step of the default, and what the other fits gain, with errors."""
    rows = []
    for name, (half, k, _) in DATA.items():
        if not all((name, fit) in found for fit in FITS):
            continue
        usual, steps = np.array(found[name, DEFAULT]["nats"]), np.array(found[name, DEFAULT]["steps"])
        row: dict[str, Any] = {"half": half, "data": name, "K": k, DEFAULT: usual.sum() / steps.sum()}
        for fit in FITS:
            difference = np.array(found[name, fit]["nats"]) - usual
            mean = difference.sum() / steps.sum()
            spread = np.var(difference - mean * steps, ddof=1)
            row[f"gain of {fit}"] = mean
            row[f"error of {fit}"] = np.sqrt(len(steps) * spread) / steps.sum()
        rows.append(row)
    return pd.DataFrame(rows)


def shown(table: pd.DataFrame) -> str:
    """A line for each data set, and one for the mean of each half, whose error is from the spread of its data sets."""
    others = [fit for fit in FITS if fit != DEFAULT]
    lines = ["| | *K* | " + " | ".join([DEFAULT, *others]) + " |", "| --- |" + " --- |" * (2 + len(others))]
    for half in (CHOOSING, REPORTING):
        mine = table[table["half"] == half]
        for _, row in mine.iterrows():
            cells = [f"{row[f'gain of {fit}']:+.4f} ± {row[f'error of {fit}']:.4f}" for fit in others]
            lines.append(f"| {row['data']} | {row['K']} | {row[DEFAULT]:.4f} | " + " | ".join(cells) + " |")
        means = [mine[f"gain of {fit}"] for fit in others]
        cells = [f"{each.mean():+.4f} ± {each.std(ddof=1) / np.sqrt(len(each)):.4f}" for each in means]
        lines.append(f"| **{half}, mean** | | | " + " | ".join(cells) + " |")
        cells = [f"{(each > 0).sum()} of {len(each)}" for each in means]
        lines.append(f"| **{half}, better** | | | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--only", default="", help="data sets whose names have this in them")
    options = parser.parse_args()
    units = [{"name": name, "fit": fit} for name in DATA if options.only in name for fit in FITS]
    outcomes, failures = run_units(units, compute, options.out, label="Fitting")
    for failure in failures:
        tell(f"failed: {failure.unit}: {failure.error}")
    found = {(one.unit["name"], one.unit["fit"]): one.result for one in outcomes}
    print(shown(gains(found)))
    for fit in FITS:
        ratios = [found[n, fit]["seconds"] / found[n, DEFAULT]["seconds"] for n in DATA if (n, fit) in found]
        print(f"{fit}: {np.median(ratios):.1f} times the processor time of {DEFAULT}, in the middle of data sets")


if __name__ == "__main__":
    main()
