"""Which IQL should HIQL use? The fixed point ("expected") against Algorithm 2 as printed ("stochastic").

Held-out log-likelihood (nats per decision, five folds over sessions) and fit time, in one run, on the simulated
two-goal expert and, where HIQL_DATA_DIR has them, on 60 sessions of mice in a two-armed bandit (history of 2 trials).
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import hiql

STARTS = 3
METHODS = {
    "expected": {"method": "expected"},
    "stochastic, rates 0.05": {"method": "stochastic", "n_init": STARTS, "max_iter": 40},
    "stochastic, rates 0.01": {
        "method": "stochastic",
        "n_init": STARTS,
        "max_iter": 40,
        "learning_rates": (0.01, 0.01, 0.01),
    },
}


def problems() -> dict[str, hiql.Trajectories]:
    found = {"two goals, 256 sessions": hiql.worlds.simulate_two_goals(256, random_state=0).data}
    table = Path(os.environ.get("HIQL_DATA_DIR", "")) / "bandit" / "mice_bandit.csv.gz"
    if table.is_file():
        mice = hiql.bandit_trials(table, history=2)
        found["bandit mice, 60 sessions"] = mice.select(np.random.default_rng(0).choice(mice.n_sessions, 60, False))
    return found


def main() -> None:
    table = Table(
        "data", "method", "held out (nats/step)", "standard error", "seconds a fit", "ratio", title="HIQL, K = 2"
    )
    for name, data in problems().items():
        folds = hiql.session_folds(data, 5)
        reference = 0.0
        for method, options in METHODS.items():
            scores, began = [], time.perf_counter()
            for train, test in folds:
                model = hiql.HIQL(2, discount=0.9, progress=False, **options).fit(data.select(train))
                scores.append(model.score(data.select(test), per="step"))
            seconds = (time.perf_counter() - began) / len(folds)
            reference = reference or seconds
            error = np.std(scores, ddof=1) / np.sqrt(len(scores))
            row = f"{np.mean(scores):.4f}", f"{error:.4f}", f"{seconds:.2f}", f"{seconds / reference:.1f}×"
            table.add_row(name, method, *row)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
