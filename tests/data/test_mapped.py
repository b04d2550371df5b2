"""Data that stay on the disk: the same answers, in little memory, and damaged folders refused."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import hiql
from hiql.data import trajectories
from hiql.data.blocks import give_back, in_blocks, mapped_file
from hiql.errors import BadTable, ColumnNotFound, DataFolderError, EmptyData, HiqlError
from tests.data.test_columns import assert_same
from tests.problems import switching_data

ARRAYS = ("states", "actions", "next_states", "offsets")


def same(one, other):
    for name in ARRAYS:
        assert_array_equal(getattr(one, name), getattr(other, name))
    for name in ("n_states", "n_actions", "session_names", "subjects", "state_labels", "action_labels"):
        assert getattr(one, name) == getattr(other, name), name
    assert (one.intentions is None) == (other.intentions is None)


@pytest.fixture
def streamed(monkeypatch):
    """Small mapped data are treated like large ones, in blocks that do not divide anything."""
    monkeypatch.setattr(trajectories, "MOST_REMEMBERED", 0)
    monkeypatch.setattr(trajectories, "BLOCK", 37)
    monkeypatch.setattr("hiql.data.blocks.in_blocks.__kwdefaults__", {"size": 37})


@pytest.fixture
def folder(tmp_path):
    data = hiql.Trajectories.from_arrays(
        [[0, 1, 2, -1], [2], [1, 0]],
        [[1, 0, 1, 0], [0], [1, -1]],
        subjects=["a", "b", "a"],
        session_names=["x", "y", "ζ"],
        state_labels=["home", 3, 2.5],
        intentions=[[0, 0, 1, 1], [1], [0, 0]],
    )
    data.save(tmp_path / "data")
    return tmp_path / "data"


# --- the folder -----------------------------------------------------------------------------------------------


def test_what_was_saved_comes_back_and_stays_on_the_disk(folder):
    data = hiql.open_trajectories(folder)
    assert_array_equal(data.states, [0, 1, 2, -1, 2, 1, 0])
    assert_array_equal(data.intentions, [0, 0, 1, 1, 1, 0, 0])
    assert data.state_labels == ("home", 3, 2.5)
    assert data.session_names == ("x", "y", "ζ")
    for name in ("states", "actions", "next_states", "intentions"):
        assert mapped_file(getattr(data, name)) is not None
        assert not getattr(data, name).flags.writeable
    data.save(folder.with_name("copy"))
    same(hiql.open_trajectories(folder.with_name("copy")), data)


def test_a_folder_is_not_overwritten_and_leaves_nothing_half_done(folder, monkeypatch):
    data = hiql.open_trajectories(folder)
    with pytest.raises(DataFolderError, match="it exists already"):
        data.save(folder)
    monkeypatch.setattr("hiql.data.mapped.write_about", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        data.save(folder.with_name("other"))
    assert [path.name for path in folder.parent.iterdir()] == ["data"]


def damage(folder, name, change):
    path = folder / name
    content = path.read_bytes()
    path.write_bytes(change(content))


def about(change):
    return lambda content: json.dumps(json.loads(content) | change).encode()


def array(values, kind):
    def change(_):
        np.save("other.npy", np.array(values, dtype=kind))
        with open("other.npy", "rb") as file:
            return file.read()

    return change


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("states.npy", lambda content: content[:-4], "damaged"),
        ("states.npy", lambda content: b"", "damaged"),
        ("states.npy", lambda content: b"PK" + content, "damaged"),
        ("actions.npy", array([0] * 7, np.int64), "holds int64"),
        ("actions.npy", array([[0] * 7], np.int32), "of shape"),
        ("actions.npy", array([0] * 6, np.int32), "actions has length 6"),
        ("states.npy", array([7] * 7, np.int32), "state 7 at session 'x', step 0"),
        ("states.npy", array([None] * 7, object), "damaged"),
        ("offsets.npy", array([1, 4, 5, 7], np.int64), r"offsets\[0\] is 1"),
        ("offsets.npy", array([0, 2**63 - 1, -(2**63), 7], np.int64), "has no steps"),
        ("offsets.npy", array([0, 4, 5, 9], np.int64), "other|sessions has length 9"),
        ("trajectories.json", lambda content: content[:-9], "damaged"),
        ("trajectories.json", lambda content: b"[]", "other kind"),
        ("trajectories.json", lambda content: b"\xff\xfe", "damaged"),
        ("trajectories.json", about({"version": 99}), "newer hiql"),
        ("trajectories.json", about({"version": "1"}), "damaged"),
        ("trajectories.json", about({"n_states": 3.0}), "wrong kind"),
        ("trajectories.json", about({"n_states": 2**31 - 1}), "more than 20000000 pairs"),
        ("trajectories.json", about({"n_states": 2}), "state 2|state_labels has length 3"),
        ("trajectories.json", about({"subjects": "abc"}), "wrong kind"),
        ("trajectories.json", about({"subjects": ["a"]}), "subjects has length 1"),
        ("trajectories.json", about({"state_labels": [[], 1, 2]}), "wrong kind"),
        ("trajectories.json", about({"input_names": [1]}), "wrong kind"),
        ("trajectories.json", about({"input_names": ["a"]}), "input_names has length 1"),
        ("trajectories.json", about({"context_labels": ["a"]}), "wrong kind"),
        ("trajectories.json", about({"outcome_labels": [{}]}), "wrong kind"),
        ("trajectories.json", about({"memory": {"of": []}}), "damaged"),
    ],
)
def test_damaged_folders_are_refused(folder, name, change, message, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    damage(folder, name, change)
    with pytest.raises(DataFolderError, match=message):
        hiql.open_trajectories(folder)


@pytest.mark.parametrize("name", [*(f"{name}.npy" for name in (*ARRAYS, "intentions")), "trajectories.json"])
def test_incomplete_folders_are_refused(folder, name):
    (folder / name).unlink()
    with pytest.raises(DataFolderError, match=name):
        hiql.open_trajectories(folder)


def test_what_is_no_folder_is_refused(tmp_path):
    with pytest.raises(DataFolderError, match="there is no such folder"):
        hiql.open_trajectories(tmp_path / "none")


# --- blocks ---------------------------------------------------------------------------------------------------


def test_blocks_cover_an_array_once_and_its_pages_can_be_read_again(folder):
    states = hiql.open_trajectories(folder).states
    for _ in range(2):
        assert_array_equal(np.concatenate([part for _, (part,) in in_blocks(states, size=3)]), states)


def test_private_changes_to_a_mapping_are_not_given_back(tmp_path):
    np.save(tmp_path / "codes.npy", np.zeros(5000, dtype=np.int32))
    private = np.load(tmp_path / "codes.npy", mmap_mode="c")
    private[:] = 7
    give_back(private)
    assert mapped_file(private) is None
    assert (private == 7).all()


def test_mapped_arrays_of_the_users_own_stay_mapped(tmp_path):
    np.save(tmp_path / "codes.npy", np.arange(100, dtype=np.int32) % 4)
    codes = np.load(tmp_path / "codes.npy", mmap_mode="r")
    data = hiql.Trajectories(codes, codes, codes, np.array([0, 60, 100]), 4, 4, ("a", "b"), ("m", "m"))
    assert mapped_file(data.states) is not None


# --- the same answers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["HIAVI", "HIQL"])
def test_fits_are_the_same_to_the_last_bit(tmp_path, streamed, kind, monkeypatch):
    monkeypatch.setattr("hiql.engine.inference.STEPS_PER_CHUNK", 100)
    data, mdp = switching_problem()
    data.save(tmp_path / "data")
    mapped = hiql.open_trajectories(tmp_path / "data")
    options = {"mdp": mdp} if kind == "HIAVI" else {}
    make = {"n_init": 2, "patience": 2, "max_iter": 20, "progress": False}
    ours, theirs = (getattr(hiql, kind)(2, **options, **make).fit(d) for d in (mapped, data))
    assert ours.log_likelihood_ == theirs.log_likelihood_
    assert_array_equal(ours.reward_, theirs.reward_)
    assert_array_equal(ours.transition_, theirs.transition_)
    assert ours.score(mapped) == theirs.score(data)
    assert_array_equal(ours.smooth_proba(mapped), theirs.smooth_proba(data))
    assert_array_equal(ours.decode(mapped), theirs.decode(data))


def switching_problem():
    data, mdp, _ = switching_data(np.random.default_rng(0))
    return data, mdp


def test_parts_are_the_same(tmp_path, streamed):
    data, _ = switching_problem()
    data.save(tmp_path / "data")
    mapped = hiql.open_trajectories(tmp_path / "data")
    assert_array_equal(mapped.pairs_between(1, 3), data.pairs[data.offsets[1] : data.offsets[3]])
    assert "pairs" not in vars(mapped)
    assert_array_equal(mapped.pair_counts, data.pair_counts)
    assert mapped.n_observed == data.n_observed
    assert mapped.has_next_states == data.has_next_states
    same(mapped.select([2, 0]), data.select([2, 0]))


# --- bounded memory -------------------------------------------------------------------------------------------

PEAK = """
import sys, numpy as np, hiql
from hiql.dynamics import MarkovChain
from hiql.choices import TableChoice
from hiql.engine.problem import Problem
data = hiql.open_trajectories(sys.argv[1])
problem = Problem(data, MarkovChain(), TableChoice(), 3)
problem.step(problem.start(np.random.default_rng(0)))
print(data.has_next_states)
print(next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def peak_megabytes(folder):
    done = subprocess.run([sys.executable, "-c", PEAK, folder], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1]) / 1024


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_does_not_grow_with_the_steps(tmp_path):
    """A pass over 2·10^7 steps (240 MB of codes, 80 MB of pairs) needs little more than one over 4·10^4."""
    for name, n_sessions in (("small", 80), ("large", 40_000)):
        codes = np.tile(np.arange(500, dtype=np.int32) % 4, n_sessions)
        names = tuple(map(str, range(n_sessions)))
        offsets = np.arange(n_sessions + 1) * 500
        hiql.Trajectories(codes, codes, codes, offsets, 10, 4, names, names).save(tmp_path / name)
    peak_megabytes(tmp_path / "small")  # compiles, which takes memory of its own
    assert peak_megabytes(tmp_path / "large") - peak_megabytes(tmp_path / "small") < 120


# --- Parquet --------------------------------------------------------------------------------------------------


def table(**changes):
    rng = np.random.default_rng(0)
    n = 1000
    columns = {
        "mouse": np.repeat([f"m{i}" for i in range(4)], 250),
        "session": np.repeat(np.arange(40) % 10, 25),
        "state": pd.array(rng.integers(5, size=n), dtype="Int32"),
        "action": rng.integers(3, size=n).astype(float),
        "after": rng.integers(-1, 5, size=n),
    }
    frame = pd.DataFrame(columns | changes)
    if "state" not in changes:
        frame.loc[[3, 99], "state"] = pd.NA
    if "action" not in changes:
        frame.loc[[24, 500], "action"] = np.nan
    return frame


@pytest.fixture(params=[7, 100, 5000])
def batches(request, monkeypatch):
    monkeypatch.setattr("hiql.data.streaming.BLOCK", request.param)


@pytest.mark.usefixtures("batches")
@pytest.mark.parametrize("next_state", [None, "after"])
def test_a_streamed_table_is_what_read_table_reads(tmp_path, next_state):
    path = tmp_path / "steps.parquet"
    table().to_parquet(path, row_group_size=130)
    columns = {"subject": "mouse", "next_state": next_state, "n_states": 5, "n_actions": 3}
    columns |= {"missing": None if next_state is None else {"after": (-1,)}}
    streamed = hiql.stream_table(path, tmp_path / "data", **columns)
    same(streamed, hiql.read_table(path, **columns))
    same(hiql.open_trajectories(tmp_path / "data"), streamed)


def with_columns(**changes):
    rng = np.random.default_rng(1)
    dates = pd.date_range("2026-11-01", periods=40).astype(str)
    columns = {
        "light": rng.normal(size=1000),
        "side": rng.integers(-1, 2, 1000),
        "lit": rng.random(1000) < 0.5,
        "cue": rng.choice(["b", "a", None, "c"], 1000),
        "block": rng.choice([3, 1, 2], 1000),
        "reward": np.where(rng.random(1000) < 0.1, np.nan, rng.integers(0, 2, 1000)),
        "date": np.repeat(dates, 25),
        "nth": np.repeat(np.arange(40)[::-1], 25),
    }
    return table(**(columns | changes))


COLUMNS = {
    "inputs": ["light", "side", "lit"], "contexts": ["cue", "block"],
    "outcome": "reward", "order": "nth", "day": "date",
}  # fmt: skip


@pytest.mark.usefixtures("batches")
@pytest.mark.parametrize("state", ["state", None])
def test_a_streamed_table_has_all_columns(tmp_path, state):
    path = tmp_path / "steps.parquet"
    with_columns().to_parquet(path, row_group_size=130)
    streamed = hiql.stream_table(path, tmp_path / "data", subject="mouse", state=state, n_actions=3, **COLUMNS)
    read = hiql.read_table(path, subject="mouse", state=state or "none", action="action", n_actions=3, **COLUMNS)
    assert_same(streamed, read)
    assert streamed.session_days.tolist()[:12] == [*range(10), 0, 1]
    assert mapped_file(streamed.inputs) is not None


@pytest.mark.usefixtures("batches")
@pytest.mark.parametrize(
    ("changes", "columns", "message"),
    [
        ({"light": np.r_[np.zeros(601), np.nan, np.zeros(398)]}, {}, "input 'light' is nan at session '4', step 1"),
        ({"light": np.repeat("on", 1000)}, {}, "'light' holds values of type .*string, not numbers"),
        ({"reward": np.r_[np.zeros(601), np.inf, np.zeros(398)]}, {}, "outcome is inf at session '4', step 1"),
        ({"nth": np.r_[np.zeros(601, int), 1, np.zeros(398, int)]}, {}, "'nth' changes within session '4', at step 1"),
        ({"date": np.repeat("soon", 1000)}, {}, "neither numbers nor dates"),
        ({}, {"inputs": ["lihgt"]}, "did you mean 'light'"),
    ],
)
def test_columns_that_cannot_be_streamed_say_why_and_leave_nothing(tmp_path, changes, columns, message):
    path = tmp_path / "steps.parquet"
    with_columns(**changes).to_parquet(path)
    with pytest.raises(HiqlError, match=message):
        hiql.stream_table(path, tmp_path / "data", subject="mouse", **(COLUMNS | columns))
    assert not (tmp_path / "data").exists()


@pytest.mark.usefixtures("batches")
def test_streamed_inputs_may_be_missing_if_the_user_says_so(tmp_path):
    path = tmp_path / "steps.parquet"
    with_columns(light=np.r_[np.inf, np.zeros(998), np.nan]).to_parquet(path)
    data = hiql.stream_table(
        path, tmp_path / "data", subject="mouse", state=None, inputs="light", missing_inputs="skip"
    )
    assert np.flatnonzero(~data.observed).tolist() == [0, 24, 500, 999]


def test_a_lost_array_is_missed(tmp_path):
    hiql.Trajectories.from_arrays(None, [[0, 1]], inputs=[[1, 2]]).save(tmp_path / "data")
    (tmp_path / "data" / "inputs.npy").unlink()
    with pytest.raises(DataFolderError, match="inputs"):
        hiql.open_trajectories(tmp_path / "data")


@pytest.mark.usefixtures("batches")
@pytest.mark.parametrize(
    ("changes", "columns", "message"),
    [
        ({"state": np.r_[np.zeros(600), 0.5, np.zeros(399)]}, {}, "row 601: state 0.5 is not a whole number"),
        ({"state": np.r_[np.zeros(600, int), -2, np.zeros(399, int)]}, {}, "row 601: state -2 is outside"),
        ({"state": np.r_[np.zeros(600, int), 9, np.zeros(399, int)]}, {"n_states": 9}, "row 601: state 9 is outside"),
        ({"state": np.r_[np.zeros(600, int), 2**31, np.zeros(399, int)]}, {}, "row 601: state 2147483648 is outside"),
        ({"state": np.r_[np.zeros(600), np.inf, np.zeros(399)]}, {}, "row 601: state inf is"),
        ({"state": np.repeat("home", 1000)}, {}, "column 'state' holds values of type .*string"),
        ({"state": np.repeat(-1, 1000)}, {"missing": (-1,)}, "every state is missing"),
        ({"action": np.tile([-1, 1], 500)}, {}, "row 1: action -1.* is outside .* if it means not observed"),
        ({}, {"missing": {"action": (9,)}}, "9 does not occur in 'action'"),
        ({"state": np.arange(1000) * 100_000}, {}, "more than 20000000 pairs"),
        ({}, {"state": "sate"}, "did you mean 'state'"),
        ({}, {"subject": None}, "session '0' goes on|several values of 'mouse'"),
        ({"session": np.repeat("one", 1000)}, {"subject": None}, "row 251: session 'one' holds rows of several"),
        ({"session": np.tile([1, 2], 500)}, {}, "row 3: session '1' goes on"),
        ({"session": [None if i == 700 else "x" for i in range(1000)]}, {}, "row 701 has no session"),
        ({"session": [" " if i == 700 else "x" for i in range(1000)]}, {}, "row 701 has no session"),
        ({"mouse": ["m" if i != 70 else None for i in range(1000)]}, {}, "row 71 has no mouse"),
    ],
)
def test_tables_that_cannot_be_streamed_say_why_and_leave_nothing(tmp_path, changes, columns, message):
    path = tmp_path / "steps.parquet"
    table(**changes).to_parquet(path)
    with pytest.raises(HiqlError, match=message) as caught:
        hiql.stream_table(path, tmp_path / "data", **({"subject": "mouse"} | columns))
    assert isinstance(caught.value, BadTable | ColumnNotFound | EmptyData)
    assert [p.name for p in tmp_path.iterdir()] == ["steps.parquet"]


def test_files_that_are_no_tables_say_so(tmp_path):
    path = tmp_path / "steps.parquet"
    with pytest.raises(BadTable, match="there is no file"):
        hiql.stream_table(path, tmp_path / "data")
    path.write_bytes(b"session,state,action\n1,2,3\n")
    with pytest.raises(BadTable, match="not a Parquet file"):
        hiql.stream_table(path, tmp_path / "data")
    table()[:0].to_parquet(path)
    with pytest.raises(EmptyData, match="has no rows"):
        hiql.stream_table(path, tmp_path / "data")


def test_damage_inside_a_parquet_file_is_told(tmp_path):
    path = tmp_path / "steps.parquet"
    table().to_parquet(path, compression="gzip")
    content = bytearray(path.read_bytes())
    content[40 : len(content) // 2] = bytes(len(content) // 2 - 40)
    path.write_bytes(content)
    with pytest.raises(BadTable, match="damaged"):
        hiql.stream_table(path, tmp_path / "data", subject="mouse")
    assert [p.name for p in tmp_path.iterdir()] == ["steps.parquet"]
