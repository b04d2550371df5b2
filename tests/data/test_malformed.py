"""Files as people have them: each is read as it was meant, or refused with what is wrong and what to do."""

from __future__ import annotations

import gzip
import io
import zipfile

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import hiql
from hiql.data.described import MOST_PAIRS
from hiql.errors import BadTable, ColumnNotFound, EmptyData, StateOutOfRange

ROWS = "session,state,action\n1,0,0\n1,1,1\n2,1,0\n2,0,1\n2,1,1\n"
FRAME = pd.read_csv(io.StringIO(ROWS))
STATES = [0, 1, 1, 0, 1]


def rows(*lines, header="session,state,action"):
    return "\n".join([header, *lines]) + "\n"


def parquet(table=FRAME):
    pytest.importorskip("pyarrow")
    buffer = io.BytesIO()
    table.to_parquet(buffer)
    return buffer.getvalue()


def workbook():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    return buffer.getvalue()


def written(folder, content, name="table.csv"):
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def check_fit(data):
    """A quick fit of whatever was read gives numbers."""
    model = hiql.HIQL(min(2, data.n_observed), n_init=1, patience=0, max_iter=5, progress=False).fit(data)
    fitted = ("policy_", "reward_", "q_", "value_", "transition_", "initial_", "log_likelihood_")
    assert all(np.isfinite(getattr(model, name)).all() for name in fitted)
    assert np.isfinite(model.smooth_proba(data)).all()


# --- the same table, however it was written -------------------------------------------------------------------

SAME = {
    "tabs.csv": ROWS.replace(",", "\t"),
    "commas.tsv": ROWS,
    "semicolons.csv": ROWS.replace(",", ";"),
    "blank-lines.csv": "\n \n" + ROWS.replace(",", ";"),
    "commas-in-a-name.csv": rows(
        "1;0;0;x", "1;1;1;y", "2;1;0;z", "2;0;1;z", "2;1;1;z", header="session;state;action;one, two, three, four"
    ),
    "windows.csv": ROWS.replace("\n", "\r\n"),
    "old-mac.csv": ROWS.replace("\n", "\r"),
    "spaces-in-names.csv": ROWS.replace(",", ", "),
    "excel-unicode.txt": ROWS.replace(",", "\t").encode("utf-16"),
    "big-endian.txt": b"\xfe\xff" + ROWS.encode("utf-16-be"),
    "four-bytes.txt": ROWS.encode("utf-32"),
    "mark.csv": ROWS.encode("utf-8-sig"),
    "gzipped.csv": gzip.compress(ROWS.encode(), mtime=0),
    "unpacked.csv.gz": ROWS,
    "text.parquet": ROWS,
    "index.csv": FRAME.to_csv(),
    "delimiter-at-the-end.csv": ROWS.replace("\n", ",\n"),
    "line-in-a-cell.csv": rows('1,0,0,"a\nb"', "1,1,1,", "2,1,0,", "2,0,1,", "2,1,1,", header="session,state,action,x"),
    "other-columns-twice.csv": rows(
        "1,0,0,7,8", "1,1,1,7,8", "2,1,0,7,8", "2,0,1,7,8", "2,1,1,7,8", header="session,state,action,x,x"
    ),
    "interleaved.csv": rows("1,0,0", "2,1,0", "1,1,1", "2,0,1", "2,1,1"),
    "floats.csv": rows("1.0,0,0", "1,1,1", "2,1,0", "2.0,0,1", "2,1,1"),
    "booleans.csv": rows("1,FALSE,0", "1,TRUE,1", "2,TRUE,0", "2,FALSE,1", "2,TRUE,1"),
}


@pytest.mark.parametrize("name", SAME)
def test_a_table_is_read_however_it_was_written(tmp_path, name):
    data = hiql.read_table(written(tmp_path, SAME[name], name))
    assert data.session_names == ("1", "2")
    assert_array_equal(data.states, STATES)
    assert_array_equal(data.actions, FRAME["action"])
    check_fit(data)


@pytest.mark.parametrize("name", ["really.csv", "packed.parquet.gz"])
def test_parquet_is_known_by_its_bytes(tmp_path, name):
    content = parquet()
    path = written(tmp_path, gzip.compress(content) if name.endswith("gz") else content, name)
    assert_array_equal(hiql.read_table(path).states, STATES)


# --- odd values that have one meaning -------------------------------------------------------------------------

BIG = 2**60
VALUES = {
    "decimal commas": (["0,5", "1,5", "0,5"], [0, 1, 0], ("0,5", "1,5")),
    "fractions": (["1.5", "2.5", "1.5"], [0, 1, 0], (1.5, 2.5)),
    "negative": (["-2", "-3", "-2"], [1, 0, 1], (-3, -2)),
    "missing words": (["NA", "1", "0", "nan", "None", ""], [-1, 1, 0, -1, -1, -1], None),
    "mixed": (["0", "a", "2.5"], [0, 2, 1], ("0", "2.5", "a")),
    "beyond int64": ([f"{2**70}", f"{2**70 + 1}", "1"], [1, 2, 0], (1, 2**70, 2**70 + 1)),
    "beyond floats, with a gap": ([f"{BIG + 1}", f"{BIG}", ""], [1, 0, -1], (BIG, BIG + 1)),
    "as floats": ([f"{BIG + 1}.0", f"{BIG}.0", "x"], [1, 0, 2], (f"{BIG}.0", f"{BIG + 1}.0", "x")),
    "thousands of digits": (["9" * 5000, "1", "9" * 5000], [1, 0, 1], ("1", "9" * 5000)),
    "long text": (["b" * 100_000, "a", "b" * 100_000], [1, 0, 1], ("a", "b" * 100_000)),
    "constant": (["go", "go", "go"], [0, 0, 0], ("go",)),
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("column", ["state", "action"])
def test_odd_values_are_kept_apart(tmp_path, name, column):
    cells, codes, labels = VALUES[name]
    other = "action" if column == "state" else "state"
    lines = [f"1;{cell};{i % 2}" for i, cell in enumerate(cells)]
    data = hiql.read_table(written(tmp_path, rows(*lines, header=f"session;{column};{other}")))
    assert_array_equal(getattr(data, f"{column}s"), codes)
    assert getattr(data, f"{column}_labels") == labels
    check_fit(data)


def test_large_numbers_with_gaps_survive_parquet(tmp_path):
    table = pd.DataFrame({"session": 0, "state": pd.array([BIG + 1, BIG, None], dtype="Int64"), "action": [0, 1, 0]})
    data = hiql.read_table(written(tmp_path, parquet(table), "t.parquet"))
    assert data.state_labels == (BIG, BIG + 1)


@pytest.mark.parametrize("signs", [["+", "-", "+"], ["left", "none", "right"]])
def test_signs_and_words_can_be_values(tmp_path, signs):
    data = hiql.read_table(written(tmp_path, rows(*(f"1,0,{sign}" for sign in signs))))
    assert data.action_labels == tuple(sorted(set(signs)))


# --- sessions and subjects ------------------------------------------------------------------------------------


@pytest.mark.parametrize("names", [[1, "1", 1.0, np.int8(1)], ["a", " a", "a ", "a"], [True, "True", True, True]])
def test_names_that_are_written_alike_are_one_session(names):
    table = pd.DataFrame({"session": pd.Series(names, dtype=object), "state": [0, 1, 0, 1], "action": [0, 1, 1, 0]})
    assert hiql.Trajectories.from_dataframe(table).session_names == (str(names[0]),)
    assert hiql.Trajectories.from_dataframe(table.assign(day=1), session="day", subject="session").n_sessions == 1


def test_names_that_differ_in_writing_stay_apart(tmp_path):
    data = hiql.read_table(written(tmp_path, rows("1,0,0", "01,1,1", "x,0,1", "2020-01-01,1,0")))
    assert data.session_names == ("1", "01", "x", "2020-01-01")


@pytest.mark.parametrize("name", ["Subject", "mouse_id", "Animal ID", "ratID"])
def test_a_session_of_several_animals_is_noticed_whatever_the_column_is_called(tmp_path, name):
    path = written(tmp_path, rows("a,1,0,0", "b,1,1,1", header=f"{name},session,state,action"))
    with pytest.raises(BadTable, match=f"session '1' holds rows of several values of '{name}'; pass subject='{name}'"):
        hiql.read_table(path, subject="none")
    assert hiql.read_table(path).subjects == hiql.read_table(path, subject=name).subjects == ("a", "b")


@pytest.mark.parametrize("gap", ["", " ", "NA"])
def test_a_row_without_a_subject_is_named(tmp_path, gap):
    path = written(tmp_path, rows("a,1,0,0", f"{gap},1,1,1", header="subject,session,state,action"))
    with pytest.raises(BadTable, match=r"row 2 of the table .* has no subject; fill it in or drop the row"):
        hiql.read_table(path, subject="subject")


# --- what is refused ------------------------------------------------------------------------------------------

REFUSED = {
    "latin-1": (rows("1,mèche,0").encode("latin-1"), BadTable, "not UTF-8 text .byte 0xe8, line 2.; save it as a CSV"),
    "utf-16 without a mark": (ROWS.encode("utf-16-le"), BadTable, "damaged, or no text file .byte 0x00, line 1."),
    "utf-16 cut off": (ROWS.encode("utf-16")[:-1], BadTable, "not UTF-16 text"),
    "NUL bytes": (ROWS.encode() + b"\0" * 999, BadTable, "damaged, or no text file .byte 0x00, line 7."),
    "old end-of-file mark": (ROWS + "\x1a", BadTable, "damaged, or no text file .byte 0x1a, line 7."),
    "Excel": (workbook(), BadTable, "is a zip archive, as Excel workbooks are, .*; save it as a CSV"),
    "old Excel": (b"\xd0\xcf\x11\xe0" + bytes(99), BadTable, "is an old Excel workbook"),
    "HDF5": (b"\x89HDF\r\n\x1a\n" + bytes(99), BadTable, "is an HDF5 file"),
    "only line ends": ("\n\r\n \n", BadTable, "is empty"),
    "spaces between": (ROWS.replace(",", " "), BadTable, "single column, 'session state action'; separate the columns"),
    "no header": (ROWS.partition("\n")[2], BadTable, "all column names are numbers; add a header line"),
    "title line": ("# from the lab\n" + ROWS, BadTable, "more cells than its header line, '# from the lab'; begin"),
    "Excel's sep line": ("sep=,\n" + ROWS, BadTable, "more cells than its header line, 'sep=,'"),
    "long row": (rows("1,0,0", "1,1,1,1"), BadTable, "Expected 3 fields in line 3, saw 4.; correct it"),
    "open quote": (rows("1,0,0", '1,"1,1'), BadTable, "not a readable table .EOF inside string"),
    "two columns of a name": (rows("1,0,0,0", header="session,state,state,action"), BadTable, "2 columns 'state'"),
    "other words": (rows("1,0,0", header="Session,STAT,Action"), ColumnNotFound, "did you mean 'STAT'"),
    "names without letters": (rows(",,", header=",,"), ColumnNotFound, "none that has a name"),
    "endless name": (rows("1,2,3", header=f"session,{'s' * 9999},action"), ColumnNotFound, "^.{0,500}$"),
    "infinity": (rows("1,inf,0", "1,0,1"), BadTable, "state column holds infinity.*; correct it, or leave the cell"),
    "overflow": (rows("1,0,1e400", "1,0,1"), BadTable, "action column holds infinity"),
    "dash": (rows("1,-,0", "1,1,1"), BadTable, "'-' may be a value .*missing=.'-',. if it means not observed"),
    "dot": (rows("1,0,.", "1,1,1"), BadTable, "the action column holds 1, and '.' may be a value"),
    "dash among words": (rows("1,0,-", "1,1,left"), BadTable, "the action column holds left, and '-' may be a value"),
    "word among numbers": (rows("1,none,0", "1,7,1"), BadTable, "holds 7, and 'none' may be a value"),
    "spreadsheet error": (rows("1,#REF!,0", "1,a,1"), BadTable, "holds a, and '#REF!' may be a value"),
    "nothing observed": (rows("1,,", "1,,"), EmptyData, "every state or every action is missing"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_clear_meaning_is_refused(tmp_path, name):
    content, error, message = REFUSED[name]
    with pytest.raises(error, match=message):
        hiql.read_table(written(tmp_path, content))


@pytest.mark.parametrize("share", np.linspace(0.05, 0.99, 12))
def test_a_parquet_file_cut_off_anywhere_is_refused(tmp_path, share):
    content = parquet()
    with pytest.raises(BadTable, match=r"t\.parquet is cut off or damaged.*; write it again"):
        hiql.read_table(written(tmp_path, content[: int(share * len(content))], "t.parquet"))


def test_a_folder_is_called_one(tmp_path):
    with pytest.raises(BadTable, match="is a folder, not a file"):
        hiql.read_table(tmp_path)


@pytest.mark.parametrize(
    ("steps", "message"),
    [
        (["1", "inf", "inf"], "row 2 of the table .*: step 'inf' is not a number"),
        (["0,5", "1,5", "2"], "step '0,5' is not a number; number the steps .write 0.5, not 0,5"),
        (["1", "", "2"], "row 2 of the table"),
        (["3", "1", "3.0"], "step 3.* occurs twice in session '1'"),
    ],
)
def test_steps_that_do_not_order_a_session(tmp_path, steps, message):
    path = written(tmp_path, rows(*(f"1;0;0;{step}" for step in steps), header="session;state;action;step"))
    with pytest.raises(BadTable, match=message):
        hiql.read_table(path, step="step")


# --- known sizes: codes must stay what they are ---------------------------------------------------------------


@pytest.mark.parametrize("stray", ["x", '"1,000"', "2.5", f"{2**70}"])
def test_a_stray_cell_does_not_renumber_the_codes(tmp_path, stray):
    path = written(tmp_path, rows("1,3,0", f"1,{stray},1", "1,1,0"))
    with pytest.raises(BadTable, match="with n_states the numbers in the state column are codes, but it also holds"):
        hiql.read_table(path, n_states=5)


def test_a_code_beyond_the_known_size_is_located(tmp_path):
    with pytest.raises(StateOutOfRange, match="state 99 at session '1', step 1, is outside 0…4"):
        hiql.read_table(written(tmp_path, rows("1,3,0", "1,99,1")), n_states=5)


def test_a_hundred_thousand_states_are_fitted_and_senseless_sizes_refused(tmp_path):
    steps = np.arange(100_000)
    table = pd.DataFrame({"session": 1, "state": steps, "action": steps % 3})
    check_fit(hiql.Trajectories.from_dataframe(table))
    with pytest.raises(BadTable, match=f"100000 states × 100000 actions, more than {MOST_PAIRS} pairs; check that"):
        hiql.Trajectories.from_dataframe(table.assign(action=steps))


# --- trials of a bandit ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (rows("1,0,1", "1,-,0", header="session,choice,reward"), "choice column holds 0, and '-' may be a value"),
        (rows("1,0,1", "1,1,.", header="session,choice,reward"), "outcome column holds 1, and '.' may be a value"),
        (rows("1,0,inf", "1,1,0", header="session,choice,reward"), "outcome column holds infinity"),
        (rows("1,0,1", header="session,Choice,reward"), "no column 'choice' for choice; did you mean 'Choice'"),
        (rows("1,0,1", ",1,0", header="session,choice,reward"), "row 2 .* has no session"),
    ],
)
def test_trials_are_refused_in_the_same_words(tmp_path, content, message):
    with pytest.raises((BadTable, ColumnNotFound), match=message):
        hiql.bandit_trials(written(tmp_path, content), subject=None)


def test_trials_are_read_from_what_excel_writes(tmp_path):
    text = rows("1\t0\t1", "1\t\t0", "1\t1\t0", header="session\tchoice\t reward ")
    data = hiql.bandit_trials(written(tmp_path, text.encode("utf-16")), history=1, subject=None)
    assert_array_equal(data.actions, [0, -1, 1])
    check_fit(data)


@pytest.mark.parametrize("names", [("1.1", "1.10"), ("01", "1"), ("2.50", "2.5")])
def test_names_that_differ_only_as_written_stay_apart(tmp_path, names):
    path = tmp_path / "table.csv"
    path.write_text("session,state,action\n" + "".join(f"{name},{s},{s % 2}\n" for name in names for s in range(2)))
    assert hiql.read_table(path).session_names == names
