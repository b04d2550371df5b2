"""The logarithm of the compiled loops against numpy's."""

from __future__ import annotations

import numpy as np
from numba import njit

from hiql.kernels.logarithm import log


@njit
def logs(numbers):
    result = np.empty_like(numbers)
    for n in range(len(numbers)):
        result[n] = log(numbers[n])
    return result


def test_it_is_right_to_two_units_in_the_last_place():
    rng = np.random.default_rng(0)
    near_one = 1 + rng.uniform(-1, 1, 10_000) * 10.0 ** rng.uniform(-15, 0, 10_000)
    numbers = np.concatenate(
        [np.exp(rng.uniform(-690, 700, 10_000)), rng.random(10_000), near_one, 2.0 ** np.arange(-9, 9)]
    )
    np.testing.assert_array_max_ulp(logs(numbers), np.log(numbers), maxulp=2)


def test_nothing_has_a_finite_logarithm():
    """So that 0 · log 0 is 0."""
    assert logs(np.zeros(1))[0] * 0.0 == 0.0
