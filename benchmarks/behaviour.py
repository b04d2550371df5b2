"""Does a change of the code change its answers? What fits give, written down before and compared after.

    python benchmarks/behaviour.py write before.npz         # on the revision before
    python benchmarks/behaviour.py compare before.npz       # on the revision after: every number, old against new

Uses public names only, so that it runs on both. Says of each case whether it is the same to the last bit, and otherwise
the largest difference relative to the largest entry. Records belong to one machine: others round otherwise.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import numpy as np

import hiql
from hiql.errors import HiqlError

KEPT = ("initial_", "transition_", "policy_", "reward_", "q_", "value_", "share_", "trace_", "objective_", "n_iter_")


def masked(data: hiql.Trajectories, share: float = 0.05) -> hiql.Trajectories:
    """The same sessions with some actions missing."""
    rng = np.random.default_rng(0)
    cuts = data.offsets[1:-1]
    actions = np.where(rng.random(data.n_steps) < share, -1, data.actions)
    return hiql.Trajectories.from_arrays(
        np.split(data.states, cuts), np.split(actions, cuts), n_states=data.n_states, n_actions=data.n_actions
    )


def problems() -> Iterator[tuple[str, hiql.Trajectories, hiql.MDP | None]]:
    """Simulated sessions of a random model in a grid, and the real mice where their data lie here."""
    grid = hiql.worlds.gridworld(5)
    rng = np.random.default_rng(3)
    cells = [rng.integers(0, grid.n_states, size=rng.integers(5, 40)) for _ in range(120)]
    acts = [(c // 5 + (np.arange(len(c)) > len(c) // 2) + (rng.random(len(c)) < 0.2)) % grid.n_actions for c in cells]
    data = hiql.Trajectories.from_arrays(cells, acts, n_states=grid.n_states, n_actions=grid.n_actions)
    yield "grid", data, grid
    yield "grid, gaps", masked(data), grid
    try:
        for water in ("restricted", "unrestricted"):
            mice = hiql.datasets.labyrinth(water)
            yield water, mice.data, hiql.worlds.labyrinth()
        table = f"{os.environ['HIQL_DATA_DIR']}/bandit/mice_bandit.csv.gz"
        mice = hiql.bandit_trials(table, history=2).select(range(60))
        yield "bandit", mice, None
        yield "bandit, gaps", masked(mice), None
    except (HiqlError, KeyError) as error:
        print(f"real data left out: {error}", file=sys.stderr)


def cases(data: hiql.Trajectories, world: hiql.MDP | None) -> Iterator[tuple[str, hiql.IntentionModel]]:
    common = {"progress": False, "max_iter": 200}
    for k in (1, 2, 3):
        for seed in (0, 1):
            yield f"HIQL K={k} seed={seed}", hiql.HIQL(k, random_state=seed, n_jobs=1 + seed, **common)
        if world is not None:
            yield f"HIAVI K={k}", hiql.HIAVI(k, mdp=world, **common)
    short = common | {"max_iter": 10, "n_init": 2}
    if data.n_steps < 10_000:
        yield "HIQL stochastic", hiql.HIQL(2, method="stochastic", **short)
        yield "HIQL sampled", hiql.HIQL(2, sampled=True, **short)


def record() -> dict[str, np.ndarray]:
    """Every number, by a name that says what it is of."""
    numbers: dict[str, np.ndarray] = {}
    for problem, data, world in problems():
        for case, model in cases(data, world):
            model.fit(data)
            found = {name: np.asarray(getattr(model, name)) for name in KEPT}
            found |= {"score": np.asarray(model.score(data)), "smoothed": model.smooth_proba(data)}
            found |= {"filtered": model.filter_proba(data), "decoded": model.decode(data)}
            numbers |= {f"{problem} | {case} | {name}": values for name, values in found.items()}
            print(f"{problem} | {case}: objective {model.objective_!r}", file=sys.stderr)
    return numbers


def difference(old: np.ndarray, new: np.ndarray) -> float:
    """The largest difference relative to the largest entry; 0 only where all bits are the same."""
    if old.shape != new.shape:
        return np.inf
    return 0.0 if np.array_equal(old, new) else float(np.abs(old - new).max() / max(np.abs(old).max(), 1e-300))


def compare(before: dict[str, np.ndarray], after: dict[str, np.ndarray]) -> None:
    gaps = {name: difference(values, after[name]) for name, values in before.items()}
    changed = {name: gap for name, gap in gaps.items() if gap > 0}
    for name, gap in sorted(changed.items(), key=lambda item: -item[1])[:40]:
        print(f"{gap:.2e}  {name}")
    print(f"{len(gaps) - len(changed)} of {len(gaps)} the same to the last bit; "
          f"{sum(gap > 1e-12 for gap in gaps.values())} differ by more than 1e-12")  # fmt: skip


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["write", path]:
            np.savez_compressed(path, **record())
        case ["compare", path]:
            with np.load(path) as before:
                compare(dict(before), record())
        case _:
            sys.exit(__doc__)
