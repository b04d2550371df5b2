"""Tables of log-probabilities, row by row.

A row has as many entries as there are actions or intentions. For so few numpy spends its time between the entries, and
these tables are made anew in every pass over the data.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

NEXT_TO_NOTHING = 1e-300
"""A row whose amounts add up to no more than this counts as empty: shares of so little would be rounding errors."""


@njit(nogil=True, cache=True, error_model="numpy")
def log_shares(amounts):  # type: ignore[no-untyped-def]
    """(R, A) log of each amount's share of its row, −inf where there is none; equal shares where the row is empty."""
    result = np.empty_like(amounts)
    n_rows, n_columns = amounts.shape
    for row in range(n_rows):
        total = 0.0
        for column in range(n_columns):
            total += amounts[row, column]
        for column in range(n_columns):
            share = amounts[row, column] / total if total > NEXT_TO_NOTHING else 1.0 / n_columns
            result[row, column] = math.log(share) if share > 0.0 else -np.inf
    return result


@njit(nogil=True, cache=True, error_model="numpy")
def scaled_exponentials(log_table, columns):  # type: ignore[no-untyped-def]
    """exp of ``log_table`` (K, R), transposed, its row ``columns[p]`` as column p; each row divided by its maximum.

    The result (R + 1, P) has a last row of ones. The logarithms of the maxima (R,) are returned, too. A row of nothing
    but −inf has maximum −inf, and ones in the table: what nobody can do is no evidence for anyone.
    """
    n_rows, n_columns = log_table.shape[1], columns.shape[0]
    table, top = np.ones((n_rows + 1, n_columns)), np.full(n_rows, -np.inf)
    for row in range(n_rows):
        for column in range(n_columns):
            top[row] = max(top[row], log_table[columns[column], row])
        if top[row] > -np.inf:
            for column in range(n_columns):
                table[row, column] = math.exp(log_table[columns[column], row] - top[row])
    return table, top
