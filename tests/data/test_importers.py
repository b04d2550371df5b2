"""Session files of a FreiBox and in NWB: whole, partial and corrupt. The files are written here."""

from __future__ import annotations

import csv
import sys
from datetime import UTC, datetime

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.data.importers import read_freibox, read_nwb
from hiql.errors import BadSessionFile, BadTable, EmptyData, InvalidParameter

HEADER_LINE = (
    "Subject,Start_Date,Start_Time,End_Time,Training_Stage,Trial_nr,Licking_block_type,Lick_result,Light_on,"
    "Enter_NPP_time,Leave_NPP_time,Enter_LC_time,Omission_time,Auditory_cue,Error_time,Miss_time,Hit_time,"
    "Reward_delivery,Laser_on_time,Laser_off_time,Trial_end,Python_transfer_start,Python_transfer_end,"
    "Lick_array_correct_spout_response_window,Lick_array_incorrect_spout_response_window,"
    "Lick_array_correct_spout_anticipation,Lick_array_wrong_spout_anticipation,Lick_array_correct_spout_post_reward,"
    "Lick_array_wrong_spout_post_reward,ChamberLeave_array_Response_Window,Chamber_leave_array_anticipation,"
    "Chamber_leave_array_post_reward,Block_number,Block_length,First_block,ITI_length,Response_Window,Walking_time,"
    "Time_to_gate,Wait_antic,Post_rew,Hit,Lick,Pump,Cue,Sliding_window,Laser_time,Laser_block,Laser_prob,"
    "Reward_prob,Extra_info"
)
HEADER = next(csv.reader([HEADER_LINE]))
CORRECT, WRONG = HEADER[23], HEADER[24]
LEFT, RIGHT = 1, -1  # as the box writes its blocks


def trial(number, block, result, *, correct=(), wrong=(), omitted=False, rewarded=False, **cells):
    """One row as the box writes it; the time of the trial is ten seconds times its number."""
    row = dict.fromkeys(HEADER, "-1") | dict.fromkeys(HEADER[23:32], "[-1.0]")
    row |= {"Subject": "m7", "Start_Date": "31/08/2022", "Start_Time": "14:05:00", "Hit": "3", "Extra_info": ""}
    row |= {"Trial_nr": number, "Licking_block_type": block, "Lick_result": result}
    row |= {"Omission_time": 10.0 * number if omitted else -1, "Reward_delivery": 10.0 * number if rewarded else -1}
    row |= {name: repr(list(licks)) for name, licks in ((CORRECT, correct), (WRONG, wrong)) if licks}
    return row | cells


def session(**cells):
    """A hit, a miss without and one with licks, an error, both spouts (either first), an omission; then a new block."""
    rows = [
        trial(1, RIGHT, 3, correct=(10.1, 10.2, 10.3), rewarded=True),
        trial(2, RIGHT, 0),
        trial(3, RIGHT, 2, correct=(30.1, 30.2)),
        trial(4, RIGHT, -1, wrong=(40.1,)),
        trial(5, RIGHT, -2, correct=(50.1,), wrong=(50.4,)),
        trial(6, RIGHT, -2, correct=(60.4,), wrong=(60.1,)),
        trial(7, RIGHT, 0, omitted=True),
        trial(8, LEFT, 4, correct=(80.1, 80.2, 80.3, 80.4), rewarded=True),
        trial(9, LEFT, 3, correct=(90.1, 90.2, 90.3)),
        trial(10, LEFT, -1, wrong=(100.1,), rewarded=True),
    ]
    return [row | cells for row in rows]


def write(path, rows, header=HEADER):
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, header, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def path(tmp_path):
    return write(tmp_path / "m7" / "2022_08_31__14_05_00_m7_behavior.csv", session())


# --- FreiBox, well-formed -----------------------------------------------------------------------------------------


def test_the_header_has_51_names():
    assert len(HEADER) == len(set(HEADER)) == 51


def test_every_kind_of_trial(path):
    table = read_freibox(path)
    assert list(table.columns) == ["subject", "session", "trial", "block", "correct_side", "choice", "reward"]
    assert set(table["subject"]) == {"m7"}
    assert set(table["session"]) == {"2022-08-31 14:05:00"}
    assert table["trial"].tolist() == list(range(1, 11))
    assert table["block"].tolist() == [0] * 7 + [1] * 3
    assert table["correct_side"].tolist() == [1] * 7 + [0] * 3
    assert table["choice"].fillna(-1).tolist() == [1, -1, -1, 0, 1, 0, -1, 0, 0, 1]
    assert table["reward"].tolist() == [1, 0, 0, 0, 0, 0, 0, 1, 0, 1]


def test_misses_with_licks_can_count_as_choices(path):
    assert read_freibox(path, misses="choice")["choice"].fillna(-1).tolist() == [1, -1, 1, 0, 1, 0, -1, 0, 0, 1]
    with pytest.raises(InvalidParameter, match="misses is 'drop'; choose 'missing' or 'choice'"):
        read_freibox(path, misses="drop")


def test_it_is_ready_for_bandit_trials(path):
    data = hiql.bandit_trials(read_freibox(path), history=1)
    assert data.actions.tolist() == [1, -1, -1, 0, 1, 0, -1, 0, 0, 1]
    assert [data.state_labels[s] for s in data.states] == ["·", "1+", "1+", "1+", "0-", "1-", "0-", "0-", "0+", "0-"]


@pytest.mark.parametrize(("hit", "third"), [("2", 1), ("", -1), ("4", -1)])
def test_the_number_of_licks_for_a_hit(tmp_path, hit, third):
    table = read_freibox(write(tmp_path / "a.csv", session(Hit=hit)))
    assert table["choice"].fillna(-1)[2] == third
    assert table["choice"].fillna(-1)[0] == (-1 if hit == "4" else 1)


def test_only_the_needed_columns_are_needed(tmp_path, path):
    few = ["Subject", "Start_Date", "Start_Time", "Trial_nr", "Licking_block_type", "Lick_result", "Omission_time"]
    short = write(tmp_path / "short.csv", session(), [*few, "Reward_delivery", CORRECT, WRONG])
    pd.testing.assert_frame_equal(read_freibox(short), read_freibox(path))


def test_folders_lists_and_order(tmp_path, path):
    other = write(tmp_path / "m2" / "b.csv", session(Subject="2", Start_Date="2022-09-01"))
    table = read_freibox(tmp_path)
    assert table["subject"].unique().tolist() == ["2", "m7"]
    assert table["session"].unique().tolist() == ["2022-09-01 14:05:00", "2022-08-31 14:05:00"]
    pd.testing.assert_frame_equal(read_freibox([other, str(path)]), table)
    pd.testing.assert_frame_equal(read_freibox([tmp_path, path]), table)
    assert hiql.bandit_trials(table, history=2).n_sessions == 2


# --- FreiBox, partial and corrupt ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "cells", "message"),
    [
        (4, {"Lick_result": ""}, "row 4: Lick_result is empty; the row is cut short"),
        (4, {"Lick_result": "many"}, "row 4: Lick_result is 'many'; it should be a number"),
        (4, {"Lick_result": 1.5}, "row 4: Lick_result is '1.5'; it should be a whole number"),
        (4, {"Lick_result": -3}, r"row 4: Lick_result is '-3'; it should be -2, -1, 0, 1, …"),
        (2, {"Licking_block_type": 0}, r"row 2: Licking_block_type is '0'; it should be -1 \(right\) or 1 \(left\)"),
        (2, {"Omission_time": "inf"}, "row 2: Omission_time is 'inf'; it should be a number"),
        (2, {"Hit": "three"}, "row 2: Hit is 'three'; it should be a number"),
        (5, {CORRECT: "[-1.0]"}, rf"row 5: Lick_result is -2, both spouts, but {CORRECT} '\[-1.0\]' holds no lick"),
        (1, {CORRECT: "[__import__('os')]"}, rf"row 1: {CORRECT} .*__import__.* is not a list of numbers"),
        (1, {CORRECT: "[1.0, 'x']"}, "is not a list of numbers; give a list of times in seconds"),
        (1, {CORRECT: "[true]"}, "is not a list of numbers"),
        (1, {CORRECT: "[NaN]"}, "is not a list of numbers"),
        (1, {CORRECT: "[1e999]"}, "is not a list of numbers"),
        (1, {CORRECT: "[[1.0]]"}, "is not a list of numbers"),
        (1, {CORRECT: "[" * 9000}, "is not a list of numbers"),
        (1, {CORRECT: f"[{'1,' * 6000}1]"}, "is not a list of numbers"),
        (1, {CORRECT: "10.1"}, "is not a list of numbers"),
        (3, {"Trial_nr": 2}, "row 3: Trial_nr is '2'; trials should be numbered 1, 2, 3, … in order"),
        (1, {"Trial_nr": 5}, "row 1: Trial_nr is '5'"),
        (6, {"Subject": "m8"}, "row 6: Subject is 'm8'; it is 'm7' in row 1: keep one session a file"),
        (6, {"Start_Time": "15:00:00"}, "row 6: Start_Time is '15:00:00'"),
    ],
)
def test_a_bad_cell_is_named(tmp_path, path, row, cells, message):
    rows = session()
    rows[row - 1] |= cells
    bad = write(tmp_path / "m7" / "bad.csv", rows)
    with pytest.raises(BadSessionFile, match=message) as error:
        read_freibox([path, bad])
    assert error.value.details["path"] == str(bad)
    assert error.value.details["row"] == row


def test_an_impossible_start(tmp_path):
    with pytest.raises(BadSessionFile, match=r"a.csv, row 1: Start_Date, Start_Time '31/31/2022 14:05:00' is no time"):
        read_freibox(write(tmp_path / "a.csv", session(Start_Date="31/31/2022")))


def test_a_lost_trial(tmp_path):
    rows = session()
    del rows[5]
    with pytest.raises(BadSessionFile, match=r"row 6: Trial_nr is '7'; .*restore the rows that are missing"):
        read_freibox(write(tmp_path / "a.csv", rows))


@pytest.mark.parametrize("keep", range(1, 12))
def test_a_file_cut_anywhere_in_its_last_row_is_refused(path, keep):
    """Up to the last needed cell; after it nothing is lost."""
    text = path.read_text().rstrip("\n")
    start = text.rindex("\nm7,") + 1
    end = text.index("[100.1]", start)
    path.write_text(text[: start + keep * (end - start) // 11])
    with pytest.raises(BadSessionFile, match=r"_behavior\.csv"):
        read_freibox(path)


def test_missing_columns_and_rows(tmp_path):
    without = write(tmp_path / "a.csv", session(), [name for name in HEADER if name != "Omission_time"])
    with pytest.raises(BadSessionFile, match=r"a\.csv: there is no column 'Omission_time'; a FreiBox file has Subject"):
        read_freibox(without)
    with pytest.raises(BadSessionFile, match=r"b\.csv: there are no trials; leave out"):
        read_freibox(write(tmp_path / "b.csv", []))


@pytest.mark.parametrize("content", [b"", b"\x00\xff\xfe\x12" * 50, b'a,b\n1,"2\n', b"\n\n"])
def test_files_that_are_no_table(tmp_path, content):
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(BadSessionFile, match=r"a\.csv"):
        read_freibox(tmp_path)


def test_the_same_session_twice(tmp_path, path):
    copy = write(tmp_path / "copy.csv", session())
    with pytest.raises(BadSessionFile, match=r"session '2022-08-31 14:05:00' of subject 'm7' was already read from"):
        read_freibox([path, copy])


def test_no_files(tmp_path):
    with pytest.raises(EmptyData, match=r"holds no \.csv file"):
        read_freibox(tmp_path)
    with pytest.raises(EmptyData, match="no session file was given"):
        read_freibox([])
    with pytest.raises(BadSessionFile, match="there is no such file; check the path"):
        read_freibox(tmp_path / "none.csv")


# --- NWB ----------------------------------------------------------------------------------------------------------


def write_nwb(path, *, subject="m1", session_id=None, columns=None, ragged=False):
    """One session with pynwb: 6 trials, choices and outcomes under a laboratory's own names."""
    from pynwb import NWBHDF5IO, NWBFile
    from pynwb.file import Subject

    file = NWBFile(
        session_description="a bandit",
        identifier=path.stem,
        session_start_time=datetime(2024, 5, 1, tzinfo=UTC),
        session_id=session_id,
    )
    if subject is not None:
        file.subject = Subject(subject_id=subject, species="Mus musculus", sex="F", age="P90D")
    columns = {"side": ["L", "R", "R", "L", "", "R"], "water": [0, 1, 1, 0, 0, 1]} if columns is None else columns
    for name in columns:
        file.add_trial_column(name, "what the mouse did", index=ragged)
    for i, values in enumerate(zip(*columns.values(), strict=True)):
        cells = {name: [v, v] if ragged else v for name, v in zip(columns, values, strict=True)}
        file.add_trial(start_time=float(i), stop_time=i + 0.5, **cells)
    with NWBHDF5IO(str(path), "w") as io:
        io.write(file)
    return path


def test_nwb_there_and_back(tmp_path):
    write_nwb(tmp_path / "one.nwb")
    write_nwb(tmp_path / "two.nwb", subject="m2", session_id="day 3")
    table = read_nwb(tmp_path, choice="side", outcome="water", keep=["start_time"])
    assert list(table.columns) == ["subject", "session", "trial", "choice", "reward", "start_time"]
    assert table["subject"].tolist() == ["m1"] * 6 + ["m2"] * 6
    assert table["session"].tolist() == ["one"] * 6 + ["day 3"] * 6
    assert table["trial"].tolist() == [1, 2, 3, 4, 5, 6] * 2
    assert table["choice"].tolist() == ["L", "R", "R", "L", "", "R"] * 2
    assert table["start_time"].tolist() == [0, 1, 2, 3, 4, 5] * 2
    data = hiql.bandit_trials(table, history=1)
    assert data.action_labels == ("L", "R")
    assert data.actions.tolist() == [0, 1, 1, 0, -1, 1] * 2
    assert data.subjects == ("m1", "m2")


def test_nwb_names_from_trial_columns(tmp_path):
    columns = {"c": [0.0, np.nan], "r": [1, 0], "animal": ["x", "x"], "day": [4, 4]}
    path = write_nwb(tmp_path / "a.nwb", subject=None, columns=columns)
    table = read_nwb(path, "c", "r", subject="animal", session="day")
    assert table[["subject", "session"]].to_numpy().tolist() == [["x", 4]] * 2
    assert table["choice"].isna().tolist() == [False, True]
    columns["day"] = [4, 5]
    several = write_nwb(tmp_path / "b.nwb", columns=columns)
    with pytest.raises(BadSessionFile, match=r"b\.nwb: it holds trials of several values of 'day'; write one session"):
        read_nwb(several, "c", "r", session="day")


def test_nwb_files_that_lack_something(tmp_path):
    path = write_nwb(tmp_path / "a.nwb")
    with pytest.raises(BadSessionFile, match=r"a\.nwb: no column 'sides' for choice; did you mean 'side'\?"):
        read_nwb(path, "sides", "water")
    with pytest.raises(BadSessionFile, match=r"no column 'reward' for reward; .*read_nwb\(…, outcome=…\)"):
        read_nwb(path, "side", "reward")
    nobody = write_nwb(tmp_path / "b.nwb", subject=None)
    with pytest.raises(BadSessionFile, match=r"b\.nwb: it does not say whose session it is .*; add the subject"):
        read_nwb([path, nobody], "side", "water")
    idle = write_nwb(tmp_path / "c.nwb", columns={})
    with pytest.raises(BadSessionFile, match=r"c\.nwb: it has no trials; add them"):
        read_nwb(idle, "side", "water")
    ragged = write_nwb(tmp_path / "d.nwb", ragged=True)
    with pytest.raises(BadSessionFile, match=r"d\.nwb, row 1: side holds 2 values; choose a column with one value"):
        read_nwb(ragged, "side", "water")


@pytest.mark.parametrize("share", [0.0, 0.5, 0.98])
def test_damaged_nwb_files(tmp_path, share):
    content = write_nwb(tmp_path / "a.nwb").read_bytes()
    (tmp_path / "a.nwb").write_bytes(content[: int(share * len(content))])
    with pytest.raises(BadSessionFile, match=r"a\.nwb: it cannot be read as NWB .*; write it again with pynwb"):
        read_nwb(tmp_path, "side", "water")


def test_without_pynwb_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynwb", None)
    with pytest.raises(BadTable, match=r'needs pynwb; install it with: pip install "hiql\[nwb\]"'):
        read_nwb(tmp_path, "side", "water")
