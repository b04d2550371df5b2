"""Which way to solve (I − γ P̄) x = b? Direct and iterative solvers in worlds of four shapes, γ = 0.99.

A row has the time of the best solver over that of hiql (:mod:`hiql.worlds.linear`), which chooses one by the shape of
the world; the choice takes time, too. A solver counts if its relative residual is at most 1e-10. We want hiql to take
at most one and a half times as long as the best.

Each run has a process of its own, so that its peak memory is its own, and a time limit. Seconds are CPU seconds of one
thread, which a busy machine disturbs least, to prepare and to solve for three intentions, as a fit does. The memory is
that of the whole process, some 200 MB of which are Python and its libraries::

    python benchmarks/linear_solvers.py                            # all four worlds, of 10³ … 10⁵ states
    python benchmarks/linear_solvers.py --world histories --sides 16 32 64 128
    python benchmarks/linear_solvers.py --world grid --sides 562 1000 --seconds 300
    python benchmarks/linear_solvers.py --iavi 1000                # IAVI itself, in a grid of 1000 × 1000
"""

from __future__ import annotations

import resource
from collections.abc import Callable, Iterator
from itertools import product
from multiprocessing.connection import Connection
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

import hiql
from apart import apart
from hiql.worlds.linear import RESIDUAL, bicgstab_solver, sparse_lu_solver, sparse_solver
from rows import Row, arguments, report, row_of, tell

DISCOUNT = 0.99
N_INTENTIONS = 3
GOAL = 1 / 1.5
GOOD_ENOUGH = 1e-10
REPEATS = 5
Solve = Callable[[Any], Any]


class Run(NamedTuple):
    """What one solver took on one system: seconds to prepare and to solve, relative residual, peak memory.

    ``totals`` are the seconds of each repeat, prepared and solved.
    """

    prepare: float
    solve: float
    residual: float
    megabytes: float
    totals: tuple[float, ...] = ()


def sparse_lu_default_order(matrix: Any) -> Solve:
    return linalg.splu(matrix.tocsc()).solve


def incomplete_lu_bicgstab(matrix: Any) -> Solve:
    factors = linalg.spilu(matrix.tocsc(), drop_tol=1e-4, fill_factor=10)
    precondition = linalg.LinearOperator(matrix.shape, matvec=factors.solve)
    return lambda b: linalg.bicgstab(matrix, b, rtol=RESIDUAL, atol=0.0, M=precondition)[0]


def gmres(matrix: Any) -> Solve:
    return lambda b: linalg.gmres(matrix, b, rtol=RESIDUAL, atol=0.0, restart=50, maxiter=200)[0]


def richardson(matrix: Any) -> Solve:
    """x ← b + γ P̄ x, which is policy evaluation by iteration: the error shrinks by γ a step."""

    def solve(b: Any) -> Any:
        x = b.copy()
        while np.linalg.norm(residual := b - matrix @ x) > RESIDUAL * np.linalg.norm(b):
            x += residual
        return x

    return solve


SOLVERS: dict[str, Callable[[Any], Solve]] = {
    "hiql": lambda matrix: sparse_solver(matrix).solve,
    "sparse LU": sparse_lu_solver,
    "sparse LU, COLAMD": sparse_lu_default_order,
    "BiCGSTAB": bicgstab_solver,
    "BiCGSTAB, ILU": incomplete_lu_bicgstab,
    "GMRES(50)": gmres,
    "fixed point": richardson,
}


def grid(n_states: int) -> Any:
    """P̄ of a slippery square grid."""
    world = hiql.worlds.gridworld(round(n_states**0.5), slip=0.1, discount=DISCOUNT)
    return world.under(np.full((world.n_states, world.n_actions), 1.0 / world.n_actions))


def histories(n_states: int) -> Any:
    """Bandit histories: the newest of four symbols pushes out the oldest."""
    now = np.repeat(np.arange(n_states), 4)
    then = (np.tile(np.arange(4), n_states) * n_states + now) // 4
    return sparse.csr_array((np.full(now.size, 0.25), (now, then)), (n_states, n_states))


def random_graph(n_states: int) -> Any:
    """Five random exits a state."""
    now = np.repeat(np.arange(n_states), 5)
    then = np.random.default_rng(0).integers(n_states, size=now.size)
    return sparse.csr_array((np.full(now.size, 0.2), (now, then)), (n_states, n_states))


def corridor(n_states: int) -> Any:
    """Mostly forward, sometimes back."""
    steps = [np.full(n_states - 1, 0.9), np.full(n_states - 1, 0.1)]
    return sparse.csr_array(sparse.diags_array(steps, offsets=[1, -1]))


WORLDS = {"grid": grid, "histories": histories, "random": random_graph, "corridor": corridor}


def system(world: str, n_states: int) -> tuple[Any, Any]:
    """I − γ P̄ and right-hand sides (K, S) like those of IAVI."""
    matrix = sparse.csr_array(sparse.eye_array(n_states) - DISCOUNT * WORLDS[world](n_states))
    return matrix, np.random.default_rng(0).exponential(size=(N_INTENTIONS, n_states))


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(solver: str, world: str, n_states: int, pipe: Connection) -> None:
    """Some repeats where they are short, one where it takes longer than a second."""
    matrix, b = system(world, n_states)
    taken: list[tuple[float, float]] = []
    while len(taken) < REPEATS and sum(map(sum, taken)) < 1.0:
        start = process_time()
        solve = SOLVERS[solver](matrix)
        prepared = process_time()
        x = np.stack([solve(side) for side in b])
        taken.append((prepared - start, process_time() - prepared))
    residual = float(np.linalg.norm(b - x @ matrix.T) / np.linalg.norm(b))
    prepare, solve_once = np.median(taken, axis=0)
    pipe.send(Run(prepare, solve_once, residual, peak_megabytes(), tuple(map(sum, taken))))


def run_iavi(side: int, pipe: Connection) -> None:
    start = perf_counter()
    world = hiql.worlds.gridworld(side, slip=0.1, discount=DISCOUNT)
    policy = np.random.default_rng(0).dirichlet(np.ones(world.n_actions), size=world.n_states)
    built = perf_counter()
    preference = hiql.iavi(policy, world)
    solved = perf_counter()
    error = float(np.abs(preference.reward.mean(axis=1)).max() / np.abs(preference.reward).max())
    pipe.send(Run(built - start, solved - built, error, peak_megabytes()))


def rows(worlds: list[str], sides: list[int], seconds: float) -> Iterator[Row]:
    for world, n_states in product(worlds, [side**2 for side in sides]):
        runs = {}
        for name in SOLVERS:
            runs[name] = apart(run, name, world, n_states, seconds=seconds)
            tell(f"{world}, {n_states:,} states, {name}: {told(runs[name], seconds)}")
        yield choice_row(world, n_states, {name: r for name, r in runs.items() if r and r.residual <= GOOD_ENOUGH})


def told(r: Run | None, seconds: float) -> str:
    if r is None:
        return f"not within {seconds:.0f} s"
    return f"{r.prepare:.3g} s + {r.solve:.3g} s, residual {r.residual:.0e}, {r.megabytes:.0f} MB"


def choice_row(world: str, n_states: int, runs: dict[str, Run]) -> Row:
    """The best solver's time over that of hiql; 0 if hiql did not finish."""
    what = f"best solver / hiql, {world} of {n_states:,} states"
    others = [name for name in runs if name != "hiql"]
    if "hiql" not in runs or not others:
        return row_of(what, [0.0 if others else np.inf], GOAL, f"finished: {', '.join(runs) or 'none'}")
    best = min(others, key=lambda name: np.median(runs[name].totals))
    detail = ", ".join(
        f"{name} {np.median(runs[name].totals):.2g} s (residual {runs[name].residual:.0e})" for name in ("hiql", best)
    )
    return row_of(what, np.divide.outer(runs[best].totals, runs["hiql"].totals).ravel(), GOAL, detail)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--world", choices=WORLDS, nargs="+", default=list(WORLDS))
    parser.add_argument(
        "--sides", help="square roots of the numbers of states", type=int, nargs="+", default=[32, 100, 316]
    )
    parser.add_argument("--seconds", type=float, default=10.0, help="time limit of one run")
    parser.add_argument("--iavi", type=int, metavar="SIDE", help="time IAVI itself in one grid instead")
    options = parser.parse_args()
    if options.iavi is None:
        report("Linear solvers", rows(options.world, options.sides, options.seconds), options)
    elif r := apart(run_iavi, options.iavi, seconds=options.seconds):
        print(
            f"IAVI in {options.iavi**2} states: {r.prepare:.1f} s to build the world, {r.solve:.1f} s to "
            f"solve; peak memory {r.megabytes:.0f} MB; the mean reward of a state, 0 in theory, is at most "
            f"{r.residual:.0e} of the largest reward"
        )
    else:
        print(f"not within {options.seconds:.0f} s")


if __name__ == "__main__":
    main()
