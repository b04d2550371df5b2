"""Where intentions are left: as the clock's matrices and counts say, and drawn on a map or as a list."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import EllipseCollection, PolyCollection

import hiql
from hiql.dynamics import ByState
from hiql.errors import InvalidParameter
from hiql.evaluate.measures.leaving import ENOUGH, Leaving, has_leaving, leaving
from hiql.plots import draw_leaving, new_figure
from hiql.plots.leaving import MOST_BARS, listed
from hiql.report.findings import find
from hiql.report.leaving_charts import leaving_bars, leaving_map
from hiql.report.leaving_section import leaving_section
from hiql.report.page import Page
from tests.report.problems import HOSTILE, blocks, fitted, random_sessions, visible


def found(n_contexts, of_states=True, rare=(), seed=0):
    rng = np.random.default_rng(seed)
    steps = rng.uniform(ENOUGH, 100.0, size=(n_contexts, 2))
    steps[list(rare)] = 0.5 * ENOUGH
    labels = tuple(map(str, range(n_contexts)))
    return Leaving("state left", labels, of_states, rng.uniform(0.1, 0.8, size=(n_contexts, 2)), steps, np.full(2, 0.3))


def axes():
    return new_figure(3, 3).subplots()


def test_probabilities_and_steps_are_those_of_the_fit():
    data = random_sessions([60, 60], n_states=4)
    model = fitted(data, dynamics=ByState(context="state entered"))
    told = leaving(model)
    assert told.of_states
    assert told.labels == ("0", "1", "2", "3")
    np.testing.assert_allclose(told.probability[2, 1], model.transition_at(2)[1, 0])
    entered = np.bincount(np.concatenate([data.states[data.session(i)][1:] for i in range(2)]), minlength=4)
    np.testing.assert_allclose(told.steps.sum(axis=1), entered)
    assert told.highest == told.probability[told.known].max()


def test_models_without_contexts_are_told_so():
    model = fitted(random_sessions([20]))
    assert not has_leaving(model)
    with pytest.raises(InvalidParameter, match="by-state"):
        leaving(model)


def test_places_met_too_rarely_have_no_colour_on_a_maze():
    maze, told = hiql.worlds.labyrinth(), found(127, rare=[3, 4])
    ax = axes()
    draw_leaving(ax, told, 1, maze)
    nodes = [each for each in ax.collections if isinstance(each, EllipseCollection)][-1]
    np.testing.assert_allclose(nodes.get_array(), np.delete(told.probability[:, 1], [3, 4]))
    assert nodes.get_clim() == (0.0, told.highest)
    marker = leaving_map(told, 1, maze).data[2].marker
    np.testing.assert_allclose(marker.color, np.delete(told.probability[:, 1], [3, 4]))
    assert marker.cmax == told.highest


def test_cells_of_a_grid_lie_where_their_places_do():
    grid, told = hiql.worlds.gridworld((3, 2)), found(6, rare=[4])
    ax = axes()
    draw_leaving(ax, told, 0, grid)
    cells = next(each for each in ax.collections if isinstance(each, PolyCollection))
    np.testing.assert_allclose(cells.get_array(), np.delete(told.probability[:, 0], 4))
    chart = leaving_map(told, 0, grid).data[1]
    np.testing.assert_allclose(np.ravel(chart.z), np.where(told.known, told.probability, np.nan)[:, 0])
    assert "too few" in chart.text[1][1]


@pytest.mark.parametrize("world", [None, hiql.worlds.gridworld((3, 2))])
def test_what_is_no_place_is_a_list_of_bars(world):
    told = found(6, of_states=world is None, rare=[0])
    ax = axes()
    draw_leaving(ax, told, 0, world)
    np.testing.assert_allclose([bar.get_width() for bar in ax.patches], told.probability[1:, 0])
    np.testing.assert_allclose(leaving_bars(told, 0).data[0].x, told.probability[1:, 0])


def test_a_list_shows_where_most_departures_are():
    told = found(50, of_states=False)
    rows = listed(told, 1)
    assert len(rows) == MOST_BARS
    assert told.departures[rows, 1].min() > np.delete(told.departures[:, 1], rows).max()
    assert len(listed(found(3, rare=[0, 1, 2]), 0)) == 0
    assert leaving_bars(found(3, rare=[0, 1, 2]), 0).data[0].x.size == 0


def section(data, n_intentions=2, **options):
    page, model = Page(""), fitted(data, n_intentions, dynamics="by-state", max_iter=3, **options)
    leaving_section(page, find(model, data, model.world_, [f"name {i}" for i in range(n_intentions)]))
    return page.html()


def test_the_report_has_maps_or_lists(two_goals):
    page = section(two_goals.data.select(range(100)), mdp=two_goals.world)
    assert "by place (state left)" in visible(page)
    assert sum("p(leaving)" in str(block) for block in blocks(page).values()) == 2
    data = random_sessions([30, 30], n_states=3, state_labels=(HOSTILE, "b", "c"))
    page = section(data)
    assert "by state left (3 in all)" in visible(page)
    assert "<script>window" not in page
    assert "Where they are left" not in section(data, 1)
