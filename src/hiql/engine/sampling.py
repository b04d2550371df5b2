"""Draws from the posterior of all parameters: Gibbs sampling, started at the fit (docs/theory/intervals.md).

A sweep draws a path of intentions given the parameters, whole sessions at once (:mod:`hiql.kernels.path_draws`), and
then lets each part draw its parameters given the path. Intentions have no names of their own, so in every draw that is
kept they are called as in the fit: as the assignment says that puts the most steps where the fit puts them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from operator import methodcaller
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from hiql.engine.inference import chunks, smooth
from hiql.engine.problem import Point, Problem
from hiql.engine.threads import map_in_threads
from hiql.errors import NoIntervals
from hiql.parts.part import FloatArray, Order
from hiql.parts.path import Path, Used

ROUND = 25
"""Sweeps between two looks at the clock."""


@dataclass(frozen=True)
class Sampling:
    """``n_chains`` chains of ``warm_up`` sweeps that are thrown away and ``n_kept`` draws, ``thin`` sweeps apart.

    Where these hang together, chains go on, as long again as they have gone, up to ``most_doublings`` times; all that
    came before was warm-up then.
    """

    n_chains: int
    warm_up: int
    n_kept: int
    thin: int
    most_doublings: int


class Sweep(NamedTuple):
    """The parameters drawn, the path (N,) they were drawn from, and the log-likelihood of those before.

    ``use`` (K,) is how many observed steps each intention has on the path.
    """

    point: Point
    path: npt.NDArray[np.int64]
    log_likelihood: float
    use: FloatArray


class Draws(NamedTuple):
    """D draws, chain after chain: parameters whose arrays have them along their first axis; ``share`` (D, K);
    ``log_likelihood`` (D,); ``moved`` (2,), how many of the numbers of dynamics and choice a sweep has changed."""

    point: Point
    share: FloatArray
    log_likelihood: FloatArray
    moved: FloatArray


def sweep(problem: Problem, point: Point, rng: np.random.Generator) -> Sweep:
    """One sweep of Gibbs sampling: a path given the parameters, then parameters given the path."""
    reading, moves, acts, paths, log_likelihood = problem.read(point), [], [], [], 0.0
    for sessions in chunks(problem.data):
        chunk = reading.chunk(sessions)
        used, path = chunk.drawn(rng)
        moves.append(Used(sessions, used.moved, chunk.chain.some))
        acts.append(Used(sessions, used.rows, chunk.taken.some))
        paths.append(path)
        log_likelihood += used.log_likelihood + chunk.taken.log_scale()
    indices = problem.timeline, problem.rows
    seen = [Path(problem.data, index, used) for index, used in zip(indices, (moves, acts), strict=True)]
    drawn = [_drawn(part, params, path, rng) for part, params, path in zip(problem.parts, point, seen, strict=True)]
    path = np.concatenate(paths)
    use = np.bincount(path[problem.data.observed], minlength=problem.n_intentions).astype(np.float64)
    return Sweep(Point(*drawn), path, log_likelihood, use)


def _drawn(part: Any, params: Any, path: Path, rng: np.random.Generator) -> Any:
    if (drawn := part.drawn(params, path, rng)) is None:
        raise NoIntervals(part=type(part).__name__)
    return drawn


class Names:
    """Calls intentions as the fit does."""

    def __init__(self, problem: Problem, fit: Point) -> None:
        self._problem, self._log_prior = problem, problem.log_prior(fit)
        self._fit, self._posterior = fit, smooth(problem.read(fit))

    def order(self, path: npt.NDArray[np.int64]) -> Order:
        """(K,) the intention of the path that each of the fit's is, by the steps they have in common.

        Intentions that have priors of their own are told apart by those, and keep their names.
        """
        k = self._problem.n_intentions
        common = np.stack([np.bincount(path, each, minlength=k) for each in self._posterior.T])
        order = linear_sum_assignment(-common)[1]
        other = self._problem.log_prior(self._problem.permute(self._fit, order))
        return order if math.isclose(other, self._log_prior, abs_tol=1e-9) else np.arange(k)

    def renamed(self, swept: Sweep) -> Sweep:
        """The sweep with the fit's names."""
        order = self.order(swept.path)
        if (order == np.arange(len(order))).all():
            return swept
        name = np.argsort(order)
        point = self._problem.permute(swept.point, order)
        return swept._replace(point=point, path=name[swept.path], use=swept.use[order])


class _Chain:
    """One Markov chain: where it is, and what of its way is kept."""

    def __init__(self, problem: Problem, names: Names, fit: Point, plan: Sampling, rng: np.random.Generator) -> None:
        self._problem, self._names, self._warm_up, self._thin = problem, names, plan.warm_up, plan.thin
        self._rng, self._now, self._n_done = rng, fit, 0
        self._moved = np.zeros(2)
        self.kept: list[Sweep] = []

    def go_on(self, n_sweeps: int) -> None:
        for _ in range(n_sweeps):
            swept = sweep(self._problem, self._now, self._rng)
            self._n_done += 1
            beyond = self._n_done - self._warm_up
            if beyond > 0:
                self._moved += self._changed(self._now, swept.point)
                if beyond % self._thin == 0:
                    swept = self._names.renamed(swept)
                    self.kept.append(swept._replace(path=swept.path[:0]))
            self._now = swept.point

    def start_anew(self, thin: int) -> None:
        """All so far was warm-up: a chain that is still on its way has draws from places that it has left for good."""
        self.kept, self._warm_up, self._thin = [], self._n_done, thin
        self._moved = np.zeros(2)

    def _changed(self, before: Point, after: Point) -> list[float]:
        pairs = zip(self._problem.parts, before, after, strict=True)
        return [float((part.vector(one) != part.vector(other)).mean()) for part, one, other in pairs]

    @property
    def moved(self) -> FloatArray:
        """(2,) the share of the numbers of each part that a sweep has changed: of regressions, what was accepted."""
        return self._moved / max(self._n_done - self._warm_up, 1)


def sample_posterior(
    problem: Problem,
    fit: Point,
    plan: Sampling,
    seed: int,
    is_enough: Callable[[Draws], bool],
    on_sweeps: Callable[[int, int], None],
) -> Draws:
    """Draws from the posterior, from the fit on. Each chain has a seed of its own, so threads change nothing.

    ``is_enough(draws)`` says whether to stop, and ``on_sweeps(done, total)`` is told of progress.
    """
    names = Names(problem, fit)
    seeds = np.random.SeedSequence(seed).spawn(plan.n_chains)
    chains = [_Chain(problem, names, fit, plan, np.random.default_rng(each)) for each in seeds]
    done, total, thin = 0, plan.warm_up + plan.n_kept * plan.thin, plan.thin
    for left in range(plan.most_doublings, -1, -1):
        while done < total:
            some = min(ROUND, total - done)
            map_in_threads(methodcaller("go_on", some), chains, problem.n_threads)
            done += some
            on_sweeps(done, total)
        draws = _drawn_by(chains)
        if left == 0 or is_enough(draws):
            break
        thin = -(-total // plan.n_kept)
        for chain in chains:
            chain.start_anew(thin)
        total += plan.n_kept * thin
    return draws


def _drawn_by(chains: Sequence[_Chain]) -> Draws:
    kept = [swept for chain in chains for swept in chain.kept]
    use = np.stack([swept.use for swept in kept])
    return Draws(
        stacked([swept.point for swept in kept]),
        use / use.sum(axis=1, keepdims=True),
        np.array([swept.log_likelihood for swept in kept]),
        np.mean([chain.moved for chain in chains], axis=0),
    )


def stacked(points: Sequence[Point]) -> Point:
    """All parameters as one, their arrays with another first axis."""
    return Point(*(_stacked(params) for params in zip(*points, strict=True)))


def _stacked(params: Sequence[Any]) -> Any:
    names = [field.name for field in fields(params[0])]
    return replace(params[0], **{name: np.stack([getattr(each, name) for each in params]) for name in names})


def unstacked(point: Point, n: int) -> Point:
    """The parameters of draw n."""
    return Point(*(replace(p, **{field.name: getattr(p, field.name)[n] for field in fields(p)}) for p in point))
