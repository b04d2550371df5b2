"""Curves, bars and the choice of K."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from hiql.errors import ColumnNotFound
from hiql.plots import draw_bars, draw_curves, draw_selection, new_figure


def test_curve_has_a_line_and_a_shade(ax: Axes) -> None:
    draw_curves(ax, [1, 2, 4], [0.0, 1.0, 2.0], [0.1, 0.2, np.nan], "HIAVI", colour="#123456")
    (line,) = ax.lines
    assert (line.get_label(), line.get_color()) == ("HIAVI", "#123456")
    (shade,) = ax.collections
    assert shade.get_paths()[0].get_extents().intervaly.tolist() == pytest.approx([-0.1, 2.0])


def test_curve_without_error_has_no_shade(ax: Axes) -> None:
    draw_curves(ax, [1, 2], [0.0, 1.0])
    assert not ax.collections


def test_bars_reach_from_base_to_mean(ax: Axes) -> None:
    draw_bars(ax, ["random", "HIAVI"], [-1.5, -0.5], [0.1, 0.1], base=-2.0)
    assert [(bar.get_y(), bar.get_height()) for bar in ax.patches] == [(-2.0, 0.5), (-2.0, 1.5)]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["random", "HIAVI"]


TABLE = pd.DataFrame(
    {
        "n_intentions": [1, 1, 2, 2, 3, 3],
        "train": [-1.0, -1.2, -0.5, -0.7, -0.4, -0.6],
        "held_out": [-1.1, -1.3, -0.6, -0.8, -0.7, -0.9],
        "bic": [300.0, 320.0, 200.0, 220.0, 230.0, 250.0],
    }
)


def test_selection_shows_means_over_fits_and_marks_the_lowest_bic() -> None:
    figure = new_figure(6.0, 2.5)
    likelihood, criterion = figure.subplots(1, 2)
    draw_selection((likelihood, criterion), TABLE)
    figure.canvas.draw()
    train, held_out = likelihood.lines[:2]
    np.testing.assert_allclose(train.get_ydata(), [-1.1, -0.6, -0.5])
    np.testing.assert_allclose(held_out.get_ydata(), [-1.2, -0.7, -0.8])
    np.testing.assert_allclose(criterion.lines[0].get_ydata(), [310.0, 210.0, 240.0])
    assert [text.get_text() for text in criterion.texts] == ["K = 2"]
    assert likelihood.get_ylabel() == "log-likelihood per step (nats)"
    assert likelihood.get_xticks().tolist() == [1, 2, 3]


def test_selection_marks_the_chosen_and_manages_without_a_test_set_or_folds() -> None:
    figure = new_figure(6.0, 2.5)
    axes = figure.subplots(1, 2)
    draw_selection(axes, TABLE.drop(columns="held_out")[::2], chosen=3)
    figure.canvas.draw()
    assert [text.get_text() for text in axes[1].texts] == ["K = 3"]
    assert [text.get_text() for text in axes[0].get_legend().get_texts()] == ["training"]


def test_selection_names_a_missing_column() -> None:
    with pytest.raises(ColumnNotFound, match="bic"):
        draw_selection(new_figure(3, 3).subplots(1, 2), TABLE.drop(columns="bic"))
