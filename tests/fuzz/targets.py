"""What is fuzzed: a function of a path, and sound files to damage. A new target is one entry in ``TARGETS``.

A target returns, or raises :class:`hiql.errors.HiqlError` or ``Refused``; anything else is a bug.
"""

from __future__ import annotations

import gzip
import io
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

import hiql
from hiql.data.importers import read_freibox, read_nwb
from hiql.data.mapped import ABOUT
from tests.data import test_importers as importers
from tests.problems import switching_data

QUICK = {"n_init": 1, "patience": 0, "max_iter": 3, "progress": False}
TRIALS = "subject,session,trial,choice,reward\n" + "".join(
    f"m{i % 2},day {i % 3},{i},{'LR'[i % 5 < 2]},{i % 2}\n" for i in range(30)
)
STEPS = "session,step,state,action\n" + "".join(f"{i // 10},{i},{i * 7 % 5},{i % 3}\n" for i in range(30))


class Refused(Exception):
    """A command ended with a message about its input."""


class Target(NamedTuple):
    run: Callable[[Path], object]
    seeds: Callable[[Path], list[bytes]]
    suffix: str


def fit_quickly(data: hiql.Trajectories) -> None:
    """What was read can be fitted, and the fit holds numbers."""
    model = hiql.HIQL(1, **QUICK).fit(data)
    assert np.isfinite(model.reward_).all()
    assert np.isfinite(model.smooth_proba(data)).all()


def command_line(*arguments: str) -> Callable[[Path], None]:
    """A command with the file as its last argument: it succeeds, or prints a message and exits with 2."""

    def run(path: Path) -> None:
        from typer.testing import CliRunner

        from hiql.cli import app

        result = CliRunner().invoke(app, [*arguments, "--out", str(path.with_suffix(".out")), str(path)])
        if not isinstance(result.exception, SystemExit | None) or "Traceback" in result.output:
            raise RuntimeError(result.output) from result.exception
        if result.exit_code == 2:
            raise Refused(result.output)
        assert result.exit_code == 0, result.output

    return run


# --- sound files ----------------------------------------------------------------------------------------------


def steps(folder: Path) -> list[bytes]:
    return _tables(STEPS)


def trials(folder: Path) -> list[bytes]:
    return _tables(TRIALS)


def _tables(text: str) -> list[bytes]:
    parquet = io.BytesIO()
    pd.read_csv(io.StringIO(text)).to_parquet(parquet)
    tabs = text.replace(",", "\t")
    return [text.encode(), tabs.encode("utf-16"), gzip.compress(text.encode(), mtime=0), parquet.getvalue()]


def models(folder: Path) -> list[bytes]:
    """Packed, and stored as they are: there the damage reaches JSON and arrays."""
    data, mdp, _ = switching_data(np.random.default_rng(0), n_sessions=3)
    hiql.HIAVI(2, mdp=mdp, **QUICK).fit(data).save(folder / "model")
    packed = (folder / "model").read_bytes()
    with zipfile.ZipFile(folder / "model") as archive, zipfile.ZipFile(folder / "stored", "w") as stored:
        for name in archive.namelist():
            stored.writestr(name, archive.read(name))
    return [packed, (folder / "stored").read_bytes()]


def load_ignoring_checksums(path: Path) -> None:
    """``hiql.load`` with the zip's checksums switched off, so that damage gets past them to the readers behind."""
    check = zipfile.ZipExtFile._update_crc
    zipfile.ZipExtFile._update_crc = lambda *_: None
    try:
        hiql.load(path)
    finally:
        zipfile.ZipExtFile._update_crc = check


def freibox(folder: Path) -> list[bytes]:
    return [importers.write(folder / "a.csv", importers.session()).read_bytes()]


def nwb(folder: Path) -> list[bytes]:
    return [importers.write_nwb(folder / "a.nwb").read_bytes()]


def mapped_folder(damaged: str) -> Target:
    """A folder of mapped arrays, one of whose files is damaged."""

    def sound(folder: Path) -> Path:
        if not folder.exists():
            switching_data(np.random.default_rng(0), n_sessions=3)[0].save(folder)
        return folder

    def run(path: Path) -> None:
        folder = sound(path.parent / "opened")
        shutil.copy(path, folder / damaged)
        data = hiql.open_trajectories(folder)
        assert data.select(range(data.n_sessions)).n_observed == data.n_observed

    return Target(run, lambda folder: [(sound(folder / "sound") / damaged).read_bytes()], Path(damaged).suffix)


TARGETS = {
    "read_table": Target(lambda path: fit_quickly(hiql.read_table(path, step="step")), steps, ".csv"),
    "bandit_trials": Target(lambda path: fit_quickly(hiql.bandit_trials(path, 1, step="trial")), trials, ".csv"),
    "load": Target(hiql.load, models, ".hiql"),
    "load without checksums": Target(load_ignoring_checksums, models, ".hiql"),
    "read_freibox": Target(read_freibox, freibox, ".csv"),
    "read_nwb": Target(lambda path: read_nwb(path, "side", "water"), nwb, ".nwb"),
    **{f"open_trajectories, {name}": mapped_folder(name) for name in ("states.npy", "offsets.npy", ABOUT)},
    "hiql fit": Target(command_line("fit", "-k", "1", "--restarts", "1"), steps, ".csv"),
}
