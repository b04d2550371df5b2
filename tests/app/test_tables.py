"""Tables come in, are understood and corrected; names and files of users do no harm."""

from __future__ import annotations

import errno
import gzip
import io
import re

import numpy as np
import pandas as pd
import pytest

from hiql.app import forms, server
from hiql.app.uploads import check_unpacked
from hiql.app.workspace import READ, read_json, safe_name
from hiql.errors import BadTable
from tests.app.site import TRACK, Visitor, shown
from tests.cli.test_commands import run_json
from tests.report.problems import HOSTILE, IMAGE


@pytest.fixture
def visitor(tmp_path):
    return Visitor(tmp_path / "app")


def everything_in(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_table_is_understood(visitor):
    path = visitor.opened(TRACK, "mice.csv")
    page = shown(visitor.get(path))
    for words in ("mice.csv", "80 steps", "4 sessions", "3 states visited", "2 actions", "What to try"):
        assert " ".join(reversed(words.split(" ", 1))) in page or words in page, words
    assert "hiql select mice.csv" in page
    assert "mice.csv" in shown(visitor.get())


def test_every_clock_has_a_name_on_the_page():
    assert set(forms.CLOCKS) == set(forms.DYNAMICS)


def test_columns_can_be_corrected(visitor):
    path = visitor.opened("run,where,did\n" + "a,1,x\na,2,y\na,1,x\nb,2,x\nb,1,y\n" * 3)
    assert "no column 'state'" in shown(visitor.get(path))
    assert "Find the intentions" not in shown(visitor.get(path))
    visitor.post(f"{path}/read", {"role-0": "session", "role-1": "state", "role-2": "action"})
    page = shown(visitor.get(path))
    assert "Find the intentions" in page
    assert "hiql select table.csv --session=run --state=where --action=did --out=results" in page
    visitor.post(f"{path}/read", {"role-0": "session", "role-1": "", "role-2": "action"})
    assert "--state=none" in shown(visitor.get(path))
    visitor.post(f"{path}/read", {"role-0": "session", "role-1": "nonsense", "role-2": "action"})
    assert "--state=none" in shown(visitor.get(path))


def test_a_column_that_is_put_aside_stays_aside_whatever_its_name(visitor, tmp_path):
    """Recognised by their names: a stimulus, a step, an outcome."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"session": np.repeat(range(4), 30), "trial": [*range(30)] * 4, "stimulus": rng.normal(size=120)}
    )
    table = table.assign(choice=rng.integers(0, 2, 120), reward=rng.integers(0, 2, 120))
    path = visitor.opened(table.to_csv(index=False))
    roles = [each["role"] for each in read_json(visitor.place(path).folder / READ)["columns"]]
    assert roles == ["session", "step", "inputs", "choice", "outcome"]
    roles = ["session", "", "", "choice", "outcome"]
    visitor.post(f"{path}/read", {f"role-{i}": role for i, role in enumerate(roles)})
    assert [each["role"] for each in read_json(visitor.place(path).folder / READ)["columns"]] == roles
    options = "--session=session --step=none --choice=choice --outcome=reward --inputs=none"
    assert f"hiql select table.csv {options}" in shown(visitor.get(path))
    table.to_csv(tmp_path / "table.csv", index=False)
    assert run_json("info", tmp_path / "table.csv", *options.split())["unused_columns"] == ["trial", "stimulus"]
    visitor.post(f"{path}/read", {f"role-{i}": role for i, role in enumerate(["session", "", "", "choice", ""])})
    assert "outcome is 'none'" in shown(visitor.get(path))


@pytest.mark.parametrize("form", [{"missing": "7"}, {"memory": "often"}, {"missing": "x" * 3000}, {"missing": "\0"}])
def test_what_makes_no_sense_is_said(visitor, form):
    path = visitor.opened(TRACK)
    roles = {"role-0": "session", "role-1": "state", "role-2": "action"}
    answer = visitor.post(f"{path}/read", roles | form)
    assert answer.status_code in (200, 422)
    assert 'role="alert"' in answer.text
    assert visitor.get(path).status_code == 200


@pytest.mark.parametrize(
    "name", [HOSTILE, IMAGE, "../../../../etc/cron.d/x", "C:\\x\\con.csv", "\0", "-rf", "token", "a" * 5000, "🐭"]
)
def test_a_hostile_name_is_shown_and_goes_nowhere(visitor, name, tmp_path):
    path = visitor.opened(TRACK, name)
    for page in (visitor.get(path), visitor.get()):
        assert "<script>window" not in page.text
        assert "<img src=x" not in page.text
        assert (
            name[:100] in shown(page) or " ".join(name[:100].split()) in shown(page) or name in (HOSTILE, IMAGE, "\0")
        )
    app = tmp_path / "app"
    assert {file.relative_to(app).parts[0] for file in everything_in(tmp_path) if file.parent != app} == {path[8:]}
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]*", visitor.place(path).table.name)
    assert visitor.get(f"{path}/files/{visitor.place(path).table.name}").text == TRACK


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("mice 3.csv", "mice_3.csv"),
        ("Mäuse.CSV.GZ", "M_use.csv.gz"),
        ("../../x.parquet", "x.parquet"),
        ("con.csv", "table.csv"),
        (".csv", "csv.table"),
        ("", "table.table"),
        ("--out=x", "out_x.table"),
        ("about.json", "about.json.table"),
        ("results", "results.table"),
    ],
)
def test_safe_names(name, safe):
    assert safe_name(name) == safe


def test_hostile_cells_and_columns_are_text(visitor):
    table = pd.DataFrame({"session": ["a"] * 30, HOSTILE: [IMAGE, "b", "c"] * 10, "action": ["x", HOSTILE] * 15})
    path = visitor.opened(table.to_csv(index=False))
    visitor.post(f"{path}/read", {"role-0": "session", "role-1": "state", "role-2": "action"})
    page = visitor.get(path)
    assert "<script>window" not in page.text
    assert "<img src=x" not in page.text
    assert "Find the intentions" in shown(page)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 1000,
        b"PK\x03\x04" + b"x" * 100,
        b"\x80\x04\x95pickle",
        b"PAR1" + b"x" * 100,
        b"\x1f\x8b" + b"x" * 100,
        b"a\n1\n",
    ],
    ids=["empty", "zeros", "zip", "pickle", "parquet", "gzip", "one column"],
)
def test_what_is_no_table_is_said(visitor, content):
    answer = visitor.send(content, "x.csv")
    text = answer.json().get("error") or shown(visitor.get(answer.json()["open"].removeprefix(f"/{visitor.token}")))
    assert re.search(r"empty|not|no |single|damaged|zip", text)
    assert str(visitor.workspace.folder) not in text


def test_a_table_that_is_too_large_is_refused_as_it_comes_and_leaves_nothing(tmp_path):
    visitor = Visitor(tmp_path / "app", most=10_000)

    def endless():
        for _ in range(1000):
            yield b"x" * 1000

    for content in (b"x" * 20_000, endless()):
        answer = visitor.post("/tables", params={"name": "big.csv"}, content=content)
        assert answer.status_code == 422
        assert "larger than" in shown(answer)
    assert visitor.workspace.places() == []
    assert [path.name for path in everything_in(tmp_path)] == ["token"]


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused_unread(tmp_path):
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"0" * 3_000_000) * 4)
    with pytest.raises(BadTable, match="larger than"):
        check_unpacked(bomb, most=10_000_000)
    check_unpacked(bomb, most=12_000_000)
    pytest.importorskip("pyarrow")
    content = io.BytesIO()
    pd.DataFrame({"a": np.zeros(100_000), "b": 1}).to_parquet(content)
    bomb.write_bytes(content.getvalue())
    with pytest.raises(BadTable, match="200,000 cells"):
        check_unpacked(bomb, most_cells=199_999)


@pytest.mark.parametrize(
    "path",
    [
        "/files/about.json",
        "/files/..%2f..%2ftoken",
        "/files/%2e%2e%2fabout.json",
        "/files/%2fetc%2fpasswd",
        "/report",
        "/files/",
        "/nothing",
    ],
)
def test_no_other_file_can_be_taken(visitor, path):
    assert visitor.get(visitor.opened(TRACK) + path).status_code in (403, 404, 405)


@pytest.mark.parametrize("key", ["%2e%2e", "0" * 16, "token", "A" * 16, "../app"])
def test_no_other_folder_is_a_table(visitor, key):
    visitor.opened(TRACK)
    assert visitor.get(f"/tables/{key}").status_code == 404
    assert visitor.post(f"/tables/{key}/remove").status_code == 404


def test_a_full_disk_is_said_and_nothing_is_left(visitor, monkeypatch, tmp_path):
    async def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(server, "receive", full)
    answer = visitor.send(TRACK)
    assert answer.status_code == 507
    assert "disk is full" in answer.json()["error"]
    assert visitor.workspace.places() == []


def test_a_table_can_be_removed(visitor, tmp_path):
    path = visitor.opened(TRACK)
    visitor.post(f"{path}/remove")
    assert visitor.get(path).status_code == 404
    assert [file.name for file in everything_in(tmp_path)] == ["token"]


@pytest.mark.parametrize(
    "form", ["name=nothing", "name=" + "x" * 2_000_000, "&".join(f"a{i}=1" for i in range(5000)), "%ff=%00"]
)
def test_odd_forms_are_refused(visitor, form):
    answer = visitor.post("/examples", content=form.encode())
    assert answer.status_code in (400, 404, 413)
