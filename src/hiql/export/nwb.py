"""Decoded intentions in NWB files (Neurodata Without Borders); needs the extra ``nwb``."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.codes import label_text
from hiql.errors import InvalidParameter, MissingExtra
from hiql.export.table import in_one_word
from hiql.files import write_whole

if TYPE_CHECKING:
    from pynwb import NWBFile
    from pynwb.epoch import TimeIntervals

SERIES = {
    "p": ("intention_posterior", "p(intention | whole session). It looks ahead: not causal."),
    "causal": ("intention_filtered", "p(intention | steps up to this one): causal."),
}
"""Prefix of columns → name and meaning of their time series."""
SCALARS = {
    "p_action": "probability of the action taken, given the past only",
    "value": "value of the state under the decoded intention",
    "advantage": "Q(s, a) - V(s) of the action taken under the decoded intention",
    "reward": "recovered reward of the action taken under the decoded intention, up to a gauge",
}


NOT_OF_A_STEP = ("subject", "session", "row", "step")
"""Columns that the file tells otherwise, or by the order of its rows."""


def add_intentions(file: NWBFile, steps: pd.DataFrame, times: npt.ArrayLike | None = None) -> None:
    """Add the rows of :func:`decoding_table` of *one session* to an open NWB file, in a processing module "intentions".

    It receives time series of the posterior, filtered and per-step quantities, and ``TimeIntervals`` "intentions": one
    row for each run of the same decoded intention, from the time of its first step to that of the step after it.
    ``times`` (T,) are seconds on the file's clock, strictly increasing; without them, steps are one second apart.
    """
    from pynwb import TimeSeries
    from pynwb.epoch import TimeIntervals

    seconds = _checked_times(times, len(steps))
    unit = "one second a step; not real time. " if times is None else ""
    module = file.create_processing_module("intentions", "Discrete intentions decoded from behaviour by hiql")
    for prefix, (name, meaning) in SERIES.items():
        columns = [column for column in steps if column.startswith(f"{prefix}_") and column not in SCALARS]
        if columns:
            order = ", ".join(column.removeprefix(f"{prefix}_") for column in columns)
            text = f"{meaning} Columns: {order}. {unit}"
            values = steps[columns].to_numpy(dtype=np.float64)
            module.add(TimeSeries(name=name, data=values, unit="probability", timestamps=seconds, description=text))
    for name, meaning in SCALARS.items():
        values = steps[name].to_numpy(dtype=np.float64)
        module.add(
            TimeSeries(name=name, data=values, unit="a.u.", timestamps=seconds, description=f"{meaning}. {unit}")
        )
    if "decoded" in steps:
        intervals = TimeIntervals(name="intentions", description=f"Runs of the same decoded intention. {unit}")
        intervals.add_column("intention", "name of the intention on the most likely path")
        for name, start, stop in _runs(steps["decoded"].tolist(), seconds):
            intervals.add_row(start_time=start, stop_time=stop, intention=name)
        module.add(intervals)


def write_nwb(path: Path, steps: pd.DataFrame, about: str, times: npt.NDArray[np.float64] | None = None) -> list[Path]:
    """One new NWB file for each session, whole or not at all: ``path`` itself for a single one, otherwise
    NAME-SUBJECT-SESSION.nwb beside it."""
    try:
        import pynwb  # noqa: F401
    except ImportError as error:
        raise MissingExtra(what="writing NWB files", extra="nwb") from error
    in_order = np.argsort(steps["step"].to_numpy(), kind="stable")
    sessions = [
        in_order[rows] for rows in steps.iloc[in_order].groupby(["subject", "session"], sort=False).indices.values()
    ]
    targets = [path] if len(sessions) == 1 else [_beside(path, *_names(steps.iloc[rows])) for rows in sessions]
    if len({str(target).lower() for target in targets}) < len(targets):
        raise InvalidParameter(
            parameter="session names", value=len(targets), remedy="several sessions would share a file; rename them"
        )
    contents = [_session_file(steps.iloc[rows], about, None if times is None else times[rows]) for rows in sessions]
    for target, content in zip(targets, contents, strict=True):  # all of them are good: now write
        write_whole(target, content)
    return targets


def _names(steps: pd.DataFrame) -> tuple[str, str]:
    """Whose session it is, and its name."""
    return str(steps["subject"].iloc[0]), str(steps["session"].iloc[0])


def _beside(path: Path, subject: str, session: str) -> Path:
    return path.with_name("-".join([path.stem, in_one_word(subject), in_one_word(session)]) + path.suffix)


def _session_file(steps: pd.DataFrame, about: str, times: Any) -> bytes:
    """The bytes of a file. HDF5 needs a real file to write to, so it is made elsewhere first."""
    from pynwb import NWBHDF5IO, NWBFile
    from pynwb.file import Subject

    subject, session = _names(steps)
    file = NWBFile(
        session_description=f"Intentions decoded from behaviour. {about}",
        identifier=f"hiql-{subject}-{session}",
        session_start_time=datetime(1970, 1, 1, tzinfo=UTC),
        session_id=session,
        subject=Subject(subject_id=subject),
        notes="The start time is a placeholder: the table has no dates.",
    )
    add_intentions(file, steps, times)
    file.trials = _behaviour(steps, _checked_times(times, len(steps)))
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder) / "session.nwb"
        with NWBHDF5IO(str(scratch), mode="w") as io:
            io.write(file)
        return scratch.read_bytes()


def _behaviour(steps: pd.DataFrame, seconds: npt.NDArray[np.float64]) -> TimeIntervals:
    """The trial table of a file: what was done, in which state, with which inputs and contexts, and what followed.

    :func:`hiql.data.importers.read_nwb` reads it back. Numbers that are missing are NaN, missing words are empty.
    """
    from pynwb.core import VectorData
    from pynwb.epoch import TimeIntervals

    ours = (*NOT_OF_A_STEP, *SCALARS, "decoded")
    columns = [name for name in steps if name not in ours and not name.startswith(tuple(f"{p}_" for p in SERIES))]
    edges = _edges(seconds)
    times = {"start_time": seconds, "stop_time": np.array(edges[1:])}
    data = [VectorData(name=name, description=name, data=values) for name, values in times.items()]
    data += [VectorData(name=name, description=f"{name} of the step", data=_storable(steps[name])) for name in columns]
    return TimeIntervals(name="trials", description="Behaviour, one row a step", columns=data)


def _storable(values: pd.Series) -> npt.NDArray[Any] | list[str]:
    """Numbers as they are, whole where none is missing; anything else as text."""
    if pd.api.types.is_numeric_dtype(values):
        whole = not pd.api.types.is_float_dtype(values) and not values.isna().any()
        return values.to_numpy(dtype=np.int64) if whole else values.to_numpy(dtype=np.float64, na_value=np.nan)
    return ["" if missing else label_text(v) for v, missing in zip(values, values.isna(), strict=True)]


def _edges(seconds: npt.NDArray[np.float64]) -> list[float]:
    """The times of all steps and of the end: the last step lasts as long as the one before it."""
    last = seconds[-1] + (seconds[-1] - seconds[-2] if len(seconds) > 1 else 1.0)
    return [*seconds.tolist(), float(last)]


def _checked_times(times: npt.ArrayLike | None, n_steps: int) -> npt.NDArray[np.float64]:
    if times is None:
        return np.arange(n_steps, dtype=np.float64)
    seconds = np.asarray(times, dtype=np.float64)
    wrong = ~np.isfinite(seconds) | (np.diff(seconds, prepend=-np.inf) <= 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidParameter(
            parameter=f"time of step {row}",
            value=float(seconds[row]),
            remedy="give finite seconds that grow in each session",
        )
    return seconds


def _runs(decoded: Sequence[str], seconds: npt.NDArray[np.float64]) -> list[tuple[str, float, float]]:
    """Name, start and stop of each run."""
    edges = _edges(seconds)
    starts = [i for i in range(len(decoded)) if i == 0 or decoded[i] != decoded[i - 1]]
    stops = [*starts[1:], len(decoded)]
    return [(str(decoded[a]), edges[a], edges[b]) for a, b in zip(starts, stops, strict=True)]
