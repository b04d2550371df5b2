"""What is fuzzed: a function of a path, and sound files to damage. A new target is one entry in ``TARGETS``.

A target returns, or raises :class:`hiql.errors.HiqlError` or ``Refused``; anything else is a bug.
"""

from __future__ import annotations

import gzip
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import numpy as np
import pandas as pd

import hiql
from hiql.cli.live import Conversation
from hiql.data.importers import read_freibox, read_nwb
from hiql.data.layout import Steps
from hiql.data.mapped import ABOUT
from hiql.data.table_columns import Extra
from hiql.dynamics import ByState
from hiql.dynamics.registry import DYNAMICS
from tests.app.site import Visitor, shown
from tests.data import test_importers as importers
from tests.fuzz.lies import lying_lines, lying_model, lying_table
from tests.fuzz.mutations import damaged
from tests.problems import random_mdp, switching_data

QUICK = {"n_init": 1, "patience": 0, "max_iter": 3, "progress": False}
TRIALS = "subject,session,trial,choice,reward\n" + "".join(
    f"m{i % 2},day {i % 3},{i},{'LR'[i % 5 < 2]},{i % 2}\n" for i in range(30)
)
STEPS = "session,step,state,action\n" + "".join(f"{i // 10},{i},{i * 7 % 5},{i % 3}\n" for i in range(30))


FURTHER = "subject,session,state,action,light,tone,cue,reward,day,nth\n" + "".join(
    f"m{i // 15},day {i // 5},{i * 7 % 4},{i % 3 % 2},{i % 8 - 3.5},{i % 3},{'on' if i % 4 else 'off'},{i % 2},"
    f"2026-11-{i // 5 + 10},{i // 5}\n"
    for i in range(30)
)
FURTHER_COLUMNS = Extra(("light", "tone"), ("cue",), "reward", "nth", "day", memory=(2.0,))
FIXTURES = Path(__file__).parents[1] / "fixtures"


class Refused(Exception):
    """A command ended with a message about its input."""


Damage = Callable[[list[bytes], np.random.Generator], bytes]


class Target(NamedTuple):
    """What is called with the path of a file, sound contents of that file, how it is called, and what is done to it."""

    run: Callable[[Path], object]
    seeds: Callable[[Path], list[bytes]]
    suffix: str
    damage: Damage = damaged


def fit_quickly(data: hiql.Trajectories) -> None:
    """What was read can be fitted, and the fit holds numbers."""
    model = hiql.HIQL(1, **QUICK).fit(data)
    assert np.isfinite(model.reward_).all()
    assert np.isfinite(model.smooth_proba(data)).all()


def read_steps(path: Path) -> None:
    fit_quickly(hiql.read_table(path, step="step"))


def read_trials(path: Path) -> None:
    fit_quickly(hiql.bandit_trials(path, 1, step="trial"))


def read_further(path: Path) -> None:
    """Inputs, contexts, outcomes, days and memory; what was read can be fitted by a regression."""
    columns = {"inputs": ["light", "tone"], "contexts": ["cue"], "outcome": "reward", "day": "day", "order": "nth"}
    data = hiql.read_table(path, state="state", **columns).with_memory((2.0,), ("choice",))
    model = hiql.GLMHMM(1, **QUICK).fit(data)
    assert np.isfinite(model.weights_).all()
    assert np.isfinite(model.predict_action_proba(data)).all()


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


def further(folder: Path) -> list[bytes]:
    return _tables(FURTHER)


def all_tables(folder: Path) -> list[bytes]:
    return [*steps(folder), *trials(folder), *further(folder)]


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
    return [packed, (folder / "stored").read_bytes(), (FIXTURES / "hiavi-0.1.hiql").read_bytes()]


def models_of_all_kinds(folder: Path) -> list[bytes]:
    """One of each clock and kind of choice, fitted to animals with inputs and contexts."""
    table = pd.read_csv(io.StringIO(FURTHER))
    data = Steps(extra=FURTHER_COLUMNS, subject="subject").read(table)
    world = random_mdp(np.random.default_rng(0), n_states=data.n_states, n_actions=data.n_actions)
    made = [hiql.HIAVI(2, mdp=world, **QUICK), hiql.HIQL(2, estimate="bayes", **QUICK)]
    made += [hiql.HIQL(2, dynamics=clock, **QUICK) for clock in (*DYNAMICS, ByState(context="cue"))]
    made += [hiql.HIQL(2, prior="pooled", pool="subjects", **QUICK), hiql.GLMHMM(2, pool="subjects", **QUICK)]
    return [saved(model.fit(data), folder / "model") for model in made]


def saved(model: hiql.IntentionModel, path: Path) -> bytes:
    """Its file, with what the command line remembers of the table."""
    model.about_ = {"layout": Steps(extra=FURTHER_COLUMNS, subject="subject").to_dict(), "names": ["one", "two"]}
    model.save(path)
    return path.read_bytes()


def load_ignoring_checksums(path: Path) -> None:
    """``hiql.load`` with the zip's checksums switched off, so that damage gets past them to the readers behind."""
    check = zipfile.ZipExtFile._update_crc
    zipfile.ZipExtFile._update_crc = lambda *_: None
    try:
        load_and_use(path)
    finally:
        zipfile.ZipExtFile._update_crc = check


def load_and_use(path: Path) -> None:
    """What loads as a model works as one: on its own codes, for animals it knows and one it does not, live and not."""
    model = hiql.load(path)
    rng, known = np.random.default_rng(0), model.coding_.example(12)
    codes = [rng.integers(-1, min(n, 1000), 12, dtype=np.int32) for n in (known.n_states, known.n_actions)]
    for subject in ("nobody", *model.coding_.subjects[:2]):
        data = replace(known, states=codes[0], actions=codes[1], subjects=(str(subject),))
        for probabilities in (model.filter_proba(data), model.smooth_proba(data), model.predict_action_proba(data)):
            assert np.isfinite(probabilities).all()
        assert np.isfinite(model.score(data))
        assert set(model.decode(data)) <= set(range(model.n_intentions))
        live = model.live(subject)
        inputs = dict.fromkeys(live.input_names, 0.5)
        for state, action in zip(*(row.tolist() for row in codes), strict=True):
            assert np.isfinite(live.step(state, action, inputs)).all()
            assert np.isfinite(live.predict(state, inputs)).all()


def freibox(folder: Path) -> list[bytes]:
    return [importers.write(folder / "a.csv", importers.session()).read_bytes()]


def nwb(folder: Path) -> list[bytes]:
    return [importers.write_nwb(folder / "a.nwb").read_bytes()]


def mapped_folder(name: str, damage: Damage = damaged) -> Target:
    """A folder of mapped arrays, one of whose files is damaged."""

    def sound(folder: Path) -> Path:
        if not folder.exists():
            Steps(extra=FURTHER_COLUMNS, subject="subject").read(pd.read_csv(io.StringIO(FURTHER))).save(folder)
        return folder

    def run(path: Path) -> None:
        folder = sound(path.parent / "opened")
        shutil.copy(path, folder / name)
        data = hiql.open_trajectories(folder)
        assert data.select(range(data.n_sessions)).n_observed == data.n_observed
        fit_quickly(data)

    return Target(run, lambda folder: [(sound(folder / "sound") / name).read_bytes()], Path(name).suffix, damage)


# --- an experiment, and the page ------------------------------------------------------------------------------------

LINES = [
    {"predict": {"state": 1, "inputs": {"light": 0.5, "tone": -1.0}}},
    {"state": 1, "action": 0, "inputs": {"light": 0.5, "tone": 1}, "contexts": {"cue": "on"}, "outcome": 1},
    {"state": None, "action": None, "inputs": [None, 2.0], "outcome": None},
    {"reset": True, "subject": "m1"},
    {"state": "2", "action": 1, "inputs": [0, 1], "contexts": {"cue": None}},
]


def lines(folder: Path) -> list[bytes]:
    """Of a running experiment; beside them lies the model that follows it."""
    for number, content in enumerate(models_of_all_kinds(folder)[-2:]):
        (folder / f"model{number}").write_bytes(content)
    return [b"".join(json.dumps(line).encode() + b"\n" for line in LINES)]


def converse(path: Path) -> None:
    """Every line has one answer, and an answer holds numbers or an error."""
    content = path.read_bytes()
    for number in range(2):
        answers = list(Conversation(hiql.load(path.with_name(f"model{number}"))).answers(io.BytesIO(content)))
        assert len(answers) == content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
        for answer in answers:
            json.dumps(answer, allow_nan=False)
    if any("error" in answer for answer in answers):
        raise Refused(max(answer.get("error", "") for answer in answers))


def upload(path: Path) -> None:
    """A table comes in and has a page, or is refused in words; then it is removed."""
    visitor = visitor_of(path.parent / "app")
    answer = visitor.send(path.read_bytes(), "table.csv")
    if answer.status_code == 422:
        raise Refused(answer.json()["error"])
    assert answer.status_code == 201, answer.text
    at = urlsplit(answer.json()["open"]).path.removeprefix(f"/{visitor.token}")
    page = visitor.get(at)
    assert page.status_code == 200, page.text
    assert visitor.post(f"{at}/read", {"role-0": "session", "role-2": "state", "role-3": "action"}).status_code < 500
    assert visitor.post(f"{at}/remove").status_code == 200
    if 'role="alert"' in page.text:
        raise Refused(shown(page))


@cache
def visitor_of(folder: Path) -> Visitor:
    return Visitor(folder)


TARGETS = {
    "read_table": Target(read_steps, steps, ".csv"),
    "bandit_trials": Target(read_trials, trials, ".csv"),
    "read_table, further columns": Target(read_further, further, ".csv"),
    "read_table, lying": Target(
        lambda path: fit_quickly(hiql.read_table(path, step="step")), steps, ".csv", lying_table
    ),
    "read_table, further columns, lying": Target(read_further, further, ".csv", lying_table),
    "load": Target(load_and_use, models, ".hiql"),
    "load, lying": Target(load_and_use, models_of_all_kinds, ".hiql", lying_model),
    "load without checksums": Target(load_ignoring_checksums, models, ".hiql"),
    "read_freibox": Target(read_freibox, freibox, ".csv"),
    "read_nwb": Target(lambda path: read_nwb(path, "side", "water"), nwb, ".nwb"),
    **{f"open_trajectories, {name}": mapped_folder(name) for name in ("states.npy", "offsets.npy", ABOUT)},
    f"open_trajectories, {ABOUT}, lying": mapped_folder(ABOUT, lying_lines),
    "hiql fit": Target(command_line("fit", "-k", "1", "--restarts", "1"), steps, ".csv"),
    "hiql live": Target(converse, lines, ".jsonl"),
    "hiql live, lying": Target(converse, lines, ".jsonl", lying_lines),
    "hiql app": Target(upload, all_tables, ".csv"),
    "hiql app, lying": Target(upload, all_tables, ".csv", lying_table),
}
