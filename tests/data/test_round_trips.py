"""Table → Trajectories → every store → back: all columns come back as they were."""

from __future__ import annotations

import pickle
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st

import hiql
from hiql.data.importers import read_nwb
from hiql.engine.parcels import Parcel
from hiql.export import decoding_table, write_steps
from tests.data.test_columns import assert_same

FLOATS = st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=False, width=64)
FEW = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)


@st.composite
def tables(draw) -> pd.DataFrame:
    """Behaviour with inputs (some missing), words, contexts, outcomes, and days that some sessions lack."""
    n = draw(st.integers(1, 25))

    def column(values):
        return draw(st.lists(values, min_size=n, max_size=n))

    table = pd.DataFrame(
        {
            "subject": column(st.sampled_from(["m1", "m 2"])),
            "session": column(st.integers(0, 2)),
            "state": column(st.sampled_from(["home", "maze", "7"])),
            "action": pd.Series(column(st.sampled_from(["left", "right", "x", None])), dtype=object),
            "light": column(st.one_of(FLOATS, st.just(np.nan))),
            "side": column(st.integers(-1, 1)),
            "cue": column(st.sampled_from(["go", "no-go"])),
            "block": pd.Series(column(st.sampled_from(["A", "B, C", None])), dtype=object),
            "phase": column(st.integers(3, 5)),
            "reward": column(st.sampled_from([0.0, 1.0, 0.5, np.nan])),
        }
    )
    assume(table["action"].notna().any() and table["block"].notna().any())
    days = draw(st.lists(st.sampled_from([1.0, 2.5, -3.0, np.nan]), min_size=6, max_size=6))
    orders = draw(st.lists(st.integers(0, 99), min_size=6, max_size=6))
    key = table["session"] + 3 * (table["subject"] == "m1")
    return table.assign(day=key.map(dict(enumerate(days))), nth=key.map(dict(enumerate(orders))))


def read(table: pd.DataFrame) -> hiql.Trajectories:
    return hiql.read_table(
        table, session="session", subject="subject", state="state", action="action", outcome="reward",
        inputs=["light", "side", "cue"], contexts=["block", "phase"], day="day", order="nth", missing_inputs="skip",
    )  # fmt: skip


def read_back(table: pd.DataFrame | Path, data: hiql.Trajectories, **names: str) -> hiql.Trajectories:
    """From the table that ``data`` made of themselves."""
    known = {"day": "day", "order": "session_order"}
    there = pd.DataFrame(columns=list(data.to_dataframe()))
    roles = {role: name for role, name in known.items() if name in there}
    columns = {"session": "session", "subject": "subject", "state": "state", "action": "action", "outcome": "outcome"}
    return hiql.read_table(
        table, **(columns | roles | {"next_state": "next_state"} | names), inputs=data.input_names,
        contexts=data.context_names, missing_inputs="skip",
    )  # fmt: skip


@FEW
@given(tables())
@pytest.mark.filterwarnings("ignore::hiql.errors.TableWarning")
def test_what_is_read_is_what_stands_in_the_table(table):
    data = read(table)
    rows = data.to_dataframe()
    table = table.assign(n=range(len(table)))
    first = table.groupby(["subject", "session"], sort=False)["n"].transform("min")
    ordered = table.iloc[np.lexsort((table["n"], first))].reset_index(drop=True)
    light = ordered["light"].to_numpy()
    assert np.array_equal(rows["light"], np.where(np.isfinite(light), light, np.nan), equal_nan=True)
    assert rows["side"].tolist() == ordered["side"].tolist()
    assert rows["block"].fillna("").tolist() == ordered["block"].fillna("").tolist()
    assert rows["phase"].tolist() == ordered["phase"].tolist()
    assert np.array_equal(rows["outcome"], ordered["reward"], equal_nan=True)
    assert data.observed.tolist() == (ordered["action"].notna() & np.isfinite(light)).tolist()
    order = data.session_order[data.session_of_step]
    assert order.tolist() == ordered["nth"].tolist()
    assert np.array_equal(data.session_days[data.session_of_step], ordered["day"], equal_nan=True)


@FEW
@given(tables(), st.sampled_from(["frame", "csv", "tsv", "csv.gz", "parquet"]))
@pytest.mark.filterwarnings("ignore::hiql.errors.TableWarning")
def test_tables_and_files(table, kind):
    data = read(table)
    frame = data.to_dataframe()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"steps.{kind}"
        source = frame if kind == "frame" else write_table(path, frame)
        assert_same(read_back(source, data), data)


def write_table(path: Path, frame: pd.DataFrame) -> Path:
    from hiql.export.files import write_table

    return write_table(path, frame)


@FEW
@given(tables(), st.booleans())
@pytest.mark.filterwarnings("ignore::hiql.errors.TableWarning")
def test_folders_pickles_and_parcels(table, with_memory):
    data = read(table)
    data = data.with_memory((2, 8.5)) if with_memory else data
    with tempfile.TemporaryDirectory() as folder:
        data.save(Path(folder) / "data")
        opened = hiql.open_trajectories(Path(folder) / "data")
        assert_same(opened, data)
        opened.save(Path(folder) / "again")
        assert_same(hiql.open_trajectories(Path(folder) / "again"), data)
    assert_same(pickle.loads(pickle.dumps(data)), data)
    assert_same(pickle.loads(pickle.dumps(Parcel(data))).value, data)
    everything = data.select(range(data.n_sessions))
    assert_same(everything, data)


@FEW
@given(tables())
@pytest.mark.filterwarnings("ignore::hiql.errors.TableWarning")
def test_streams(table):
    data = read(table)
    frame = data.to_dataframe().assign(state=data.states, action=data.actions, next_state=data.next_states)
    known = {"day": "day", "order": "session_order"}
    roles = {role: name for role, name in known.items() if name in frame}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "steps.parquet"
        frame.to_parquet(path)
        assume(not {-1} <= {data.actions.max(), data.states.max()})
        marks = {name: (-1,) for name in ("action", "next_state") if (frame[name] == -1).any()}
        streamed = hiql.stream_table(
            path, Path(folder) / "data", subject="subject", next_state="next_state", outcome="outcome",
            inputs=data.input_names, contexts=data.context_names, missing_inputs="skip", missing=marks,
            n_states=data.n_states, n_actions=data.n_actions, **roles,
        )  # fmt: skip
        for name in ("states", "actions", "next_states", "inputs", "contexts", "outcomes", "offsets"):
            assert np.array_equal(
                getattr(streamed, name), getattr(data, name), equal_nan=name in ("inputs", "outcomes")
            )
        assert np.array_equal(streamed.session_order, data.session_order)
        assert np.array_equal(streamed.session_days, data.session_days, equal_nan=True)
        assert (streamed.context_labels, streamed.subjects) == (data.context_labels, data.subjects)


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.generate])
@given(tables())
@pytest.mark.filterwarnings("ignore::hiql.errors.TableWarning")
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_neurodata_without_borders(table):
    pytest.importorskip("pynwb")
    data = read(table)
    assume(data.n_observed > 0)
    steps = decoding_table(hiql.HIQL(1).fit(data), data)
    when = [name for name in ("session_order", "day") if name in steps]
    keep = ["state", "next_state", *when, *data.context_names, *data.input_names]
    with tempfile.TemporaryDirectory() as folder:
        files = write_steps(Path(folder) / "decoded.nwb", steps)
        trials = read_nwb(files, "action", "outcome", keep=keep)
    assert_same(read_back(trials, data, action="choice", outcome="reward", step="none"), data)
