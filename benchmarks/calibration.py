"""Are predicted actions, and beliefs about intentions, right as often as they say, on sessions not fitted to?

    python benchmarks/calibration.py [--seeds N] [--only WORD]

Animals of known intentions are simulated, and half of their sessions fitted. On the other half every action has a
probability given the past, and every intention one given the session (``smooth_proba``); intentions are called as on
the half that was fitted. In each of ten bins of predictions from all seeds: how many per cent came true. *Off* is the
distance between the two, in percentage points, by how often a bin was met: of all seeds together, and the mean of
each, with its error. *Wrong clock* switches in places where the model has one chain for all: what that costs is shown.
Nobody knows what real mice intend.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment

import hiql
from hiql.evaluate.measures.calibration import binned
from rows import arguments

FEWEST = 100
"""Bins with fewer predictions are not shown."""
Pair = tuple[np.ndarray, np.ndarray]


class Case(NamedTuple):
    """``data(seed)`` with or without true intentions, and an unfitted ``model`` for it."""

    data: Callable[[int], hiql.Trajectories]
    model: Callable[[], hiql.IntentionModel]


def mice(seed: int) -> hiql.Trajectories:  # noqa: ARG001
    return hiql.bandit_trials(hiql.datasets.mice_bandit(), history=2)


CASES = {
    "stimulus, 3 ways to judge": Case(
        lambda seed: hiql.worlds.simulate_psychophysics(4, 10, 250, seed).data, lambda: hiql.GLMHMM(3)
    ),
    "grid, switching in places": Case(
        lambda seed: hiql.worlds.simulate_places(40, 200, seed).data,
        lambda: hiql.HIQL(2, dynamics=hiql.dynamics.ByState(context="state entered")),
    ),
    "wrong clock: the same, Markov chain": Case(
        lambda seed: hiql.worlds.simulate_places(40, 200, seed).data, lambda: hiql.HIQL(2)
    ),
    "animals of three kinds": Case(
        lambda seed: hiql.bandit_trials(hiql.worlds.simulate_animals(6, 10, 100, random_state=seed).table(), history=1),
        lambda: hiql.HIQL(1, pool="subjects"),
    ),
    "mice, two options (real)": Case(mice, lambda: hiql.HIQL(3)),
}


def predictions(case: Case, seed: int) -> dict[str, Pair]:
    """What was predicted (n, M) of half of the sessions, and whether it happened."""
    data = case.data(seed)
    fold = hiql.session_folds(data, 2, random_state=seed)[0]
    seen, fresh = data.select(fold.train), data.select(fold.test)
    model = case.model().set_params(random_state=seed, progress=False).fit(seen)
    steps = fresh.observed
    taken = fresh.actions[steps, None] == np.arange(data.n_actions)
    found = {"actions": (model.predict_action_proba(fresh)[steps], taken)}
    if fresh.intentions is not None and model.n_intentions > 1:
        k = model.n_intentions
        posterior = model.smooth_proba(seen).T
        order = linear_sum_assignment([[-p[seen.intentions == z].sum() for z in range(k)] for p in posterior])[1]
        found["intentions"] = model.smooth_proba(fresh), fresh.intentions[:, None] == order
    return found


def off(predicted: np.ndarray, happened: np.ndarray) -> float:
    """Mean distance of predictions from what came true, in percentage points."""
    curve = binned(predicted, happened)
    return 100 * float(np.average(np.abs(curve.predicted - curve.taken), weights=curve.n))


def told(name: str, what: str, pairs: list[Pair]) -> str:
    together = np.concatenate([p for p, _ in pairs]), np.concatenate([h for _, h in pairs])
    curve = binned(*together)
    alone = np.array([off(*pair) for pair in pairs])
    error = f" ± {alone.std(ddof=1) / np.sqrt(len(alone)):.1f}" if len(alone) > 1 else ""
    shown = ", ".join(f"{100 * p:.0f} → {100 * t:.0f}" for p, t, n in zip(*curve, strict=True) if n >= FEWEST)
    return f"| {name} | {what} | {len(alone)} | {off(*together):.1f}; {alone.mean():.1f}{error} | {shown} |"


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    print(
        "| data | predicted | seeds | off: together; each | predicted → came true, % |\n| --- | --- | --- | --- | --- |"
    )
    warnings.simplefilter("ignore")
    for name, case in CASES.items():
        if options.only in name:
            n_seeds = 1 if "real" in name else options.seeds
            found = [predictions(case, seed) for seed in range(n_seeds)]
            for what in found[0]:
                print(told(name, what, [one[what] for one in found]), flush=True)


if __name__ == "__main__":
    main()
