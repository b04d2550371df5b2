"""What pooled rows are worth on sessions that were held out: places, histories, animals, days; and what they cost.

Every line has the log-likelihood in nats a step of both models on the same held-out sessions, and their difference with
its standard error, paired by session. Nothing is chosen on held-out sessions: restarts by training objective, strengths
by the evidence of training sessions. Results are kept in ``--out`` as they come, so a run that was stopped goes on.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone

import hiql
from hiql.choices import PooledTable
from hiql.datasets.fetch import DATA_DIR
from hiql.dynamics import ByState
from hiql.files import write_whole
from rows import arguments, tell

Sessions = np.ndarray


class Scores(NamedTuple):
    """Log-likelihood and observed steps of each held-out session, seconds of the processor for the fits."""

    nats: Sessions
    steps: Sessions
    seconds: float


class Comparison(NamedTuple):
    """Two ways to explain the same sessions."""

    name: str
    plain: Callable[[], Scores]
    pooled: Callable[[], Scores]


def scored(model: Any, train: hiql.Trajectories, test: hiql.Trajectories) -> Scores:
    clone(model).set_params(max_iter=2, n_init=1, patience=0).fit(train.select([0]))  # compile
    started = time.process_time()
    model.fit(train)
    seconds = time.process_time() - started
    each = [test.select([n]) for n in range(test.n_sessions)]
    return Scores(np.array([model.score(one) for one in each]), np.array([one.n_observed for one in each]), seconds)


def individually(k: int, train: hiql.Trajectories, test: hiql.Trajectories) -> Scores:
    """A fit for each animal, in the order of the test sessions."""
    nats, steps, seconds = np.empty(test.n_sessions), np.empty(test.n_sessions), 0.0
    for subject in dict.fromkeys(test.subjects):
        mine = [np.flatnonzero(np.array(data.subjects) == subject) for data in (train, test)]
        found = scored(quiet(k), train.select(mine[0]), test.select(mine[1]))
        nats[mine[1]], steps[mine[1]], seconds = found.nats, found.steps, seconds + found.seconds
    return Scores(nats, steps, seconds)


def quiet(k: int, **options: Any) -> hiql.HIQL:
    return hiql.HIQL(k, progress=False, **options)


def places() -> Iterator[Comparison]:
    """Mice in the labyrinth for whole nights, every fifth session held out: a Markov chain, and switching by place."""
    data = hiql.datasets.labyrinth_long().data
    out = np.arange(data.n_sessions) % 5 == 4
    parts = data.select(np.flatnonzero(~out)), data.select(np.flatnonzero(out))
    for k in (2, 3, 4):
        for context in ("state left", "state entered"):
            yield Comparison(
                f"labyrinth_long K={k}: markov, by {context}",
                lambda k=k: scored(quiet(k), *parts),
                lambda k=k, context=context: scored(quiet(k, dynamics=ByState(context=context)), *parts),
            )


def two_nodes() -> Iterator[Comparison]:
    """The last two nodes as the state, their policies around that of the node, against nodes; both switch by state."""
    data = hiql.datasets.labyrinth_long().data
    paired, parents = with_the_node_before(data)
    out = np.arange(data.n_sessions) % 5 == 4
    (train, test), (fine_train, fine_test) = (
        [each.select(np.flatnonzero(side)) for side in (~out, out)] for each in (data, paired)
    )
    for k in (2, 3, 4):
        yield Comparison(
            f"labyrinth_long K={k}, by state: one node, two nodes pooled",
            lambda k=k: scored(quiet(k, dynamics="by-state"), train, test),
            lambda k=k: scored(
                quiet(k, dynamics="by-state", choice=PooledTable(parents=parents)), fine_train, fine_test
            ),
        )


def with_the_node_before(data: hiql.Trajectories) -> tuple[hiql.Trajectories, np.ndarray]:
    """The same sessions with states (node before, node), and each state's parent, the node; a root comes last."""
    nodes = data.states.reshape(data.n_sessions, -1)
    before = np.concatenate([np.full((data.n_sessions, 1), data.n_states), nodes[:, :-1]], axis=1)
    codes, states = np.unique(before * data.n_states + nodes, return_inverse=True)
    parents = np.r_[len(codes) + codes % data.n_states, np.full(data.n_states, len(codes) + data.n_states), -1]
    fine = hiql.Trajectories.from_arrays(
        list(states.reshape(nodes.shape)),
        list(data.actions.reshape(nodes.shape)),
        n_states=len(codes),
        n_actions=data.n_actions,
    )
    return fine, parents


Split = tuple[hiql.Trajectories, hiql.Trajectories]


def folds(history: int) -> list[Split]:
    """Bandit mice, five times: each session is held out once, a fifth of each animal's sessions at a time."""
    data = hiql.bandit_trials(hiql.datasets.mice_bandit(), history=history)
    every = hiql.session_folds(data, 5, strata=data.subjects)
    return [(data.select(each.train), data.select(each.test)) for each in every]


def over(splits: list[Split], fitted: Callable[..., Scores]) -> Scores:
    """``fitted(train, test)`` for all of them, one after the other."""
    nats, steps, seconds = zip(*(fitted(*split) for split in splits), strict=True)
    return Scores(np.concatenate(nats), np.concatenate(steps), sum(seconds))


def histories() -> Iterator[Comparison]:
    for history in (1, 2, 3, 4, 5):
        splits = folds(history)
        for k in (1, 2, 3, 4):
            yield Comparison(
                f"bandit history={history} K={k}: flat, pooled",
                lambda splits=splits, k=k: over(splits, partial(scored, quiet(k))),
                lambda splits=splits, k=k: over(splits, partial(scored, quiet(k, prior="pooled"))),
            )


def simulated(seed: int = 11, history: int = 1) -> Split:
    """Simulated reversal mice that share their strategies, every fourth session held out."""
    data = hiql.worlds.simulate_reversal(n_mice=6, n_sessions=24, random_state=seed).trajectories(history=history)
    out = np.arange(data.n_sessions) % 4 == 3
    return data.select(np.flatnonzero(~out)), data.select(np.flatnonzero(out))


def animals() -> Iterator[Comparison]:
    for herd, splits in (("bandit history=2", folds(2)), ("simulated reversal", [simulated()])):
        for k in (1, 2, 3, 4):

            def pooled(k: int = k, splits: list[Split] = splits) -> Scores:
                return over(splits, partial(scored, quiet(k, pool="subjects")))

            def common(k: int = k, splits: list[Split] = splits) -> Scores:
                return over(splits, partial(scored, quiet(k)))

            def alone(k: int = k, splits: list[Split] = splits) -> Scores:
                return over(splits, partial(individually, k))

            yield Comparison(f"{herd} K={k}: common, animals pooled", common, pooled)
            yield Comparison(f"{herd} K={k}: individual, animals pooled", alone, pooled)


def cohorts() -> Iterator[Comparison]:
    """The simulated mice thirty times: in one cohort six sessions are held out, and errors are wide."""
    splits = [simulated(seed) for seed in range(100, 130)]
    for k in (1, 2, 3, 4):
        yield Comparison(
            f"simulated cohorts K={k}: common, animals pooled",
            lambda k=k: over_cohorts(k, splits),
            lambda k=k: over_cohorts(k, splits, pool="subjects"),
        )


def searches() -> Iterator[Comparison]:
    """Mice whose strategies look at one trial, over histories of three: is a search among those of one worth it?"""
    splits = [simulated(seed, history=3) for seed in range(300, 330)]
    for k in (2, 3):
        yield Comparison(
            f"simulated cohorts, history of 3, K={k}: one search, two",
            lambda k=k: over_cohorts(k, splits, choice=SearchedOnce()),
            lambda k=k: over_cohorts(k, splits, prior="pooled"),
        )


class SearchedOnce(PooledTable):
    def coarser(self, data: hiql.Trajectories) -> None:  # noqa: ARG002
        return None


def over_cohorts(k: int, splits: list[Split], **options: Any) -> Scores:
    """Each cohort stands where a session stands elsewhere."""
    found = [scored(quiet(k, **options), *split) for split in splits]
    nats, steps = (np.array([values.sum() for values in column]) for column in (*zip(*found, strict=True),)[:2])
    return Scores(nats, steps, sum(each.seconds for each in found))


def rat() -> Split:
    """A rat that learns to compare two tones, in thirds of each as states; every fifth day held out."""
    table = pd.read_csv(Path(os.environ[DATA_DIR]) / "evidence" / "rat_evidence.csv.gz")
    first, second = (pd.qcut(table[tone], 3, labels=False) for tone in ("s1", "s2"))
    sessions = [rows for _, rows in table.assign(state=3 * first + second).groupby("session")]
    days = np.arange(len(sessions), dtype=float)
    data = hiql.Trajectories.from_arrays(
        *([rows[name].to_numpy() for rows in sessions] for name in ("state", "choice")),
        subjects=["rat"] * len(days),
        session_days=days,
    )
    out = days % 5 == 4
    return data.select(np.flatnonzero(~out)), data.select(np.flatnonzero(out))


def days() -> Iterator[Comparison]:
    for k in (1, 2, 3):
        yield Comparison(
            f"rat K={k}: all days alike, each around the day before",
            lambda k=k: scored(quiet(k), *rat()),
            lambda k=k: scored(quiet(k, pool="days"), *rat()),
        )
    splits = [tuple(over_days(part) for part in split) for split in folds(2)]
    for k in (1, 2, 3, 4):
        yield Comparison(
            f"bandit over days K={k}: animals pooled, each day around the day before",
            lambda k=k: over(splits, partial(scored, quiet(k, pool="subjects"))),
            lambda k=k: over(splits, partial(scored, quiet(k, pool="days"))),
        )


def over_days(data: hiql.Trajectories) -> hiql.Trajectories:
    """Sessions of the bandit mice are named by animal and number, one a day: BB038_001."""
    return replace(data, session_days=np.array([float(name.rpartition("_")[2]) for name in data.session_names]))


def line(name: str, plain: Scores, pooled: Scores) -> dict[str, Any]:
    """The difference a step, its error from the spread of the sessions, and the ratio of the times."""
    steps = plain.steps.sum()
    difference = pooled.nats - plain.nats
    mean = difference.sum() / steps
    error = np.sqrt(len(difference) * np.var(difference - mean * plain.steps, ddof=1)) / steps
    return {
        "name": name,
        "plain": plain.nats.sum() / steps,
        "pooled": pooled.nats.sum() / steps,
        "difference": mean,
        "error": float(error),
        "cost": pooled.seconds / plain.seconds,
    }


def predictive() -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """How many of eight statistics of real mice lie inside those of data simulated from the fit."""
    for context in (None, "state left", "state entered"):
        name = f"statistics inside, restricted mice K=2, {'markov' if context is None else f'by {context}'}"
        yield name, lambda name=name, context=context: {"name": name} | inside(context)


def inside(context: str | None) -> dict[str, Any]:
    maze = hiql.datasets.labyrinth("restricted")
    clock = None if context is None else ByState(context=context)
    model = hiql.HIAVI(2, mdp=maze.mdp, dynamics=clock, progress=False).fit(maze.data)
    table = hiql.evaluate.predictive_check(model, maze.mdp, maze.data, progress=False)
    return {"inside": int(table.inside.sum()), "outside": ", ".join(table.index[~table.inside])}


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the results")
    parser.add_argument("--only", default="", help="comparisons whose names have this in them")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    scored(quiet(2, dynamics="by-state"), *(hiql.datasets.labyrinth_long().data.select(range(5)),) * 2)  # compile
    jobs = [
        (c.name, lambda c=c: line(c.name, c.plain(), c.pooled()))
        for g in (places, two_nodes, histories, animals, cohorts, searches, days)
        for c in g()
    ]
    for name, job in [*jobs, *predictive()]:
        if options.only not in name:
            continue
        path = options.out / f"{''.join(x if x.isalnum() else '_' for x in name)}.json"
        if not path.exists():
            tell(name)
            write_whole(path, json.dumps(job(), indent=1))
        result = json.loads(path.read_text())
        print(*(f"{v:+.4f}" if isinstance(v, float) else v for v in result.values()), sep="\t", flush=True)


if __name__ == "__main__":
    main()
