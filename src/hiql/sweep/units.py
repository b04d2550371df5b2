"""Units of work: idempotent, keyed by what they are, each with a result file of its own.

A unit is a plain dictionary of settings; its key is the hash of them and of the package's version. Its result is
written whole or not at all as ``<folder>/<key>.json``, so a run killed at any moment resumes where it stopped and never
repeats a finished unit. A file carries the hash of what it says: one that was damaged, edited or put in another's place
is computed again.
A unit that fails is reported and does not sink the rest; it is tried again by the next run.
"""

from __future__ import annotations

import hashlib
import json
import time
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing, nullcontext
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from hiql.engine.watching import SECONDS_TO_ANSWER
from hiql.errors import InvalidParameter
from hiql.files import remove_leftovers, write_whole
from hiql.progress import progress_bar
from hiql.sweep.executors import executor

Unit = Mapping[str, Any]
"""Settings that JSON can hold; everything the result depends on must be among them."""


class Outcome(NamedTuple):
    """A finished unit: its settings, its result (as JSON gives it back) and the seconds it took."""

    unit: dict[str, Any]
    result: dict[str, Any]
    seconds: float


class Failure(NamedTuple):
    """A unit that raised an error, was lost with its worker, or could not be written."""

    unit: dict[str, Any]
    error: str


class Document(NamedTuple):
    """A computed unit and the text of its result file."""

    unit: dict[str, Any]
    text: str


def run_units(
    units: Sequence[Unit],
    compute: Callable[[Unit], dict[str, Any]],
    folder: Path,
    *,
    label: str = "Working",
    n_jobs: int | None = None,
    progress: bool = True,
    cluster: Any = None,
    timeout: float = SECONDS_TO_ANSWER,
    watch: Callable[[int, int], None] | None = None,
) -> tuple[list[Outcome], list[Failure]]:
    """Compute every unit that has no result yet; outcomes are in the order of ``units``.

    ``watch`` is told how many units are done, and of how many, instead of a progress bar.

    ``compute`` must be importable (a module's function, or a partial of one) and depend on nothing but its unit.
    It runs in ``n_jobs`` processes, or with ``cluster`` on Dask: "local", the address of a scheduler, or a
    ``distributed.Client`` (see :mod:`hiql.sweep.connecting`), which has ``timeout`` seconds to answer and to show a
    worker; one that goes away later is a :class:`~hiql.errors.ClusterUnavailable`, and the next run resumes. Results
    are written here, so the workers of a cluster need not see ``folder``. They do not depend on where a unit ran.
    """
    _prepare(folder)
    waiting = {_path(folder, unit): dict(unit) for unit in units if _read(folder, unit) is None}
    _tell_damaged(waiting)
    failures: list[Failure] = []
    work = executor(cluster, n_jobs, timeout)(partial(_attempt, compute), list(waiting.values()), Failure)
    bar = progress_bar(label, enabled=progress) if watch is None else nullcontext(watch)
    with bar as update, closing(work) as finished:
        before = len(units) - len(waiting)
        update(before, len(units))
        for done, answer in enumerate(finished, start=1):
            failure = _keep(folder, answer)
            failures += [failure] if failure is not None else []
            update(before + done, len(units))
    outcomes = [_read(folder, unit) for unit in units]
    return [outcome for outcome in outcomes if outcome is not None], failures


def _attempt(compute: Callable[[Unit], dict[str, Any]], unit: dict[str, Any]) -> Document | Failure:
    """Compute one unit with one BLAS thread, wherever it runs; an error becomes a value."""
    began = time.perf_counter()
    try:
        with threadpool_limits(1):
            result = compute(unit)
        text = _sealed({"unit": unit, "result": result, "seconds": time.perf_counter() - began})
    except Exception as error:  # whatever it was, the other units go on and the caller is told
        return Failure(unit, f"{type(error).__name__}: {error}")
    return Document(unit, text)


def _keep(folder: Path, answer: Document | Failure) -> Failure | None:
    """Write a result as soon as it has arrived; a disk that refuses it costs this unit, not the others."""
    if isinstance(answer, Failure):
        return answer
    try:
        write_whole(_path(folder, answer.unit), answer.text)
    except OSError as error:
        remedy = "free some space or mend the permissions, and run again: finished units are kept"
        return Failure(answer.unit, f"{type(error).__name__}: {error}; {remedy}")
    return None


def _prepare(folder: Path) -> None:
    """Make the folder, before any work is done that could not be kept, and tidy what a kill left in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidParameter(
            parameter="folder", value=str(folder), remedy=f"choose one that can be made ({error})"
        ) from error
    remove_leftovers(folder)


def _read(folder: Path, unit: Unit) -> Outcome | None:
    """The outcome of a unit, if its file is there and says what was written."""
    try:
        document = json.loads(_path(folder, unit).read_text())
        seal = document.pop(SEAL)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    is_sound = seal == _digest(document) and document["unit"] == json.loads(json.dumps(unit))
    return Outcome(document["unit"], document["result"], document["seconds"]) if is_sound else None


def _tell_damaged(waiting: Collection[Path]) -> None:
    damaged = [path for path in waiting if path.exists()]
    if damaged:
        files = f"{damaged[0]}" if len(damaged) == 1 else f"{len(damaged)} files in {damaged[0].parent}"
        warnings.warn(f"{files}: not as they were written; these results are computed again", stacklevel=3)


SEAL = "sha256"


def _sealed(document: dict[str, Any]) -> str:
    """The text of a result file: the document as JSON gives it back, and its hash."""
    plain = json.loads(json.dumps(document))
    return json.dumps({SEAL: _digest(plain), **plain})


def _digest(document: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


def _path(folder: Path, unit: Unit) -> Path:
    settings = json.dumps([version("hiql"), unit], sort_keys=True)
    return folder / f"{hashlib.sha256(settings.encode()).hexdigest()[:20]}.json"
