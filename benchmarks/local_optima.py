"""How often does the default fit find the best optimum, and at what cost? (Real mice in the labyrinth.)

Prints, for each problem: how often one plain EM run from a random start ends within 0.1 % of the best objective
known; how often the default ``fit()`` does; and the cost of a fit in units of one plain EM run, counted in passes
over the data. The best known is the best of all runs made here, so it cannot be beaten by what is not tried.
"""

from __future__ import annotations

import argparse

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import hiql
from hiql.em import plain_climb
from hiql.problem import Problem
from hiql.search import _start


def plain_run(data, model, n_intentions, seed):
    problem = Problem(data, model._dynamics(), model._solver())
    start = _start(problem, n_intentions, 1, 0.0, np.random.SeedSequence(seed)).point
    return plain_climb(problem, start, 5000, model.tol)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--plain", type=int, default=300)
    args = parser.parse_args()
    table = Table(
        "cohort", "K", "best known", "one plain run", "default fit", "worst fit", "cost", title="Local optima"
    )
    for cohort in ("restricted", "unrestricted"):
        maze = hiql.datasets.labyrinth(cohort)
        for k in (2, 3):
            model = hiql.HIAVI(k, mdp=maze.mdp)
            plain = [plain_run(maze.train, model, k, s) for s in track(range(args.plain), f"{cohort} K={k} plain")]
            fits = [
                hiql.HIAVI(k, mdp=maze.mdp, random_state=s).fit(maze.train)
                for s in track(range(args.seeds), f"{cohort} K={k} fits")
            ]
            ends = np.array([run.objective for run in plain])
            found = np.array([fit.objective_ for fit in fits])
            best = max(ends.max(), found.max())
            near = best - 1e-3 * abs(best)
            cost = np.mean([fit.restarts_.n_passes for fit in fits]) / np.mean([run.n_passes for run in plain])
            table.add_row(
                cohort,
                str(k),
                f"{best:.2f}",
                f"{(ends >= near).mean():.1%}",
                f"{(found >= near).mean():.1%}",
                f"{found.min():.2f}",
                f"{cost:.1f}×",
            )
    Console().print(table)


if __name__ == "__main__":
    main()
