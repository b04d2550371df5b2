"""How often does the default fit find the best optimum, and at what cost? (Real mice in the labyrinth.)

A row has the share of default fits, over seeds, that end within 0.1 % of the best objective known; its quartiles are
those of the share's posterior (Jeffreys' prior). Beside it: how often one plain EM run from a random start gets there,
and the cost of a fit in units of one plain EM run, counted in passes over the data. The best known is the best of all
runs made here, so it cannot be beaten by what is not tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from scipy.stats import beta

import hiql
from hiql.engine.climb import Climb, plain_climb
from hiql.engine.search import AGREE, _start
from rows import Row, arguments, report, tell

GOAL = 0.95


def plain_run(data: hiql.Trajectories, model: hiql.HIAVI, seed: int) -> Climb:
    problem = model._problem(data)
    start = _start(problem, 1, 0.0, np.random.SeedSequence(seed)).point
    return plain_climb(problem, start, 5000, model.tol)


def share_row(what: str, found: np.ndarray, detail: str) -> Row:
    """The share of ``found`` that is true."""
    share = found.mean()
    low, high = beta.ppf((0.25, 0.75), found.sum() + 0.5, (~found).sum() + 0.5)
    shown = (round(float(value), 4) for value in (share, min(low, share), max(high, share)))
    return Row(what, *shown, GOAL, detail)


def rows(n_seeds: int, n_plain: int) -> Iterator[Row]:
    for cohort, k in product(("restricted", "unrestricted"), (2, 3)):
        tell(f"{cohort}, K = {k}: {n_plain} plain runs, {n_seeds} fits")
        maze = hiql.datasets.labyrinth(cohort)
        plain = [plain_run(maze.train, hiql.HIAVI(k, mdp=maze.mdp), seed) for seed in range(n_plain)]
        fits = [hiql.HIAVI(k, mdp=maze.mdp, random_state=s, progress=False).fit(maze.train) for s in range(n_seeds)]
        ends = np.array([run.objective for run in plain])
        found = np.array([fit.objective_ for fit in fits])
        best = max(ends.max(), found.max())
        near = best - AGREE * abs(best)
        cost = np.mean([fit.restarts_.n_passes for fit in fits]) / np.mean([run.n_passes for run in plain])
        detail = f"one plain run {(ends >= near).mean():.0%}; a fit costs {cost:.1f} plain runs; best {best:.2f}"
        detail += f", worst fit {found.min():.2f}"
        yield share_row(f"share of fits near the best, labyrinth, {cohort}, K = {k}", found >= near, detail)


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--plain", type=int, default=300)
    options = parser.parse_args()
    report("Local optima", rows(options.seeds, options.plain), options)
