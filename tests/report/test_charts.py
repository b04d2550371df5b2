"""Figures hold the numbers they claim to show."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.plots.style import PALETTE, intention_colour
from hiql.report import charts, selection_charts
from hiql.report.maps import Intention, grid_map, ground_map, maze_map
from hiql.report.policy_tables import MOST_STATES, most_visited, policy_table
from tests.report.problems import HOSTILE, findings, random_sessions, selection


def test_session_lengths_count_every_session():
    data = random_sessions([3, 3, 90, 200])
    (bars,) = charts.session_lengths(data).data
    assert sum(bars.y) == 4


def test_steps_per_subject():
    data = random_sessions([3, 4, 5], subjects=("x", "y", "x"))
    (bars,) = charts.steps_per_subject(data).data
    assert list(bars.y) == [8, 4]
    assert list(bars.hovertext) == ["x", "y"]


def test_transition_matrix_is_not_transposed_and_names_are_quoted():
    (cells,) = charts.transition_matrix([[0.9, 0.1], [0.3, 0.7]], ["a", HOSTILE]).data
    assert cells.z[0][1] == 0.1
    assert tuple(cells.customdata[0][1]) == ("a", HOSTILE.replace("<", "&lt;").replace(">", "&gt;"))


def test_lines_have_the_colours_of_their_intentions_and_are_thinned():
    data = random_sessions([5000, 4000])
    found = findings(data)
    lines = [trace for trace in charts.mean_posterior(data, found.smoothed, found.names).data if trace.name]
    assert [line.line.color for line in lines] == [intention_colour(0), intention_colour(1)]
    assert all(len(line.x) <= charts.MOST_MEANS for line in lines)


def test_a_long_mean_course_is_made_of_means():
    data = random_sessions([1001, 1001])
    posterior = np.random.default_rng(0).random((data.n_steps, 1))
    line = next(trace for trace in charts.mean_posterior(data, posterior, ["a"]).data if trace.name)
    course = posterior.reshape(2, 1001).mean(axis=0)
    every = int(np.ceil(1001 / charts.MOST_MEANS))
    np.testing.assert_allclose(line.y[:-1], course[: 1001 // every * every].reshape(-1, every).mean(axis=1))
    assert line.y[-1] == pytest.approx(course[1001 // every * every :].mean())


def test_dwell_times_show_what_the_clock_makes_beside_what_is_drawn():
    found = findings(random_sessions([50, 60]))
    figure = charts.dwell_times(found.lasting, found.names)
    lines = [trace for trace in figure.data if trace.name]
    assert [line.name.endswith("simulated") for line in lines] == [False, True] * 2
    for line, values in zip(lines, [y for one in found.lasting for y in (one.drawn, one.simulated)], strict=True):
        np.testing.assert_allclose(line.y, values[np.asarray(line.x) - 1])


def test_dwell_times_of_an_intention_that_hardly_occurs():
    found = findings(random_sessions([5]))
    assert len(charts.dwell_times(found.lasting, found.names).data) == 8


def test_restarts_are_shown_relative_to_the_best():
    model = hiql.HIQL(2, n_init=3, patience=4, progress=False).fit(random_sessions([50, 60]))
    figure = charts.restart_objectives(model.restarts_)
    assert sum(len(trace.x) for trace in figure.data) == len(model.restarts_)
    assert min(min(trace.y) for trace in figure.data) == 0


# --- selection ----------------------------------------------------------------------------------------------------


def test_one_line_for_each_setting_and_a_ring_around_the_choice():
    table = selection(histories=(1, 2)).table
    figure = selection_charts.held_out_chart(table, 1)
    assert [trace.name for trace in figure.data[:-1]] == ["history 1", "history 2"]
    assert list(figure.data[0].x) == [1, 2, 3]
    assert list(figure.data[0].error_y.array) == [0.01] * 3
    assert (figure.data[-1].x[0], figure.data[-1].y[0]) == (2, table["held_out"][1])


def test_without_differences_there_is_one_unnamed_line():
    figure = selection_charts.bic_chart(selection().table, 1)
    assert len(figure.data) == 2
    assert selection_charts.line_colours(selection().table) == {"": PALETTE[0]}


def test_agreement_leaves_out_what_was_not_measured():
    figure = selection_charts.agreement_chart(selection().table, 1)
    assert len(figure.data) == 2  # restarts and the ring; no folds


def test_the_table_of_candidates_that_were_judged_without_folds():
    table = selection_charts.readable(selection().table.assign(gap=np.nan, gap_se=np.nan, held_out=np.nan))
    assert "gap to the best" not in table


def test_the_table_leaves_out_what_is_empty_or_common():
    given = selection().table
    table = selection_charts.readable(given)
    assert "history" not in table
    assert "folds agree" not in table
    assert table["gap to the best"].tolist() == ["−0.0400 ± 0.0050", "−0.0200 ± 0.0050", "–"]
    assert selection_charts.common_settings(given) == "HIQL, pseudo-count 0.1"
    assert selection_charts.readable(selection(histories=(1, 2)).table)["history"].tolist() == ["1"] * 3 + ["2"] * 3


# --- maps ---------------------------------------------------------------------------------------------------------


def portrait(world, seed=0, never=()):
    rng = np.random.default_rng(seed)
    shape = (world.n_states, world.n_actions)
    visits = np.full(world.n_states, 10.0)
    visits[list(never)] = 0
    names = tuple(map(str, range(world.n_states)))
    policy = rng.dirichlet(np.ones(shape[1]), shape[0])
    return Intention(policy, rng.normal(size=shape), rng.normal(size=shape[0]), visits, names, world.action_names)


def test_grid_cells_lie_where_their_states_do():
    world = hiql.worlds.gridworld((3, 2))
    intention = portrait(world, never=[4])
    cells = grid_map(world, intention).data[0]
    assert np.shape(cells.z) == (2, 3)
    assert cells.z[0][2] == intention.certainty[2]
    assert np.isnan(cells.z[1][1])
    assert "state 5" in cells.text[1][2]


def test_maps_can_be_recoloured():
    world = hiql.worlds.gridworld(3)
    intention = portrait(world)
    meta = grid_map(world, intention).layout.meta
    assert list(meta["shades"]) == ["certainty", "visits", "reward", "value"]
    reward = (intention.policy * intention.reward).sum(axis=1)
    np.testing.assert_allclose(np.ravel(meta["shades"]["reward"]["z"][0]), reward)


def test_without_rewards_a_map_tells_of_choices_and_visits():
    world = hiql.worlds.gridworld(3)
    figure = grid_map(world, portrait(world)._replace(reward=None, value=None))
    assert list(figure.layout.meta["shades"]) == ["certainty", "visits"]
    assert "reward" not in str(figure.data[0].text)
    assert "value" not in str(figure.data[0].text)


def test_certainty_is_nothing_where_all_actions_are_alike():
    policy = np.array([[0.5, 0.5], [1.0, 0.0], [0.9, 0.1]])
    certainty = Intention(policy, None, None, np.ones(3), ("a", "b", "c"), ("l", "r")).certainty
    np.testing.assert_allclose(certainty, [0.0, 1.0, 0.531], atol=1e-3)


def test_maze_nodes_never_used_become_dots():
    world = hiql.worlds.labyrinth()
    figure = maze_map(world, portrait(world, never=range(100, 127)))
    nodes = figure.data[figure.layout.meta["trace"]]
    assert len(nodes.x) == len(nodes.marker.color) == 100


def test_arrows_of_a_corridor_point_to_where_the_action_leads():
    world = hiql.worlds.gridworld((2, 1), slip=0.0, places={})
    right = np.eye(5)[[3, 4]]  # "right" in the first cell, "stay" in the second
    names = ("0", "1")
    figure = grid_map(world, Intention(right, right, np.zeros(2), np.ones(2), names, world.action_names))
    arrow, cross = figure.data[1:]
    assert np.nanmax(arrow.x) == pytest.approx(0.45)
    assert np.nanmean(cross.x) == pytest.approx(1.0, abs=0.05)


def test_a_grid_of_ten_thousand_states_stays_small():
    world = hiql.worlds.gridworld(100)
    figure = grid_map(world, portrait(world))
    assert len(figure.to_json()) < 6e6
    assert len(ground_map(world).to_json()) < 1e6


def test_tables_show_the_most_visited_states_in_their_order():
    visits = np.zeros(10_000)
    visits[[9000, 5, 70]] = 3, 1, 2
    assert most_visited(visits).tolist() == [5, 70, 9000]
    assert len(most_visited(np.arange(1, 101))) == MOST_STATES
    assert most_visited(np.zeros(4)).tolist() == [0]


def test_what_an_intention_does_where_it_never_was_is_unknown():
    policy, visits = np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([7.0, 0.0])
    figure = policy_table(Intention(policy, policy, np.zeros(2), visits, ("a", "b"), ("l", "r")), np.arange(2))
    for shade in figure.layout.meta["shades"].values():
        assert np.isnan(shade["z"][0]).tolist() == [[False, False], [True, True]]
    assert "probability 0.200" in figure.data[0].text[0][0]
    assert "unknown" in figure.data[0].text[1][0]
    assert "0.5" not in figure.data[0].text[1][0]
    world = hiql.worlds.gridworld(2)
    nowhere = grid_map(world, portrait(world)._replace(visits=np.zeros(4)))
    assert "probability" not in str(nowhere.data[0].text)


def test_tables_quote_labels_and_can_turn_into_rewards():
    policy = np.array([[0.2, 0.8]])
    intention = Intention(policy, np.array([[-2.0, 1.0]]), np.zeros(1), np.ones(1), (HOSTILE,), ("l", "r"))
    figure = policy_table(intention, np.array([0]))
    assert "<script" not in str(figure.data[0].text)
    assert figure.layout.meta["shades"]["reward"]["zmin"] == [-2.0]
    assert figure.data[0].z[0][1] == 0.8
