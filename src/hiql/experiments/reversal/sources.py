"""Where the trials come from. Simulated cohorts are written as tables too, so all sources go the same way."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.bandit import bandit_trials
from hiql.data.table_files import load_table
from hiql.data.tables import ordered_sessions
from hiql.data.trajectories import Trajectories
from hiql.errors import BadTable
from hiql.experiments.reversal.config import TABLE, TRANSITIONS, ReversalConfig
from hiql.files import write_whole
from hiql.worlds.reversal_task import ReversalCohort, simulate_reversal

FloatArray = npt.NDArray[np.float64]


class Source(NamedTuple):
    """A table of trials by name, place and content."""

    name: str
    path: Path
    sha256: str


class Task(NamedTuple):
    """What the trials say besides choices and rewards, in the order of the data's steps.

    ``correct`` (N,) is 1, 0 or NaN; ``rule`` says how it was found; ``block`` (N,) is None where it is not recorded.
    """

    correct: FloatArray
    rule: str
    reward: FloatArray
    block: npt.NDArray[np.int64] | None


def sources(config: ReversalConfig, folder: Path) -> list[Source]:
    """The simulated cohorts, written to ``folder``, and the user's table if there is one."""
    tables = {name: simulate(config, name).table.to_csv(index=False) for name in TRANSITIONS}
    found = [_source(name, write_whole(folder / f"{name}.csv", table)) for name, table in tables.items()]
    if config.data is not None:
        load_table(config.data)  # an unreadable file is an error now, not in every unit
        found.append(_source(TABLE, Path(config.data)))
    return found


def _source(name: str, path: Path) -> Source:
    return Source(name, path.resolve(), hashlib.sha256(path.read_bytes()).hexdigest())


def simulate(config: ReversalConfig, name: str) -> ReversalCohort:
    """A cohort whose truth is known."""
    sizes = (config.n_mice, config.n_sessions, config.n_trials)
    return simulate_reversal(*sizes, config.seed, transition=TRANSITIONS[name])


@lru_cache(maxsize=3)
def trials(source: Source) -> tuple[pd.DataFrame, dict[str, Any]]:
    """The table, session by session, and the column arguments of :func:`hiql.bandit_trials` for it."""
    table = load_table(source.path)
    columns = {
        "subject": "subject" if "subject" in table else None,
        "step": "trial" if "trial" in table else None,
    }
    return ordered_sessions(table, "session", columns["subject"], columns["step"])[0], columns


@lru_cache(maxsize=12)
def remembered(source: Source, history: int) -> Trajectories:
    """The trials with histories of ℓ trials as states."""
    table, columns = trials(source)
    return bandit_trials(table, history, **columns)


def task(source: Source) -> Task:
    """Correct trials by the correct side if it is known, else by the likelier side, else by reward."""
    table, _ = trials(source)
    reward = pd.to_numeric(table["reward"], errors="coerce").to_numpy(dtype=np.float64)
    actions = remembered(source, 1).actions
    if "correct_side" in table:
        correct, rule = (table["choice"] == table["correct_side"]).to_numpy(dtype=np.float64), "the correct side"
    elif {"p_left", "p_right"} <= set(table):
        better = np.sign((table["p_right"] - table["p_left"]).to_numpy(dtype=np.float64))
        correct, rule = np.where(better == 0, np.nan, (actions == 1) == (better > 0)), "the likelier side"
    else:
        correct, rule = reward.copy(), "a reward"
    correct[actions < 0] = np.nan
    return Task(correct, rule, reward, _blocks(table))


def _blocks(table: pd.DataFrame) -> npt.NDArray[np.int64] | None:
    if "block" not in table:
        return None
    if table["block"].isna().any():
        raise BadTable(what="the block column has empty cells", remedy="number every trial's block, or drop the column")
    return pd.factorize(table["block"])[0].astype(np.int64)
