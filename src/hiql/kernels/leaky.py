"""Leaky traces of impulses, session by session.

Its twin, one step at a time, is :meth:`hiql.data.memory.Memory.step`; ``tests/oracles/leaky.py`` is the sum itself.
"""

from __future__ import annotations

from numba import njit


@njit(nogil=True, cache=True, error_model="numpy")
def leaky_traces(offsets, impulses, decay, traces):  # type: ignore[no-untyped-def]
    """Fill ``traces`` (N, T·F): before each step, what is kept of the impulses (N, F) of the session's earlier steps.

    m ← m·d + x for each of the decays d (T,) and impulses x; column τ·F + f belongs to decay τ and impulse f. What a
    step holds is (1 − d)·m from before it, so that no step knows of itself.
    """
    n_times, n_impulses = decay.shape[0], impulses.shape[1]
    for s in range(offsets.shape[0] - 1):
        for i in range(n_times):
            d = decay[i]
            for f in range(n_impulses):
                kept, column = 0.0, i * n_impulses + f
                for t in range(offsets[s], offsets[s + 1]):
                    traces[t, column] = (1.0 - d) * kept
                    kept = kept * d + impulses[t, f]
