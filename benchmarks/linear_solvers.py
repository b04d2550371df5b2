"""Which way to solve (I − γ P̄) x = b? Direct and iterative solvers in worlds of four shapes, γ = 0.99.

Each run has a process of its own, so that its peak memory is its own, and a time limit. Seconds are CPU
seconds of one thread, which a busy machine disturbs least; ratios are to the fastest solver of that world and
size. The memory is that of the whole process, some 200 MB of which are Python and its libraries::

    python benchmarks/linear_solvers.py                            # square grids of 10³ … 10⁶ states
    python benchmarks/linear_solvers.py --world histories --sides 16 32 64 128
    python benchmarks/linear_solvers.py --iavi 1000                # IAVI itself, in a grid of 1000 × 1000
"""

from __future__ import annotations

import argparse
import os
import resource
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import linalg

import hiql
from hiql.worlds.linear import RESIDUAL, bicgstab_solver, sparse_lu_solver

DISCOUNT = 0.99
Solve = Callable[[Any], Any]


class Run(NamedTuple):
    """What one solver took on one system: seconds to prepare and to solve, relative residual, peak memory."""

    prepare: float
    solve: float
    residual: float
    megabytes: float


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
    """I − γ P̄ and a right-hand side like that of IAVI."""
    matrix = sparse.csr_array(sparse.eye_array(n_states) - DISCOUNT * WORLDS[world](n_states))
    return matrix, np.random.default_rng(0).exponential(size=n_states)


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def run(solver: str, world: str, n_states: int, pipe: Connection) -> None:
    matrix, b = system(world, n_states)
    start = process_time()
    solve = SOLVERS[solver](matrix)
    prepared = process_time()
    x = solve(b)
    solved = process_time()
    residual = float(np.linalg.norm(b - matrix @ x) / np.linalg.norm(b))
    pipe.send(Run(prepared - start, solved - prepared, residual, peak_megabytes()))


def run_iavi(side: int, pipe: Connection) -> None:
    start = perf_counter()
    world = hiql.worlds.gridworld(side, slip=0.1, discount=DISCOUNT)
    policy = np.random.default_rng(0).dirichlet(np.ones(world.n_actions), size=world.n_states)
    built = perf_counter()
    preference = hiql.iavi(policy, world)
    solved = perf_counter()
    error = float(np.abs(preference.reward.mean(axis=1)).max() / np.abs(preference.reward).max())
    pipe.send(Run(built - start, solved - built, error, peak_megabytes()))


def apart(target: Callable[..., None], *arguments: Any, seconds: float) -> Run | None:
    """Run in a fresh process; None if it took longer than ``seconds`` or died."""
    ours, theirs = get_context("spawn").Pipe(duplex=False)
    process = get_context("spawn").Process(target=target, args=(*arguments, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(seconds) else None
    except EOFError:
        return None
    finally:
        process.kill()
        process.join()


def compare(world: str, sides: list[int], seconds: float) -> None:
    columns = f"{'prepare':>9}{'solve':>9}{'ratio':>8}{'residual':>10}{'peak MB':>9}"
    print(f"{world:<9} {'states':>8}  {'solver':<19}{columns}")
    for side in sides:
        runs = {name: apart(run, name, world, side * side, seconds=seconds) for name in SOLVERS}
        best = min(r.prepare + r.solve for r in runs.values() if r)
        for name, r in runs.items():
            numbers = f"{f'not within {seconds:.0f} s':>45}" if r is None else row(r, best)
            print(f"{world:<9} {side * side:>8}  {name:<19}{numbers}", flush=True)


def row(r: Run, best: float) -> str:
    ratio = (r.prepare + r.solve) / best
    return f"{r.prepare:>9.3f}{r.solve:>9.3f}{ratio:>8.1f}{r.residual:>10.0e}{r.megabytes:>9.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--world", choices=WORLDS, default="grid")
    parser.add_argument(
        "--sides",
        help="square roots of the numbers of states",
        type=int,
        nargs="+",
        default=[32, 100, 178, 316, 562, 1000],
    )
    parser.add_argument("--seconds", type=float, default=300.0, help="time limit of one run")
    parser.add_argument("--iavi", type=int, metavar="SIDE", help="time IAVI itself in one grid instead")
    options = parser.parse_args()
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}  # of the runs
    if options.iavi is None:
        compare(options.world, options.sides, options.seconds)
    elif r := apart(run_iavi, options.iavi, seconds=options.seconds):
        print(
            f"IAVI in {options.iavi**2} states: {r.prepare:.1f} s to build the world, {r.solve:.1f} s to "
            f"solve; peak memory {r.megabytes:.0f} MB; the mean reward of a state, 0 in theory, is at most "
            f"{r.residual:.0e} of the largest reward"
        )


if __name__ == "__main__":
    main()
