"""Decoded steps as files: every format holds the same numbers."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.errors import InvalidParameter
from hiql.export import add_intentions, decoding_table, write_steps
from tests.problems import switching_data


@pytest.fixture(scope="module")
def steps():
    data, mdp, _ = switching_data(np.random.default_rng(0), n_sessions=3)
    return decoding_table(hiql.HIAVI(2, mdp=mdp).fit(data), data, ["to water", "home"])


@pytest.mark.parametrize("name", ["a.csv", "a.csv.gz", "a.tsv", "a.parquet"])
def test_tables_come_back_as_they_were(tmp_path, steps, name):
    (path,) = write_steps(tmp_path / name, steps)
    read = pd.read_parquet(path) if name.endswith("parquet") else pd.read_csv(path, sep=None, engine="python")
    assert list(read) == list(steps)
    np.testing.assert_allclose(read["p_to_water"], steps["p_to_water"])
    assert (read["decoded"] == steps["decoded"]).all()


def test_an_unknown_ending_is_refused_before_anything_is_written(tmp_path, steps):
    with pytest.raises(InvalidParameter, match=r"\.csv, .*\.parquet, \.nwb"):
        write_steps(tmp_path / "a.xlsx", steps)
    assert not list(tmp_path.iterdir())


def test_columns_never_share_a_name(steps):
    data, mdp, _ = switching_data(np.random.default_rng(0), n_sessions=3)
    model = hiql.HIAVI(2, mdp=mdp).fit(data)
    for names in (["to a-b", "to a b"], ["action", "rest"], ["!", "x"]):
        table = decoding_table(model, data, names)
        assert len(set(table.columns)) == len(table.columns)
        smoothed = [column for column in table if column.startswith("p_") and column != "p_action"]
        np.testing.assert_allclose(table[smoothed], model.smooth_proba(data))


def test_methods_keep_their_columns(steps):
    data, mdp, _ = switching_data(np.random.default_rng(0), n_sessions=3)
    model = hiql.HIAVI(2, mdp=mdp).fit(data)
    kept = {method: set(decoding_table(model, data, method=method)) for method in ("smooth", "filter", "viterbi")}
    assert {"p_1", "p_2"} <= kept["smooth"]
    assert kept["filter"] & {"p_1", "causal_1", "decoded"} == {"causal_1"}
    assert kept["viterbi"] & {"p_1", "causal_1", "decoded"} == {"decoded"}


class TestNWB:
    """One file a session, with series and intervals on the session's clock."""

    pynwb = pytest.importorskip("pynwb")

    def read(self, path):
        with self.pynwb.NWBHDF5IO(str(path), "r") as io:
            module = io.read().processing["intentions"]
            series = {name: module[name].data[:] for name in ("intention_posterior", "intention_filtered", "p_action")}
            return series, module["intention_posterior"].timestamps[:], module["intentions"].to_dataframe()

    def test_series_and_runs(self, tmp_path, steps):
        shuffled = steps.sample(frac=1.0, random_state=0)  # decode writes rows in the order of the user's table
        times = 10.0 + 0.5 * shuffled["step"].to_numpy()
        files = write_steps(tmp_path / "out.nwb", shuffled, times=times)
        assert [f.name for f in sorted(files)] == [f"out-all-{i}.nwb" for i in range(3)]
        session = steps[steps["session"] == "1"]
        series, clock, runs = self.read(tmp_path / "out-all-1.nwb")
        np.testing.assert_allclose(series["intention_posterior"], session[["p_to_water", "p_home"]])
        np.testing.assert_allclose(series["intention_filtered"], session[["causal_to_water", "causal_home"]])
        np.testing.assert_allclose(clock, 10.0 + 0.5 * session["step"])
        assert (runs["intention"].to_numpy()[1:] != runs["intention"].to_numpy()[:-1]).all()
        np.testing.assert_allclose(runs["start_time"].to_numpy()[1:], runs["stop_time"].to_numpy()[:-1])
        at = np.searchsorted(runs["start_time"], clock, side="right") - 1
        assert (runs["intention"].to_numpy()[at] == session["decoded"].to_numpy()).all()

    def test_a_single_session_keeps_the_name(self, tmp_path, steps):
        one = steps[steps["session"] == "0"]
        assert write_steps(tmp_path / "one.nwb", one) == [tmp_path / "one.nwb"]

    def test_times_must_grow(self, tmp_path, steps):
        with pytest.raises(InvalidParameter, match="time of step 0 is nan"):
            write_steps(tmp_path / "out.nwb", steps, times=np.full(len(steps), np.nan))
        assert not list(tmp_path.iterdir())

    def test_into_a_file_of_the_lab(self, steps):
        from datetime import UTC, datetime

        file = self.pynwb.NWBFile("recording", "id", datetime(2026, 1, 1, tzinfo=UTC))
        add_intentions(file, steps[steps["session"] == "0"])
        assert "intention_posterior" in file.processing["intentions"].data_interfaces
