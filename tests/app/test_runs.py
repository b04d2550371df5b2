"""Fits in processes of their own: the same files as the command line, whoever is killed."""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import zipfile
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

import pandas as pd
import pytest

from hiql.app import runs as running
from hiql.app.examples import EXAMPLES
from hiql.app.keeper import COMMANDS, ENDED, FOUND
from hiql.app.reader import Reader
from hiql.app.runs import Runs
from hiql.cli import app
from hiql.cli.simulate import SIMULATORS
from tests.app.light import odd
from tests.app.site import TRACK, Visitor, shown, until

QUICK = {"intentions": "1-2", "restarts": "1", "dynamics": "markov"}


def ended(visitor, path):
    """The state of a table when nothing is at work any more."""
    place = visitor.place(path)
    return until(lambda: state if (state := visitor.runs.state(place))["stage"] not in ("running", "waiting") else None)


@pytest.fixture
def visitor(tmp_path):
    visitor = Visitor(tmp_path / "app")
    yield visitor
    visitor.runs.close()


def run_here(place):
    """The commands of a table in this process, which has imported everything already."""
    before = Path.cwd()
    os.chdir(place.folder)
    try:
        for number, arguments in enumerate(json.loads(Path(COMMANDS).read_text())):
            with open(FOUND if number == 0 else os.devnull, "w") as file, redirect_stdout(file):
                app(arguments, standalone_mode=False)
    finally:
        os.chdir(before)
    (place.folder / ENDED).write_text('{"code": 0}')
    return subprocess.Popen([sys.executable, "-c", ""], stdin=subprocess.PIPE, start_new_session=True)


@pytest.fixture
def finished(visitor, monkeypatch):
    """The page of a table that went all the way."""
    monkeypatch.setattr(running, "_keeper", run_here)
    path = visitor.opened(TRACK, "my mice.csv")
    visitor.post(f"{path}/run", QUICK)
    assert ended(visitor, path) == {"stage": "done", "problem": ""}
    return path


def test_the_answer_and_the_files_are_there(visitor, finished):
    page = shown(visitor.get(finished))
    for words in ("What was found", "Read the report", "The model", "The decoded table", "selection.svg"):
        assert words in page, words
    report = visitor.get(f"{finished}/report")
    assert report.text.startswith("<!doctype html>")
    assert report.headers["Content-Security-Policy"].startswith("sandbox allow-scripts")
    assert "script-src &#x27;sha256-" in report.text
    packed = zipfile.ZipFile(io.BytesIO(visitor.get(f"{finished}/everything.zip").content))
    files = {"results/model.hiql", "results/decoded.csv", "results/selection.png", "commands.txt"}
    assert files <= set(packed.namelist())
    model = visitor.get(f"{finished}/files/model.hiql")
    assert "attachment" in model.headers["Content-Disposition"]
    assert model.content == packed.read("results/model.hiql")


@pytest.mark.slow
def test_the_commands_on_the_page_give_the_same_files(visitor, tmp_path):
    path = visitor.opened(TRACK, "my mice.csv")
    visitor.post(f"{path}/run", QUICK)
    assert ended(visitor, path) == {"stage": "done", "problem": ""}
    (tmp_path / "my_mice.csv").write_text(TRACK)
    packed = zipfile.ZipFile(io.BytesIO(visitor.get(f"{path}/everything.zip").content))
    for line in packed.read("commands.txt").decode().splitlines():
        assert line in shown(visitor.get(path))
        _, *arguments = shlex.split(line)
        subprocess.run([sys.executable, "-m", "hiql.cli", *arguments], cwd=tmp_path, check=True, capture_output=True)
    for name in ("selection.csv", "decoded.csv"):
        assert (tmp_path / "results" / name).read_bytes() == packed.read(f"results/{name}")


def test_no_option_can_be_slipped_in_and_a_run_that_cannot_be_done_says_why(visitor):
    path = visitor.opened(TRACK)
    before = visitor.place(path).about["wishes"]
    for form in ({"intentions": "1\n--cluster=tcp://evil:1"}, {"seed": "x" * 5000}):
        assert visitor.post(f"{path}/run", QUICK | form).status_code == 422
    assert visitor.place(path).about["wishes"] == before
    visitor.post(f"{path}/run", QUICK | {"out": "/tmp/x", "transitions": "/etc/passwd", "world": "moon --out=/tmp/x"})
    commands = json.loads((visitor.place(path).folder / "commands.json").read_text())[0]
    assert [each for each in commands if "/" in each] == ["--world=moon --out=/tmp/x"]  # one argument, of no use
    state = ended(visitor, path)
    assert state["stage"] == "failed"
    assert "moon" in state["problem"]
    assert "choose labyrinth" in shown(visitor.get(path))


SLEEP = """
import json, os, time
open("lives", "a").write(f"{os.getpid()}\\n")
open(os.environ["HIQL_PROGRESS"], "a").write(json.dumps({"done": 3, "total": 9, "at": 0}) + "\\n")
while not os.path.exists("enough"):
    time.sleep(0.02)
"""
"""A command that tells of its progress and sleeps until it is allowed to end."""
KEEPER = f"""
import subprocess, sys
from hiql.app import keeper
keeper.subprocess.call = lambda _, **options: subprocess.Popen([sys.executable, "-c", {SLEEP!r}], **options).wait()
sys.exit(keeper.main(keeper.Path(sys.argv[1])))
"""


@pytest.fixture
def sleepers(monkeypatch):
    """Commands sleep instead of fitting."""

    def start(place):
        arguments = [sys.executable, "-c", KEEPER, str(place.folder)]
        return subprocess.Popen(arguments, stdin=subprocess.PIPE, start_new_session=True)

    monkeypatch.setattr(running, "_keeper", start)


def lives(place):
    path = place.folder / "lives"
    return [int(line) for line in path.read_text().splitlines()] if path.exists() else []


def is_alive(pid):
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def running_one(visitor):
    path = visitor.opened(TRACK)
    visitor.post(f"{path}/run", QUICK)
    place = visitor.place(path)
    until(lambda: lives(place))
    until(lambda: visitor.runs.state(place).get("total"))
    return path, place


def test_progress_is_told(visitor, sleepers):
    path, _ = running_one(visitor)
    state = visitor.get(f"{path}/state").json()
    assert (state["stage"], state["done"], state["total"]) == ("running", 3, 9)
    assert state["told"] == "3 of 9 fits are done."
    assert "You may close this page" in shown(visitor.get(path))


def test_a_run_that_is_stopped_ends_with_all_it_started_and_can_go_on(visitor, sleepers):
    path, place = running_one(visitor)
    visitor.post(f"{path}/stop")
    until(lambda: not is_alive(lives(place)[0]))
    assert ended(visitor, path) == {"stage": "stopped"}
    assert "Stopped." in shown(visitor.get(path))
    (place.folder / "enough").touch()
    visitor.post(f"{path}/run")
    assert ended(visitor, path)["stage"] == "done"


def test_a_worker_that_was_killed_goes_on_once_and_then_says_so(visitor, sleepers):
    path, place = running_one(visitor)
    for life in (1, 2):
        pid = until(lambda n=life: lives(place)[n - 1 : n])[0]
        os.killpg(os.getpgid(pid), signal.SIGKILL)
    assert ended(visitor, path)["killed"]
    assert "ended from outside" in shown(visitor.get(path))
    (place.folder / "enough").touch()
    visitor.post(f"{path}/run")
    assert ended(visitor, path)["stage"] == "done"


def test_a_full_disk_is_said_and_the_run_goes_on_once_there_is_room(visitor, sleepers, monkeypatch):
    path, place = running_one(visitor)
    free = shutil.disk_usage(place.folder)
    monkeypatch.setattr(running.shutil, "disk_usage", lambda _: free._replace(free=5000))
    for life in (1, 2):
        pid = until(lambda n=life: lives(place)[n - 1 : n])[0]
        os.killpg(os.getpgid(pid), signal.SIGKILL)  # the keeper could not write how it ended
    assert ended(visitor, path)["killed"]
    assert "The disk is full. What was finished is kept" in shown(visitor.get(path))
    monkeypatch.setattr(running.shutil, "disk_usage", lambda _: free)
    (place.folder / "enough").touch()
    visitor.post(f"{path}/run")
    assert ended(visitor, path)["stage"] == "done"


def test_a_worker_ends_when_its_server_is_killed_and_goes_on_with_the_next(visitor, sleepers, tmp_path):
    path, place = running_one(visitor)
    visitor.runs._running[place.key].stdin.close()  # what the end of a process does
    visitor.runs._closed = True  # it takes nothing up any more
    until(lambda: not is_alive(lives(place)[0]))
    (place.folder / "enough").touch()
    again = Visitor(tmp_path / "app")
    assert again.runs.state(place)["stage"] == "failed"
    again.runs.resume()
    assert again.runs.state(place)["resumed"]
    assert ended(again, path)["stage"] == "done"
    assert len(lives(place)) > 1


def test_tables_wait_for_each_other(tmp_path, sleepers):
    visitor = Visitor(tmp_path / "app", runs=partial(Runs, at_once=1))
    paths = [visitor.opened(TRACK) for _ in range(2)]
    for path in paths:
        visitor.post(f"{path}/run", QUICK)
    first, second = map(visitor.place, paths)
    until(lambda: lives(first))
    assert visitor.runs.state(second)["stage"] == "waiting"
    assert "Waiting" in shown(visitor.get(paths[1]))
    for place in (first, second):
        (place.folder / "enough").touch()
    assert [ended(visitor, path)["stage"] for path in paths] == ["done", "done"]
    visitor.runs.close()


def test_examples_are_what_their_commands_write(tmp_path):
    for example in EXAMPLES.values():
        _, name, *options = example.command
        given = {key: int(value) for key, value in (option[2:].split("=") for option in options)}
        SIMULATORS[name](out=tmp_path / "it.csv", **given)
        made = pd.read_csv(io.StringIO(example.make().to_csv(index=False)))
        pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "it.csv"), made)


def test_an_example_can_be_opened(visitor):
    answer = visitor.post("/examples", {"name": "maze"})
    assert answer.status_code == 200
    page = shown(answer)
    assert "hiql simulate places --sessions=24 --steps=150 --out=places.csv" in page
    assert "Find the intentions" in page


def test_a_reader_that_dies_or_takes_too_long_is_replaced():
    reader = Reader(odd, patience=60)
    try:
        assert reader("abc", {})["rows"] == 3
        assert "more memory" in reader("die", {})["error"]
        assert reader("abc", {})["rows"] == 3
        reader._patience = 0.1
        assert "not read within" in reader("sleep", {})["error"]
    finally:
        reader.close()


SERVER = """
import os, signal
from hiql.app.reader import Reader
from tests.app.light import odd
if __name__ == "__main__":
    print(Reader(odd)("who", {})["error"], flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_reader_ends_with_a_server_that_is_killed(tmp_path):
    (tmp_path / "server.py").write_text(SERVER)
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, tmp_path / "server.py"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as server:
        pid = int(server.stdout.readline())
        server.wait()
    until(lambda: not is_alive(pid))
