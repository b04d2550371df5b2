"""The frame of all experiments: units run and resumed, verdicts last, failures said."""

from __future__ import annotations

import json
from functools import partial
from typing import NamedTuple

from hiql.experiments.frame import Experiment, ExperimentConfig, Plan, Stage
from hiql.experiments.verdicts import Verdict, not_judged
from hiql.plots import new_figure
from hiql.sweep import Failure


class Squares(NamedTuple):
    config: ExperimentConfig
    values: dict[int, int]
    failures: list[Failure]


def square(unit):
    if unit["n"] == 3:
        raise ValueError("three is too many")
    return {"square": unit["n"] ** 2}


def gather(config, outcomes, failures):
    return Squares(config, {o.unit["n"]: o.result["square"] for o in outcomes}, failures)


def plan(config, folder):
    stages = [Stage("even", [{"n": 2}, {"n": 4}], square), Stage("odd", [{"n": 1}, {"n": 3}], square)]
    return Plan(stages, partial(gather, config))


def figures(result):
    yield "one", new_figure(1.0, 1.0)
    yield "more/two", new_figure(1.0, 1.0)


TOY = Experiment(
    "Squares",
    plan,
    lambda result: {"values": result.values},
    figures,
    lambda result: [f"{len(result.values)} squares."],
    lambda result: [
        Verdict("§1", "squares grow", str(result.values[4]), "> 4", "16", result.values[4] > 4),
        Verdict("§2", "squares shrink", str(result.values[4]), "< 4", "1", result.values[4] < 4),
        not_judged("§3", "mice square"),
    ],
)


def test_everything_is_written_with_the_verdicts_last(tmp_path):
    text = TOY.run(ExperimentConfig(seed=7), tmp_path, n_jobs=1).read_text()
    assert text.startswith("# Squares\n\n3 squares.\n")
    assert "three is too many" in text
    last = text[text.index("## Verdicts") :]
    assert "1 ✓, 1 ✗, 1 cannot be judged (simulated)" in last
    assert last.strip().endswith("| §3 | mice square | – | – | – | cannot be judged (simulated) |")
    document = json.loads((tmp_path / "results.json").read_text())
    assert document["config"]["seed"] == 7
    assert document["values"] == {"1": 1, "2": 4, "4": 16}
    assert [verdict["holds"] for verdict in document["verdicts"]] == [True, False, None]
    assert document["failures"] == [{"unit": {"n": 3}, "error": "ValueError: three is too many"}]
    assert (tmp_path / "one.png").exists()
    assert (tmp_path / "more" / "two.svg").exists()


def test_finished_units_are_kept(tmp_path):
    TOY.compute(ExperimentConfig(), tmp_path, n_jobs=1)
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "units").iterdir()}
    assert len(before) == 3
    TOY.compute(ExperimentConfig(), tmp_path, n_jobs=1)
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "units").iterdir()} == before
