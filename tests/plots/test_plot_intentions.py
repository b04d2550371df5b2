"""Intentions over time and how they follow one another."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.text import Text

import hiql
from hiql.errors import ShapeMismatch, UnequalLengths
from hiql.evaluate import Effects, mean_course
from hiql.plots import (
    PALETTE,
    draw_mean_posterior,
    draw_posterior,
    draw_transition_matrix,
    draw_weights_by_group,
    intention_colour,
    intention_names,
)


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def words(labels: list[Text]) -> list[str]:
    return [label.get_text() for label in labels]


POSTERIOR = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])


def test_posterior_has_a_line_in_its_own_colour_for_each_intention(ax: Axes) -> None:
    draw_posterior(ax, POSTERIOR, ["thirsty", "tired"])
    assert [line.get_color() for line in ax.lines] == list(PALETTE[:2])
    for i, line in enumerate(ax.lines):
        np.testing.assert_array_equal(line.get_ydata(), POSTERIOR[:, i])
    assert words(ax.get_legend().get_texts()) == ["thirsty", "tired"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("step", "probability")


def test_posterior_without_paths_has_no_strips(ax: Axes) -> None:
    draw_posterior(ax, POSTERIOR, legend=False)
    assert not ax.collections
    assert ax.get_legend() is None


def test_strips_show_runs_of_intentions_and_gaps_where_unknown(ax: Axes) -> None:
    draw_posterior(ax, POSTERIOR, decoded=[0, 0, 1], true=[-1, 1, 1])
    true, decoded = ax.collections
    assert texts(ax) == ["true", "decoded"]
    assert [to_hex(c).upper() for c in decoded.get_facecolor()] == list(PALETTE[:2])
    assert [to_hex(c).upper() for c in true.get_facecolor()] == [PALETTE[1]]
    assert [path.get_extents().intervalx.tolist() for path in decoded.get_paths()] == [
        [-0.5, 1.5],
        [1.5, 2.5],
    ]
    assert [path.get_extents().intervalx.tolist() for path in true.get_paths()] == [[0.5, 2.5]]
    assert decoded.get_paths()[0].get_extents().y0 > true.get_paths()[0].get_extents().y1 > 1.0


def test_a_session_of_one_step_has_one_whole_tick(ax: Axes) -> None:
    draw_posterior(ax, POSTERIOR[:1])
    low, high = ax.get_xlim()
    assert [tick for tick in ax.get_xticks() if low <= tick <= high] == [0.0]


def test_wrong_shapes_are_named(ax: Axes) -> None:
    with pytest.raises(ShapeMismatch, match="decoded has shape"):
        draw_posterior(ax, POSTERIOR, decoded=[0, 1])
    with pytest.raises(UnequalLengths, match="intention names"):
        draw_posterior(ax, POSTERIOR, names=["only one"])


def test_mean_course_counts_only_sessions_still_running(ragged: hiql.Trajectories) -> None:
    values = np.array([1.0, 2.0, 3.0, 3.0, 4.0, 8.0])[:, None]  # sessions (1, 2, 3), (3, 4), (8)
    course = mean_course(ragged, values)
    assert course.n.tolist() == [3, 2, 1]
    np.testing.assert_allclose(course.mean[:, 0], [4.0, 3.0, 3.0])
    expected = [np.std([1, 3, 8], ddof=1) / np.sqrt(3), np.std([2, 4], ddof=1) / np.sqrt(2), np.nan]
    np.testing.assert_allclose(course.error[:, 0], expected)


def test_mean_posterior_is_dotted_where_few_sessions_run(ax: Axes, ragged: hiql.Trajectories) -> None:
    posterior = np.full((ragged.n_steps, 2), 0.5)
    draw_mean_posterior(ax, ragged, posterior, few=2)
    solid, dotted = ax.lines[:2]
    assert solid.get_xdata().tolist() == [0, 1]
    assert dotted.get_xdata().tolist() == [1, 2]
    assert dotted.get_linestyle() == ":"
    assert ax.get_xlabel() == "step (n = 3 sessions; dotted: fewer than 2)"


def test_mean_posterior_of_few_but_complete_sessions_is_solid(ax: Axes, ragged: hiql.Trajectories) -> None:
    data = ragged.select([0, 0])
    draw_mean_posterior(ax, data, np.full((data.n_steps, 2), 0.5))
    assert ax.lines[0].get_xdata().tolist() == [0, 1, 2]
    assert ax.get_xlabel() == "step (n = 2 sessions)"


def test_mean_posterior_of_a_single_session(ax: Axes, ragged: hiql.Trajectories) -> None:
    draw_mean_posterior(ax, ragged.select([0]), np.full((3, 2), 0.5))
    assert len(ax.collections) == 2


def test_transition_matrix_writes_probabilities_and_intervals(ax: Axes) -> None:
    matrix = np.array([[0.9, 0.1], [0.25, 0.75]])
    draw_transition_matrix(ax, matrix, ["a", "b"], low=matrix - 0.05, high=matrix + 0.05)
    assert texts(ax)[:4] == ["0.90", "0.10", "0.25", "0.75"]
    assert texts(ax)[4] == "[0.85, 0.95]"
    assert words(ax.get_xticklabels()) == words(ax.get_yticklabels()) == ["a", "b"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("to", "from")
    assert ax.get_ylim() == (1.5, -0.5)
    assert ax.get_yticklabels()[1].get_color() == PALETTE[1]


def test_transition_matrix_must_be_square(ax: Axes) -> None:
    with pytest.raises(ShapeMismatch, match="transition"):
        draw_transition_matrix(ax, np.full((2, 3), 1 / 3))


def test_default_names_and_colours() -> None:
    assert intention_names(2) == ("intention 1", "intention 2")
    assert intention_colour(0) == intention_colour(len(PALETTE)) != intention_colour(1)


def test_weights_of_animals_lie_around_a_ring_of_the_population(ax: Axes) -> None:
    def of(size: float) -> Effects:
        sizes = np.array([[[size, 0.0]], [[0.0, size]]])
        return Effects(sizes, 0.1 + 0 * sizes, ("light",), ("right",), ("left", "right"), 0.0 * sizes)

    draw_weights_by_group(ax, {"ada": of(1.0), "ben": of(3.0)}, of(2.0), 1)
    light, bias, ring = (each[0].get_xdata() for each in ax.containers)
    assert [list(light), list(bias), list(ring)] == [[0.0, 0.0], [1.0, 3.0], [0.0, 2.0]]
    assert words(ax.get_yticklabels()) == ["light", "bias"]
    assert ax.containers[0][0].get_color() == intention_colour(1)
