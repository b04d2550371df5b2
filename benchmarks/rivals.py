"""HIAVI and its rivals on the labyrinth's published split, in one run: held-out log-likelihood and fit time."""

from __future__ import annotations

import time

from rich.console import Console
from rich.table import Table

import hiql
from hiql.baselines import DIRL, CountPolicy, MaxCausalEntropyIRL, TimedCountPolicy

DIRL_SETTINGS = {
    "restricted": {"sigma": 0.25, "discount": 0.7, "init_states": (100, 0)},
    "unrestricted": {"sigma": 0.08, "discount": 0.99, "init_states": (0,)},
}
PUBLISHED = {("restricted", m): total for m, total in enumerate((-534.3, -504.7, -500.6, -500.6), 1)}
PUBLISHED |= {("unrestricted", 1): -463.8, ("unrestricted", 2): -458.4}


def main() -> None:
    console = Console(width=120)
    for cohort in ("restricted", "unrestricted"):
        maze = hiql.datasets.labyrinth(cohort)
        hiql.HIAVI(2, mdp=maze.mdp).fit(maze.train)  # compiles
        rivals = {f"HIAVI, K = {k}": (hiql.HIAVI(k, mdp=maze.mdp), None) for k in (2, 1, 3)}
        for m in (1, 2, 3, 4) if cohort == "restricted" else (1, 2):
            rivals[f"DIRL, {m} maps"] = DIRL(m, mdp=maze.mdp, **DIRL_SETTINGS[cohort]), PUBLISHED[cohort, m]
        rivals["max causal entropy, state rewards"] = MaxCausalEntropyIRL(mdp=maze.mdp), None
        rivals["counts p(a|s)"] = CountPolicy(), None
        rivals["timed counts p_t(a|s)"] = TimedCountPolicy(), None
        table = Table("model", "held out (nats)", "published", "seconds", "ratio", title=f"Labyrinth, {cohort}")
        reference = 0.0
        for name, (model, published) in rivals.items():
            began = time.perf_counter()
            model.fit(maze.train)
            seconds = time.perf_counter() - began
            reference = reference or seconds
            row = f"{model.score(maze.test):.1f}", "" if published is None else f"{published}"
            table.add_row(name, *row, f"{seconds:.3f}", f"{seconds / reference:,.2g}×")
        console.print(table)


if __name__ == "__main__":
    main()
