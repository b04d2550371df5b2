"""One pass of incremental EM (Neal & Hinton 1998) by E- and M-steps: the twin of ``kernels/block_sweep.py``."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hiql.dynamics.chain import ChainCounts
from hiql.engine.inference import Expectation


def inner(counts, point):
    """n · log θ."""
    log_policy = point.choice.log_policy
    tables = point.dynamics.log_initial, point.dynamics.log_transition, log_policy.reshape(len(log_policy), -1).T
    parts = (*counts.chain, counts.choice[:-1])
    return sum((n * p).sum() for n, p in zip(parts, tables, strict=True))


def added(counts):
    chains = [c.chain for c in counts]
    initial, transitions = (sum(getattr(c, name) for c in chains) for name in ("initial", "transitions"))
    return Expectation(np.nan, ChainCounts(initial, transitions), sum(c.choice for c in counts))


def sweep(problem, point, memory, n_blocks):
    """Visit each block, then renew the parameters; without memory the blocks all meet ``point``: new memory, F, θ."""
    data, memory, energy, begins = problem.data, list(memory), 0.0, not memory
    for block in range(n_blocks):
        part = replace(problem, data=data.select(np.arange(block, data.n_sessions, n_blocks)))
        fresh = part.expect(point)
        energy += fresh.log_likelihood - inner(fresh, point)
        memory[block : block + 1] = [fresh]
        if not begins:
            point = problem.update(point, added(memory))
    point = problem.update(point, added(memory))
    total = added(memory)
    worth = problem.choice.worth(point.choice, total.choice) + problem.dynamics.worth(point.dynamics, total.chain)
    return memory, energy + inner(total, point) + worth, point
