"""HIAVI and its rivals on the labyrinth's published split, in one run: fit time, and held-out log-likelihood beside it.

A row has the rival's time over that of HIAVI's default fit with K = 2. Held-out numbers are totals in nats, as the
paper prints them; a published one stands beside ours where there is one. DIRL here is our reimplementation
(:class:`hiql.baselines.DIRL`, exact gradients and L-BFGS, its published σ and γ, one start): its published code takes
minutes for such a fit. Rivals that plan should not be faster than we are: the goal is 1. Counts have nothing to search
for and no goal.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

import hiql
from hiql.baselines import DIRL, CountPolicy, MaxCausalEntropyIRL, TimedCountPolicy
from hiql.experiments.labyrinth.config import DIRL_PUBLISHED, dirl_settings
from hiql.models.scoring import ScoredEstimator
from measuring import once
from rows import Row, arguments, report, row_of, tell

REPEATS = 3


def rivals(cohort: str, mdp: hiql.MDP) -> Iterator[tuple[str, ScoredEstimator, float | None, str]]:
    """Name, model, goal, and what was published about its held-out log-likelihood."""
    for n_maps, published in DIRL_PUBLISHED[cohort].items():
        model = DIRL(n_maps, mdp=mdp, **dirl_settings(cohort, n_maps, n_init=1))
        yield f"DIRL, {n_maps} map{'s' * (n_maps > 1)}", model, 1, f" (published {published})"
    yield "max causal entropy, state rewards", MaxCausalEntropyIRL(mdp=mdp), 1, ""
    yield "counts p(a|s)", CountPolicy(), None, ""
    yield "timed counts p_t(a|s)", TimedCountPolicy(), None, ""


def fit_times(data: hiql.Trajectories, *models: ScoredEstimator) -> np.ndarray:
    """(models, repeats) seconds, taken in turn after a fit that compiles."""
    for model in models:
        model.fit(data)
    return np.transpose([[once(partial(model.fit, data)) for model in models] for _ in range(REPEATS)])


def rows() -> Iterator[Row]:
    for cohort in DIRL_PUBLISHED:
        maze = hiql.datasets.labyrinth(cohort)
        ours = hiql.HIAVI(2, mdp=maze.mdp, progress=False)
        for name, model, goal, published in rivals(cohort, maze.mdp):
            tell(f"{cohort}: {name}")
            theirs, ours_taken = fit_times(maze.train, model, ours)
            held_out = f"held out {model.score(maze.test):.1f}{published}, HIAVI {ours.score(maze.test):.1f} nats"
            detail = f"{held_out}; {np.median(theirs):.2g} s, HIAVI {np.median(ours_taken):.2g} s"
            yield row_of(f"{name} / HIAVI, K = 2, labyrinth, {cohort}", theirs / ours_taken, goal, detail)


if __name__ == "__main__":
    report("Rivals", rows(), arguments(__doc__).parse_args())
