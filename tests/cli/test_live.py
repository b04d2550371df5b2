"""``hiql live``: one answer a line, errors that change nothing, and the how-to's animal that is steered by it."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hiql
from hiql.cli.live import LONGEST, STEP, Conversation
from tests.contract.pairs import CLOCKS, WAYS, Pair
from tests.models.test_live import known

STEPS = [{"state": 1, "action": 0, "inputs": {"stimulus": 0.5}}, {"state": 2, "action": 1, "inputs": [None]}]
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "live.md"


def model():
    return known(Pair(CLOCKS["by-subject"], WAYS["animals"]))


def conversed(*lines):
    told = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    return list(Conversation(model()).answers(io.BytesIO(told)))


def test_steps_predictions_and_sessions():
    live = model().live()
    first, prediction = live.step(**STEPS[0]).tolist(), live.predict(2).tolist()
    ben = model().live("ben").step(**STEPS[0]).tolist()
    assert ben != first
    assert conversed(STEPS[0], {"predict": {"state": 2}}, {"reset": True, "subject": "ben"}, STEPS[0]) == [
        {"step": 1, "posterior": first},
        {"prediction": prediction},
        {"reset": True},
        {"step": 1, "posterior": ben},
    ]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
nearly = st.dictionaries(st.sampled_from([*STEP, "predict", "reset", "subject", "x"]), anything, max_size=3)
objects = (nearly | anything).map(lambda told: json.dumps(told).encode())
lines = (st.binary(max_size=60).map(lambda line: line.replace(b"\n", b" ")) | objects).map(lambda line: line + b"\n")


@settings(max_examples=150, deadline=None)
@given(line=lines)
def test_whatever_a_line_is_it_has_one_answer_and_an_error_changes_nothing(line):
    one, answer, two = conversed(STEPS[0], line, STEPS[1])
    json.dumps(answer)
    if "error" in answer:
        assert answer["line"] == 2
        assert [one, two] == conversed(*STEPS)
    else:
        assert set(answer) in ({"step", "posterior"}, {"prediction"}, {"reset"})
        assert np.isfinite(answer.get("posterior", answer.get("prediction", [0.0]))).all()


@pytest.mark.parametrize(
    "line",
    [
        *(
            b"\n",
            b"[" * 100_000 + b"\n",
            b'{"state": ' + b"1" * 5000 + b"}\n",
            b'{"x": "' + b"y" * 3 * LONGEST + b'"}\n',
        ),
        *(b"\xff\n", b'{"reset": false}\n', b'{"reset": true, "subject": 1}\n', b'{"state": 1, "actoin": 0}\n'),
    ],
    ids=["empty", "deep", "digits", "long", "bytes", "reset", "subject", "misspelt"],
)
def test_bad_lines(line):
    one, answer, two = conversed(STEPS[0], line, STEPS[1])
    assert answer["line"] == 2
    assert len(answer["error"]) < 1100
    assert [one, two] == conversed(*STEPS)


def test_over_a_pipe_every_line_is_answered_at_once(tmp_path):
    rng = np.random.default_rng(0)
    data = hiql.Trajectories.from_arrays(rng.integers(0, 3, (5, 40)), rng.integers(0, 2, (5, 40)))
    fitted = hiql.HIQL(2, n_init=1, patience=0).fit(data)
    fitted.save(tmp_path / "model.hiql")
    command = [sys.executable, "-m", "hiql.cli", "live", str(tmp_path / "model.hiql")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1) as child:
        for t, expected in enumerate(fitted.filter_proba(data)[:5]):
            child.stdin.write(json.dumps({"state": int(data.states[t]), "action": int(data.actions[t])}) + "\n")
            answer = json.loads(child.stdout.readline())
            np.testing.assert_allclose(answer["posterior"], expected, atol=1e-12)
        child.stdin.close()
        assert child.wait() == 0


def test_the_animal_of_the_how_to_is_steered(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cells = re.findall(r"```\{code-cell\} ipython3\n(.*?)```", PAGE.read_text(), flags=re.DOTALL)
    exec(compile("\n".join(cells), PAGE.name, "exec", dont_inherit=True), {"__name__": "__main__"})
    steered, yoked = map(float, re.findall(r"engaged in (\d\.\d\d)", capsys.readouterr().out))
    assert steered > yoked + 0.1
