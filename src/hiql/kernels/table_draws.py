"""How many tables the counts of pooled rows came from, drawn (docs/theory/pooling.md, docs/theory/intervals.md).

The twin in plain numpy is ``tests/oracles/path_draws.py``.
"""

from __future__ import annotations

from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def draw_tables(weights, counts, uniforms, result):  # type: ignore[no-untyped-def]
    """``result`` (n,): p(t) ∝ S(c, t) x^t for weights x (n,) and whole counts c (n,), S being Stirling's numbers.

    One count after another opens a table with probability x / (x + those before it): the first always. As many
    ``uniforms`` are used as there are counts.
    """
    used = 0
    for n in range(counts.shape[0]):
        x, found = weights[n], 0.0
        for before in range(int(counts[n])):
            if before == 0 or uniforms[used] * (x + before) < x:
                found += 1.0
            used += 1
        result[n] = found
