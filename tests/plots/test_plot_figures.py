"""The overview, saving, and that pyplot is never loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure

import hiql
from hiql.errors import InvalidParameter
from hiql.plots import draw_curves, new_figure, overview_figure, save_figure, style
from hiql.worlds.two_goals import TwoGoals


def titles(figure: Figure) -> list[str]:
    return [title for ax in figure.axes for loc in ("left", "center") if (title := ax.get_title(loc=loc))]


def test_overview_shows_sessions_dynamics_and_intentions(model: hiql.HIAVI, simulation: TwoGoals) -> None:
    data = simulation.data
    marks = {"#": simulation.barriers}
    figure = overview_figure(model, data, simulation.world, ["goal", "abandon"], data.intentions, (4, 2), marks=marks)
    figure.canvas.draw()
    assert titles(figure) == ["session 4", "session 2", "goal", "abandon"]
    np.testing.assert_array_equal(figure.axes[0].lines[0].get_ydata(), model.smooth_proba(data)[data.session(4), 0])
    written = {text.get_text() for ax in figure.axes for text in ax.texts}
    assert {"true", "decoded", "#", f"{model.transition_[0, 0]:.2f}"} <= written


def test_overview_of_a_model_free_fit_labels_states_and_actions() -> None:
    rng = np.random.default_rng(0)
    data = hiql.Trajectories.from_arrays(
        rng.integers(0, 2, (2, 30)),
        rng.integers(0, 2, (2, 30)),
        state_labels=["won", "lost"],
        action_labels=["L", "R"],
    )
    model = hiql.HIQL(2, n_init=1, patience=0, max_iter=5, progress=False).fit(data)
    figure = overview_figure(model, data)
    figure.canvas.draw()
    assert titles(figure) == ["session 0", "session 1", "intention 1", "intention 2"]
    table = figure.axes[-1]
    assert [label.get_text() for label in table.get_yticklabels()] == ["won", "lost"]
    assert [label.get_text() for label in table.get_xticklabels()] == ["L", "R"]


def test_overview_manages_missing_steps(model: hiql.HIAVI, simulation: TwoGoals) -> None:
    states = [[0, -1, 6], [1, 2, -1]]
    data = hiql.Trajectories.from_arrays(states, [[0, 3, -1], [3, -1, 0]], n_states=25, n_actions=5)
    overview_figure(model, data, simulation.world).canvas.draw()


def example() -> Figure:
    with style():
        figure = new_figure(3.0, 2.0)
        ax = figure.subplots()
        draw_curves(ax, [1, 2, 3], [1.0, 4.0, 9.0], [1.0, 1.0, 1.0], "squares")
        ax.set_xlabel("step")
    return figure


def test_saving_writes_each_format_and_nothing_else(tmp_path: Path) -> None:
    written = save_figure(example(), tmp_path / "new" / "figure.v1")
    assert [path.name for path in written] == ["figure.v1.png", "figure.v1.svg"]
    assert sorted((tmp_path / "new").iterdir()) == sorted(written)
    assert written[0].read_bytes().startswith(b"\x89PNG")


def test_svg_is_the_same_every_time_and_keeps_its_text(tmp_path: Path) -> None:
    (first,), (second,) = (save_figure(example(), tmp_path / name, ["svg"]) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()
    assert ">step</text>" in first.read_text()
    assert "<dc:date>" not in first.read_text()


def test_a_failure_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, _ = save_figure(example(), tmp_path / "figure")
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    figure = example()
    draw = figure.savefig

    def fail_at_svg(path: Path, **options: object) -> None:
        draw(path, **options)
        if options["format"] == "svg":
            raise OSError("disk full")

    monkeypatch.setattr(figure, "savefig", fail_at_svg)
    figure.suptitle("new")
    with pytest.raises(OSError, match="disk full"):
        save_figure(figure, tmp_path / "figure")
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert old in before


def test_unknown_formats_are_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match=r"formats is \['docx'\]"):
        save_figure(example(), tmp_path / "sub" / "figure", ["png", "docx"])
    assert not (tmp_path / "sub").exists()


def test_pyplot_is_never_imported() -> None:
    code = "import sys, hiql.plots; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
