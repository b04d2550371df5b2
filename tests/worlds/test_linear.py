"""(I − γ P) x = b: every method gives the same answer, and each is used where it should be."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

from hiql import worlds
from hiql.worlds import linear


def grid(side):
    world = worlds.gridworld(side, slip=0.1)
    return sparse.csr_array(world.under(np.full((world.n_states, 5), 0.2)))


def random_graph(n):
    now = np.repeat(np.arange(n), 4)
    then = np.random.default_rng(0).integers(n, size=now.size)
    return sparse.csr_array((np.full(now.size, 0.25), (now, then)), (n, n))


def corridor(n):
    return sparse.csr_array((np.ones(n), (np.arange(n), np.minimum(np.arange(n) + 1, n - 1))), (n, n))


def leaking(n):
    return 0.5 * random_graph(n)


SYSTEMS = {
    "grid": grid(20),
    "random": random_graph(300),
    "corridor": corridor(300),
    "rows below 1": leaking(300),
}
SOLVERS = {"sparse LU": linear.sparse_lu_solver, "BiCGSTAB": linear.bicgstab_solver}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("discount", [0.0, 0.9, 0.99, 0.9999])
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("columns", [(), (3,)], ids=["one", "three"])
def test_every_method_agrees_with_dense_lu(system, discount, solver, columns):
    transition = SYSTEMS[system]
    b = np.random.default_rng(0).exponential(size=(transition.shape[0], *columns))
    dense = linear.linear_solver(transition.toarray(), discount)
    assert dense.method == "dense LU"
    expected = dense.solve(b)
    matrix = sparse.csr_array(sparse.eye_array(transition.shape[0]) - discount * transition)
    assert np.linalg.norm(matrix @ expected - b) <= 1e-10 * np.linalg.norm(b)
    assert_allclose(SOLVERS[solver](matrix)(b), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("world", "method"),
    [(grid(linear.NARROW), "sparse LU"), (grid(2 * linear.NARROW), "BiCGSTAB"), (random_graph(300), "BiCGSTAB")],
    ids=["narrow", "wide", "random"],
)
def test_the_shape_of_a_sparse_world_chooses(world, method):
    assert linear.linear_solver(world, 0.9).method == method


def test_a_narrow_world_is_seen_whatever_the_order_of_its_states():
    shuffled = np.random.default_rng(0).permutation(5_000)
    assert linear.is_narrow(corridor(5_000)[shuffled][:, shuffled])
    assert not linear.is_narrow(random_graph(5_000))


def test_the_residual_is_the_true_one():
    """That which BiCGSTAB carries along is 1e-12 here where the true one is several times as large."""
    matrix = sparse.csr_array(sparse.eye_array(2_000) - 0.9999 * random_graph(2_000))
    for b in np.random.default_rng(0).exponential(size=(6, 2_000)):
        x = linear.bicgstab_solver(matrix)(b)
        assert np.linalg.norm(matrix @ x - b) <= linear.RESIDUAL * np.linalg.norm(b)


def test_lu_takes_over_once_where_bicgstab_does_not_finish(monkeypatch):
    factorised = []
    real = linear.sparse_lu_solver
    monkeypatch.setattr(linear, "MAX_ITERATIONS", 3)
    monkeypatch.setattr(linear, "sparse_lu_solver", lambda matrix: factorised.append(1) or real(matrix))
    matrix = sparse.csr_array(sparse.eye_array(900) - 0.99 * grid(30))
    b = np.random.default_rng(0).exponential(size=(900, 2))
    assert_allclose(matrix @ linear.bicgstab_solver(matrix)(b), b, rtol=1e-9)
    assert len(factorised) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_long_corridor_with_a_discount_near_one(solver):
    """Where BiCGSTAB breaks down: the value of the last cell, 1 / (1 − γ), is felt 5,000 cells before it."""
    n, discount = 5_000, 0.9999
    assert linear.linear_solver(corridor(n), discount).method == "sparse LU"
    matrix = sparse.csr_array(sparse.eye_array(n) - discount * corridor(n))
    reward = np.eye(1, n, n - 1).ravel()
    expected = discount ** np.arange(n - 1, -1, -1) / (1 - discount)
    assert_allclose(SOLVERS[solver](matrix)(reward), expected, rtol=1e-9)


def test_a_large_grid_is_solved_to_a_small_residual():
    transition = grid(150)
    b = np.random.default_rng(0).exponential(size=transition.shape[0])
    x = linear.linear_solver(transition, 0.99).solve(b)
    assert np.linalg.norm(x - 0.99 * transition @ x - b) <= 2 * linear.RESIDUAL * np.linalg.norm(b)
