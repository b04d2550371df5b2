"""Units of work: idempotent, keyed by what they are, each with a result file of its own.

A unit is a plain dictionary of settings; its key is the hash of them and of the package's version. Its result is
written whole or not at all as ``<folder>/<key>.json``, so a run killed at any moment resumes where it stopped and never
repeats a finished unit.
A unit that fails is reported and does not sink the rest; it is tried again by the next run.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from joblib import Parallel, delayed, effective_n_jobs, parallel_config

from hiql.files import write_whole
from hiql.progress import progress_bar

Unit = Mapping[str, Any]
"""Settings that JSON can hold; everything the result depends on must be among them."""


class Outcome(NamedTuple):
    """A finished unit: its settings, its result (as JSON gives it back) and the seconds it took."""

    unit: dict[str, Any]
    result: dict[str, Any]
    seconds: float


class Failure(NamedTuple):
    """A unit that raised an error."""

    unit: dict[str, Any]
    error: str


def run_units(
    units: Sequence[Unit],
    compute: Callable[[Unit], dict[str, Any]],
    folder: Path,
    *,
    label: str = "Working",
    n_jobs: int | None = None,
    progress: bool = True,
) -> tuple[list[Outcome], list[Failure]]:
    """Compute every unit that has no result yet, in ``n_jobs`` processes; outcomes are in the order of ``units``.

    ``compute`` must be importable (a module's function, or a partial of one) and depend on nothing but its unit.
    """
    waiting = [unit for unit in units if _read(folder, unit) is None]
    failures: list[Failure] = []
    with progress_bar(label, enabled=progress) as update, parallel_config("loky", inner_max_num_threads=1):
        update(len(units) - len(waiting), len(units))
        workers = min(effective_n_jobs(n_jobs), max(len(waiting), 1))
        jobs = (delayed(_finish)(compute, dict(unit), folder) for unit in waiting)
        for done, failure in enumerate(Parallel(workers, return_as="generator_unordered")(jobs), start=1):
            failures += [failure] if failure is not None else []
            update(len(units) - len(waiting) + done, len(units))
    outcomes = [_read(folder, unit) for unit in units]
    return [outcome for outcome in outcomes if outcome is not None], failures


def _finish(compute: Callable[[Unit], dict[str, Any]], unit: dict[str, Any], folder: Path) -> Failure | None:
    """Compute one unit and write its result; an error becomes a value."""
    began = time.perf_counter()
    try:
        document = {"unit": unit, "result": compute(unit), "seconds": time.perf_counter() - began}
        write_whole(_path(folder, unit), json.dumps(document))
    except Exception as error:  # whatever it was, the other units go on and the caller is told
        return Failure(unit, f"{type(error).__name__}: {error}")
    return None


def _read(folder: Path, unit: Unit) -> Outcome | None:
    """The outcome of a unit, if its file is there and whole."""
    try:
        document = json.loads(_path(folder, unit).read_text())
        return Outcome(document["unit"], document["result"], document["seconds"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _path(folder: Path, unit: Unit) -> Path:
    settings = json.dumps([version("hiql"), unit], sort_keys=True)
    return folder / f"{hashlib.sha256(settings.encode()).hexdigest()[:20]}.json"
