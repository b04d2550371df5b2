"""The compiled tables against numpy and scipy."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.kernels.log_tables import log_shares, scaled_exponentials


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_shares_of_a_row_sum_to_one(rng: np.random.Generator) -> None:
    amounts = rng.exponential(size=(50, 4))
    np.testing.assert_allclose(np.exp(log_shares(amounts)), amounts / amounts.sum(axis=1, keepdims=True), rtol=1e-14)


def test_an_empty_row_has_equal_shares_and_nothing_has_none() -> None:
    shares = log_shares(np.array([[0.0, 0.0], [1e-320, 0.0], [1.0, 0.0], [1e-290, 0.0]]))
    np.testing.assert_allclose(shares[:2], np.log(0.5))
    np.testing.assert_array_equal(shares[2:], [[0.0, -np.inf]] * 2)


def test_what_nobody_does_is_no_evidence_and_has_no_scale() -> None:
    table, top = scaled_exponentials(np.log([[0.5, 0.5], [1.0, 1e-9]]) + [[0.0, -np.inf]] * 2)
    np.testing.assert_array_equal(top, [0.0, -np.inf, 0.0])
    np.testing.assert_array_equal(table, [[0.5, 1.0], [1.0, 1.0], [1.0, 1.0]])


def test_exponentials_are_scaled_by_row_and_end_in_ones(rng: np.random.Generator) -> None:
    log_table = rng.normal(scale=300.0, size=(3, 40))
    table, top = scaled_exponentials(log_table)
    np.testing.assert_allclose(top, np.append(log_table.max(axis=0), 0.0))
    np.testing.assert_allclose(table[:-1], np.exp(log_table - log_table.max(axis=0)).T, rtol=1e-12)
    np.testing.assert_array_equal(table[-1], 1.0)
