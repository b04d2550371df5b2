"""How long intentions last, and how long they would if the clock were right: like compared with like.

Two comparisons are not fair. Runs of the decoded path are longer than those of the true one, as the most likely path
passes over brief visits; and 1 / (1 − p) knows nothing of sessions that end. Runs of paths *drawn* from the posterior
are distributed like true ones: if z ~ p(z) and data ~ p(data | z), a draw from p(z | data) is a draw from p(z). So they
are compared with runs of paths drawn from the clock alone, in sessions of the same lengths and contexts, which cut them
off in the same way.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hiql.data.trajectories import Trajectories
from hiql.evaluate.words.dwell import Runs, find_runs, survival
from hiql.models import IntentionModel
from hiql.parts.part import FloatArray

N_DRAWN, N_SIMULATED = 10, 40
"""Paths drawn from the posterior, and simulated."""
LEVEL = 0.95


class Lasting(NamedTuple):
    """How long one intention lasts.

    ``drawn`` (D,) is the share of its runs that last at least 1, 2, … steps, on average over paths drawn from the
    posterior, by Kaplan and Meier's estimate; ``simulated``, ``low`` and ``high`` (D,) are the same of simulated paths,
    their mean and the range of 95 % of them. ``n_runs``, ``mean`` and ``cut`` are means over draws: how many runs there
    are, their lengths, the share that sessions cut off; ``usual`` is the range of 95 % of simulated means. ``apart`` is
    how far the shares of a draw are from ``simulated`` at most, the median over draws, and ``usually_apart`` what 95 %
    of simulated paths do not exceed (the statistic of Kolmogorov and Smirnov).
    """

    drawn: FloatArray
    simulated: FloatArray
    low: FloatArray
    high: FloatArray
    n_runs: float
    mean: float
    cut: float
    usual: tuple[float, float]
    apart: float
    usually_apart: float

    @property
    def is_usual(self) -> bool:
        """Whether runs last as the clock would have it."""
        return self.apart <= self.usually_apart


def lasting(model: IntentionModel, data: Trajectories, random_state: int = 0) -> list[Lasting]:
    """Of each intention."""
    rng = np.random.default_rng(random_state)
    drawn = [find_runs(data, model.draw_path(data, rng)) for _ in range(N_DRAWN)]
    simulated = [find_runs(data, model.draw_path(data, rng, seen=False)) for _ in range(N_SIMULATED)]
    return [
        _lasting([runs.of(i) for runs in drawn], [runs.of(i) for runs in simulated]) for i in range(model.n_intentions_)
    ]


def _lasting(drawn: list[Runs], simulated: list[Runs]) -> Lasting:
    longest = max(int(runs.length.max(initial=1)) for runs in (*drawn, *simulated))
    found, usual = (np.stack([_filled(runs, longest) for runs in each]) for each in (drawn, simulated))
    ends = (1.0 - LEVEL) / 2, (1.0 + LEVEL) / 2
    low, high = np.quantile(usual, ends, axis=0)
    lengths = [runs.length.mean() for runs in simulated if len(runs.length)] or [np.nan]
    together = Runs(*(np.concatenate(column) for column in zip(*drawn, strict=True)))
    mean, cut = (float(x.mean()) if len(x) else np.nan for x in (together.length, together.cut))
    first, last = np.quantile(lengths, ends).tolist()
    n_runs, middle = len(together.length) / len(drawn), usual.mean(axis=0)
    apart, usually = (np.abs(each - middle).max(axis=1) for each in (found, usual))
    distances = float(np.median(apart)), float(np.quantile(usually, LEVEL))
    return Lasting(found.mean(axis=0), middle, low, high, n_runs, mean, cut, (first, last), *distances)


def _filled(runs: Runs, longest: int) -> FloatArray:
    """(longest,) the survival of runs; after the longest of them it is 0, or level if that was cut off."""
    share = survival(runs)
    if not len(share):
        return np.zeros(longest)
    open_end = runs.cut[runs.length == len(share)].any()
    return np.concatenate([share, np.full(longest - len(share), share[-1] if open_end else 0.0)])
