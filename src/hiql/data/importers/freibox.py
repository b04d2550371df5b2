"""Sessions of the FreiBox (de la Crompe et al. 2023), the box of the paper's third experiment (§5.3)."""

from __future__ import annotations

import json
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.importers.session_files import Paths, read_sessions
from hiql.data.table_files import load_table
from hiql.data.tables import column
from hiql.errors import BadSessionFile, BadTable, InvalidParameter

LEFT, RIGHT = 0, 1
WRONG_SPOUT, BOTH_SPOUTS = -1, -2
LICKS_FOR_A_HIT = 3
CORRECT_LICKS = "Lick_array_correct_spout_response_window"
WRONG_LICKS = "Lick_array_incorrect_spout_response_window"
CODES = ("Trial_nr", "Licking_block_type", "Lick_result")
TIMES = ("Omission_time", "Reward_delivery")
NEEDED = ("Subject", "Start_Date", "Start_Time", *CODES, *TIMES, CORRECT_LICKS, WRONG_LICKS)
CLOCKS = ("%d/%m/%Y %H:%M:%S", "%Y-%m-%d %H:%M:%S")
LONGEST_LIST = 10_000
"""Characters of the longest list of licks that is read; the box stores at most 100 licks."""


def read_freibox(paths: Paths, *, misses: str = "missing") -> pd.DataFrame:
    """Read FreiBox session files (CSV, one row a trial, times in seconds with −1 for "no such event").

    Parameters
    ----------
    paths : one file, several, or a folder, whose .csv files (also in subfolders) must all be sessions
    misses : what a trial is in which only the correct spout was licked, but too few times for a hit: "missing"
        (no choice was completed) or "choice" (the correct side was chosen). Without any lick there is no choice.

    Returns
    -------
    A table ready for :func:`hiql.bandit_trials`, with one row a trial: subject, session (its start, such as
    "2022-08-31 14:05:00"), trial, block (from 0, a run of trials with the same correct side), correct_side and
    choice (0 left, 1 right; missing where the trial was omitted or missed), reward (1 if water was delivered).

    The choice follows from ``Lick_result``: at least ``Hit`` licks (3 where that column is absent or empty) on
    the correct spout alone are a hit; −1 is the wrong spout; −2 is both, and the first lick decides. One bad
    file is an error that says which, and nothing is imported.
    """
    if misses not in {"missing", "choice"}:
        raise InvalidParameter(parameter="misses", value=misses, remedy="choose 'missing' or 'choice'")
    return read_sessions(paths, ".csv", lambda path: _Session(path).trials(misses == "choice"))


class _Session:
    """One file, whose needed cells have been checked."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.table = self._load()
        self.numbers: dict[str, npt.NDArray[Any]] = {name: self._whole(name) for name in CODES}
        self.numbers |= {name: self._number(name) for name in TIMES}
        self._check_trials()
        for name, allowed in (("Licking_block_type", "-1 (right) or 1 (left)"), ("Lick_result", "-2, -1, 0, 1, …")):
            values = self.numbers[name]
            bad = np.abs(values) != 1 if name == "Licking_block_type" else values < BOTH_SPOUTS
            self._refuse(name, bad, f"it should be {allowed}; is this a FreiBox file?")

    def trials(self, misses_are_choices: bool) -> pd.DataFrame:
        correct = np.where(self.numbers["Licking_block_type"] == 1, LEFT, RIGHT)
        at_correct = self._licked_correct(misses_are_choices)
        choice = pd.array(np.where(at_correct == 1, correct, 1 - correct), dtype="Int64")
        choice[(at_correct < 0) | (self.numbers["Omission_time"] > 0)] = pd.NA
        return pd.DataFrame(
            {
                "subject": self._constant("Subject"),
                "session": self._start(),
                "trial": self.numbers["Trial_nr"],
                "block": np.cumsum(np.diff(correct, prepend=correct[0]) != 0),
                "correct_side": correct,
                "choice": choice,
                "reward": (self.numbers["Reward_delivery"] > 0).astype(np.int64),
            }
        )

    def _licked_correct(self, misses_are_choices: bool) -> npt.NDArray[np.int64]:
        """(N,) 1 where the correct spout was chosen, 0 where the wrong one, −1 where neither."""
        result = self.numbers["Lick_result"]
        enough = np.ones(len(result)) if misses_are_choices else self._licks_for_a_hit()
        chosen = np.where(result >= np.maximum(enough, 1), 1, -1)
        chosen[result == WRONG_SPOUT] = 0
        for row in range(len(result)):
            good, wrong = (self._first_lick(name, row) for name in (CORRECT_LICKS, WRONG_LICKS))
            if result[row] == BOTH_SPOUTS:
                chosen[row] = good < wrong
        return chosen

    def _first_lick(self, name: str, row: int) -> float:
        """The earliest time in a list of lick times such as "[3.2, 3.4]"; infinity in "[-1.0]", no lick."""
        text = str(self.table[name].iloc[row])
        try:
            times = json.loads(text, parse_int=float) if len(text) <= LONGEST_LIST else None
        except (ValueError, RecursionError):
            times = None
        if not isinstance(times, list) or not all(isinstance(time, float) and isfinite(time) for time in times):
            remedy = "give a list of times in seconds, such as [3.2, 3.4], or [-1.0] if there was no lick"
            raise self._error(f"{name} {text[:40]!r} is not a list of numbers", remedy, row)
        licks = [time for time in times if time >= 0]
        if not licks and self.numbers["Lick_result"][row] == BOTH_SPOUTS:
            problem = f"Lick_result is -2, both spouts, but {name} {text[:40]!r} holds no lick"
            raise self._error(problem, "correct the row: the first lick decides the choice", row)
        return min(licks, default=np.inf)

    # --- cells --------------------------------------------------------------------------------------------------

    def _load(self) -> pd.DataFrame:
        try:
            table = load_table(self.path)
            for name in {*NEEDED, "Hit"} & set(table.columns):
                column(table, name, name)  # an error if there are two
        except BadTable as error:
            raise self._error(str(error.details["what"]), "save the session again from the box's computer") from error
        missing = [name for name in NEEDED if name not in table.columns]
        if missing:
            remedy = f"a FreiBox file has {', '.join(NEEDED)}; is it one, and is its header whole?"
            raise self._error(f"there is no column {missing[0]!r}", remedy)
        if table.empty:
            raise self._error("there are no trials", "leave out sessions without trials")
        for name in NEEDED:
            empty = table[name].isna().to_numpy()
            if empty.any():
                remedy = "the row is cut short: complete it, or delete it if the recording was interrupted there"
                raise self._error(f"{name} is empty", remedy, int(empty.argmax()))
        return table

    def _number(self, name: str) -> npt.NDArray[np.float64]:
        numbers = pd.to_numeric(self.table[name], errors="coerce").to_numpy(dtype=np.float64)
        self._refuse(name, ~np.isfinite(numbers), "it should be a number")
        return numbers

    def _whole(self, name: str) -> npt.NDArray[np.int64]:
        numbers = self._number(name)
        self._refuse(name, numbers != np.round(numbers), "it should be a whole number")
        return numbers.astype(np.int64)

    def _licks_for_a_hit(self) -> npt.NDArray[np.float64]:
        if "Hit" not in self.table.columns:
            return np.full(len(self.table), float(LICKS_FOR_A_HIT))
        self.table["Hit"] = self.table["Hit"].fillna(LICKS_FOR_A_HIT)
        return self._number("Hit")

    def _check_trials(self) -> None:
        first = min(max(self.numbers["Trial_nr"][0], 0), 1)
        expected = first + np.arange(len(self.table))
        remedy = "trials should be numbered 1, 2, 3, … in order: restore the rows that are missing or out of place"
        self._refuse("Trial_nr", self.numbers["Trial_nr"] != expected, remedy)

    def _constant(self, name: str) -> str:
        values = self.table[name].astype(str).str.strip().to_numpy()
        self._refuse(name, values != values[0], f"it is {values[0]!r} in row 1: keep one session a file")
        return str(values[0])

    def _start(self) -> str:
        text = f"{self._constant('Start_Date')} {self._constant('Start_Time')}"
        for clock in CLOCKS:
            start = pd.to_datetime(text, format=clock, errors="coerce")
            if not pd.isna(start):
                return start.strftime("%Y-%m-%d %H:%M:%S")
        raise self._error(f"Start_Date, Start_Time {text!r} is no time", "write it as 31/08/2022 and 14:05:00", 0)

    def _refuse(self, name: str, bad: npt.NDArray[Any], remedy: str) -> None:
        """Raise for the first bad row of a column, if there is one."""
        if bad.any():
            row = int(np.argmax(bad))
            raise self._error(f"{name} is {str(self.table[name].iloc[row])!r}", remedy, row)

    def _error(self, problem: str, remedy: str, row: int | None = None) -> BadSessionFile:
        return BadSessionFile(path=str(self.path), problem=problem, remedy=remedy, row=None if row is None else row + 1)
