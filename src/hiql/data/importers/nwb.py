"""Trial tables of NWB files (Neurodata Without Borders), one file a session; needs the extra ``nwb``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from hiql.data.importers.session_files import Paths, read_sessions
from hiql.errors import BadSessionFile, BadTable, ColumnNotFound


def read_nwb(
    paths: Paths,
    choice: str,
    outcome: str,
    *,
    subject: str | None = None,
    session: str | None = None,
    keep: Sequence[str] = (),
) -> pd.DataFrame:
    """Read the trials of NWB files into one table.

    Parameters
    ----------
    paths : one file, several, or a folder, whose .nwb files (also in subfolders) must all be sessions
    choice, outcome : columns of the files' trial tables (``nwbfile.trials``)
    subject, session : columns that name the animal and the session; by default ``nwbfile.subject.subject_id``,
        and ``nwbfile.session_id`` or, where that is not set, ``nwbfile.identifier``
    keep : other columns to take over under their own names

    Returns
    -------
    A table ready for :func:`hiql.bandit_trials`, with one row a trial: subject, session, trial (from 1), choice,
    reward (the outcome), and what was to be kept. One bad file is an error that says which, and nothing is
    imported.
    """
    named = {"choice": choice, "reward": outcome, "subject": subject, "session": session}
    columns = {name: column for name, column in named.items() if column is not None} | {name: name for name in keep}
    reader = _nwb_reader()
    return read_sessions(paths, ".nwb", lambda path: _trials(path, columns, reader))


def _nwb_reader() -> Any:
    try:
        from pynwb import NWBHDF5IO
    except ImportError as error:
        raise BadTable(
            what="reading NWB files needs pynwb", remedy='install it with: pip install "hiql[nwb]"'
        ) from error
    return NWBHDF5IO


def _trials(path: Path, columns: dict[str, str], reader: Any) -> pd.DataFrame:
    try:
        with reader(str(path), mode="r", load_namespaces=True) as file:
            content = file.read()
            names = _names(path, content, columns)
            trials = None if content.trials is None else content.trials.to_dataframe()
    except BadSessionFile:
        raise
    except Exception as error:  # h5py, hdmf and pynwb raise what they like on a damaged file
        raise BadSessionFile(
            path=str(path), problem=f"it cannot be read as NWB ({error})", remedy="write it again with pynwb"
        ) from error
    if trials is None or trials.empty:
        raise BadSessionFile(path=str(path), problem="it has no trials", remedy="add them with nwbfile.add_trial")
    return _tidy(path, trials.reset_index(drop=True), names, columns)


def _names(path: Path, content: Any, columns: dict[str, str]) -> dict[str, str]:
    """Subject and session, as far as no trial column names them."""
    animal = content.subject.subject_id if content.subject is not None else None
    if animal is None and "subject" not in columns:
        raise BadSessionFile(
            path=str(path),
            problem="it does not say whose session it is (nwbfile.subject.subject_id)",
            remedy="add the subject, or pass subject= with the trial column that names it",
        )
    return {"subject": str(animal), "session": str(content.session_id or content.identifier)}


def _tidy(path: Path, trials: pd.DataFrame, names: dict[str, str], columns: dict[str, str]) -> pd.DataFrame:
    for name, column in columns.items():
        if column not in trials.columns:
            absent = ColumnNotFound(field=name, column=column, available=[str(c) for c in trials.columns])
            remedy = f"name the column in read_nwb(…, {name}=…)".replace("reward=", "outcome=")
            raise BadSessionFile(path=str(path), problem=str(absent), remedy=remedy)
        _check_cells(path, column, trials[column])
    table = pd.DataFrame({**names, "trial": range(1, len(trials) + 1)})
    for name, column in columns.items():
        table[name] = trials[column].to_numpy()
    for name in ("subject", "session"):
        if table[name].nunique(dropna=False) > 1:
            problem = f"it holds trials of several values of {columns[name]!r}"
            raise BadSessionFile(path=str(path), problem=problem, remedy="write one session a file")
    return table


def _check_cells(path: Path, column: str, values: pd.Series) -> None:
    """One value a trial, not an array of times."""
    for row, value in enumerate(values):
        if pd.api.types.is_list_like(value):
            raise BadSessionFile(
                path=str(path),
                row=row + 1,
                problem=f"{column} holds {len(value)} values",
                remedy="choose a column with one value a trial",
            )
