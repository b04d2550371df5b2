"""As a new user would: one command for tables of four labs, and the truth, which the command never saw, beside it."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hiql.evaluate import decoding_agreement
from tests.cli.test_commands import run_json

SCRIPT = Path(__file__).with_name("outside_tables.py")
TRUE = {"bandit": (2, {"markov"}), "psychophysics": (3, {"markov"}), "maze": (2, {"by-state", "by state entered"})}
"""How many drives there are, and the clocks that say when they change."""


def written(kind, folder, seed=1):
    path = folder / f"{kind}.csv"
    subprocess.run([sys.executable, SCRIPT, kind, path, str(seed)], check=True)
    return path, pd.read_csv(path), pd.read_csv(f"{path}.truth.csv")


def oracle(table, truth):
    """(N,) the most likely drives for one who knows all parameters: Viterbi in plain numpy, session by session."""
    likely, stay = (truth.filter(like=name).to_numpy() for name in ("likely", "stay"))
    k, path = likely.shape[1], np.zeros(len(table), dtype=int)
    for steps in table.groupby("session").indices.values():
        score, back = np.log(likely[steps[0]]), []
        for before, step in pairwise(steps):
            leave = np.repeat((1 - stay[before]) / (k - 1), k).reshape(k, k)
            both = score[:, None] + np.log(np.where(np.eye(k) > 0, stay[before][:, None], leave))
            back.append(both.argmax(axis=0))
            score = both.max(axis=0) + np.log(likely[step])
        drives = [int(score.argmax())]
        for pointers in reversed(back):
            drives.append(int(pointers[drives[-1]]))
        path[steps] = drives[::-1]
    return path


def selected(path, folder):
    chosen = run_json("select", path, "--out", folder / "selection", "--jobs", 1)
    assert (folder / "selection" / "report.html").exists()
    return chosen


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("kind", TRUE)
def test_one_command_recommends_the_truth_and_decodes_like_one_who_knows_it(kind, tmp_path):
    path, table, truth = written(kind, tmp_path)
    chosen = selected(path, tmp_path)
    k, clocks = TRUE[kind]
    assert chosen["chosen"]["n_intentions"] == k
    assert chosen["chosen"]["dynamics"] in clocks
    run_json("decode", tmp_path / "selection" / "model.hiql", path, "--out", tmp_path / "decoded.csv")
    decoded = pd.read_csv(tmp_path / "decoded.csv").sort_values("row")["decoded"]
    ours = decoding_agreement(pd.factorize(decoded)[0], truth["drive"])
    best = (oracle(table, truth) == truth["drive"]).mean()
    print(f"{kind}: {ours:.3f} of the steps decoded, {best:.3f} by one who knows the parameters")
    assert ours >= 0.9 * best


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_people_who_differ_are_not_taken_for_people_who_switch(tmp_path):
    path, _, _ = written("people", tmp_path)
    chosen = selected(path, tmp_path)
    assert chosen["chosen"]["n_intentions"] == 1
    assert chosen["chosen"]["pool"] == "subjects"
    assert "difference between animals" in chosen["traits"].lower()
