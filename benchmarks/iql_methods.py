"""Which IQL should HIQL use? Algorithm 2 as printed ("stochastic") against its fixed point ("expected"), K = 2.

A row has the fit time of the one over that of the other, over five folds of sessions; beside it the held-out
log-likelihoods (nats per decision, mean over folds ± standard error of the difference). On the simulated two-goal
expert and, where HIQL_DATA_DIR has them, on 60 sessions of mice in a two-armed bandit (history of 2 trials). The goal
is 1: the default should not be the slower one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

import hiql
from measuring import once
from rows import Row, arguments, report, row_of, tell

RATES = (0.05, 0.01)
FOLDS = 5


def problems() -> Iterator[tuple[str, hiql.Trajectories]]:
    yield "two goals, 256 sessions", hiql.worlds.simulate_two_goals(256, inverse_temperature=10, random_state=0).data
    table = Path(os.environ.get("HIQL_DATA_DIR", "")) / "bandit" / "mice_bandit.csv.gz"
    if table.is_file():
        mice = hiql.bandit_trials(table, history=2)
        yield "bandit mice, 60 sessions", mice.select(np.random.default_rng(0).choice(mice.n_sessions, 60, False))


def models() -> dict[str, hiql.HIQL]:
    common = {"n_intentions": 2, "discount": 0.9, "progress": False}
    as_printed = {"method": "stochastic", "n_init": 3, "max_iter": 40}
    stochastic = {f"rates {rate}": hiql.HIQL(**common, **as_printed, learning_rates=(rate,) * 3) for rate in RATES}
    return {"expected": hiql.HIQL(**common)} | stochastic


def measured(model: hiql.HIQL, data: hiql.Trajectories) -> tuple[np.ndarray, np.ndarray]:
    """Seconds to fit and held-out nats per decision, in each fold."""
    found = []
    for train, test in hiql.session_folds(data, FOLDS):
        seconds = once(partial(model.fit, data.select(train)))
        found.append((seconds, model.score(data.select(test), per="step")))
    seconds, scores = np.transpose(found)
    return seconds, scores


def rows() -> Iterator[Row]:
    for name, data in problems():
        results = {}
        for method, model in models().items():
            tell(f"{name}: {method}")
            model.fit(data.select(np.arange(20)))  # compiles
            results[method] = measured(model, data)
        ours, scores = results.pop("expected")
        for method, (seconds, others) in results.items():
            error = np.std(others - scores, ddof=1) / np.sqrt(FOLDS)
            held_out = f"held out {others.mean():.4f}, expected {scores.mean():.4f} (± {error:.4f})"
            detail = f"{held_out}; {np.median(seconds):.2g} s, expected {np.median(ours):.2g} s"
            yield row_of(f"stochastic, {method} / expected, {name}", seconds / ours, 1, detail)


if __name__ == "__main__":
    report("Methods of IQL", rows(), arguments(__doc__).parse_args())
