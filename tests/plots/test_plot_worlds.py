"""Grids, mazes and tables: as many arrows and crosses as there are moves, in the right direction."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import EllipseCollection, LineCollection, PolyCollection
from matplotlib.quiver import Quiver

import hiql
from hiql.errors import InvalidParameter, ShapeMismatch
from hiql.plots import draw_grid, draw_heatmap, draw_maze, draw_world
from hiql.plots.policy import targets
from hiql.worlds.mdp import World


def arrows(ax: Axes) -> Quiver:
    return next(artist for artist in ax.collections if isinstance(artist, Quiver))


def n_crosses(ax: Axes) -> int:
    strokes = next(artist for artist in ax.collections if isinstance(artist, LineCollection))
    return len(strokes.get_segments()) // 2


def one_action(world: World, action: str) -> np.ndarray:
    policy = np.zeros((world.n_states, world.n_actions))
    policy[:, world.action_names.index(action)] = 1.0
    return policy


GRID = hiql.worlds.gridworld((4, 3), places={"nest": (0, 0)})
MAZE = hiql.worlds.labyrinth()


def test_targets_are_alike_in_dense_and_sparse_worlds() -> None:
    sparse = hiql.worlds.gridworld(20)
    assert sparse.is_sparse
    dense = np.stack([matrix.toarray() for matrix in sparse.transitions], axis=1)
    np.testing.assert_array_equal(targets(sparse), targets(hiql.MDP(dense)))


def test_grid_colours_cells_and_points_arrows(ax: Axes) -> None:
    value = np.arange(12.0)
    draw_grid(ax, GRID, value, one_action(GRID, "right"), marks={"#": [5, 6]})
    cells = ax.collections[0]
    assert isinstance(cells, PolyCollection)
    np.testing.assert_array_equal(cells.get_array(), value)
    assert arrows(ax).N == 9  # the three cells at the right border stay
    assert n_crosses(ax) == 3
    assert (arrows(ax).U > 0).all()
    assert (arrows(ax).V == 0).all()
    assert [text.get_text() for text in ax.texts] == ["nest", "#", "#"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "y")


def test_arrows_are_as_long_and_strong_as_probable(ax: Axes) -> None:
    policy = np.tile([0.6, 0.0, 0.0, 0.35, 0.05], (12, 1))  # up, down, left, right, stay
    draw_grid(ax, GRID, np.zeros(12), policy, visited=np.arange(12) == 0)
    lengths = np.hypot(arrows(ax).U, arrows(ax).V)
    assert len(lengths) == 2  # staying is too improbable to show
    assert lengths[0] / lengths[1] == pytest.approx(0.6 / 0.35)
    alpha = arrows(ax).get_facecolor()[:, 3]
    assert alpha[0] > alpha[1]


def test_unvisited_cells_are_hatched_and_bare(ax: Axes) -> None:
    visited = np.ones(12)
    visited[[3, 7]] = 0
    draw_grid(ax, GRID, np.arange(12.0), one_action(GRID, "stay"), visited=visited)
    cells, unknown = ax.collections[:2]
    assert len(cells.get_paths()) == 10
    assert len(unknown.get_paths()) == 2
    assert unknown.get_hatch()
    assert n_crosses(ax) == 10
    assert ax.get_xlabel() == "x (hatched: not visited)"


def test_grid_where_nothing_was_visited(ax: Axes) -> None:
    draw_grid(ax, GRID, np.zeros(12), one_action(GRID, "up"), visited=np.zeros(12))
    assert arrows(ax).N == 0


def test_maze_has_a_corridor_a_link_and_a_move_a_visited_node(ax: Axes) -> None:
    visited = np.zeros(127)
    visited[[0, 1, 3, 100]] = 1
    draw_maze(ax, MAZE, np.arange(127.0), policy=one_action(MAZE, "reverse"), visited=visited)
    corridors, dots, discs = ax.collections[:3]
    assert len(corridors.get_paths()) == 126
    assert len(dots.get_offsets()) == 123
    assert isinstance(discs, EllipseCollection)
    np.testing.assert_array_equal(discs.get_array(), [0.0, 1.0, 3.0, 100.0])
    assert arrows(ax).N == 3
    assert n_crosses(ax) == 1  # home has nowhere to go back to
    assert [text.get_text() for text in ax.texts] == ["home", "water"]
    assert len(ax.patches) == 2


def test_maze_arrows_that_meet_pass_each_other_and_look_like_no_cross(ax: Axes) -> None:
    up, down = one_action(MAZE, "reverse"), one_action(MAZE, "left")
    policy = np.where((np.arange(127) == 0)[:, None], down, up)  # home and the node below it lead to each other
    below = int(MAZE.transitions[0, MAZE.action_names.index("left")].argmax())
    draw_maze(ax, MAZE, policy=policy, visited=np.isin(np.arange(127), [0, below]))
    (arrows,) = (artist for artist in ax.collections if isinstance(artist, Quiver))
    along = MAZE.positions[below] - MAZE.positions[0]
    across = np.array([-along[1], along[0]]) / np.linalg.norm(along)
    lanes = (arrows.XY - MAZE.positions[0]) @ across
    assert np.sign(lanes).prod() == -1


def test_maze_arrows_run_along_the_corridor_of_the_most_likely_action(ax: Axes) -> None:
    policy = np.tile([0.2, 0.5, 0.2, 0.1], (127, 1))  # right
    draw_maze(ax, MAZE, policy=policy, visited=np.arange(127) == 0)
    right = MAZE.positions[2] - MAZE.positions[0]
    drawn = np.array([arrows(ax).U[0], arrows(ax).V[0]])
    assert drawn @ right == pytest.approx(np.linalg.norm(drawn) * np.linalg.norm(right))
    assert 0 < np.linalg.norm(drawn) < np.linalg.norm(right)
    assert arrows(ax).get_facecolor()[0, 3] == pytest.approx(0.15 + 0.85 * 0.5)


def test_corridors_narrow_with_distance_from_home(ax: Axes) -> None:
    draw_maze(ax, MAZE)
    shapes = [path.get_extents() for path in ax.collections[0].get_paths()]
    widths = [min(shape.width, shape.height) for shape in shapes]
    assert widths[0] > widths[10] > widths[-1]


def test_occupancy_is_grey_from_zero_and_excludes_value(ax: Axes) -> None:
    draw_maze(ax, MAZE, occupancy=np.linspace(0.1, 1.0, 127))
    assert ax.collections[2].get_clim()[0] == 0.0
    assert ax.collections[2].get_cmap().name == "hiql Greys"
    with pytest.raises(InvalidParameter, match="occupancy"):
        draw_maze(ax, MAZE, value=np.zeros(127), occupancy=np.zeros(127))


def test_value_must_have_one_entry_a_state(ax: Axes) -> None:
    with pytest.raises(ShapeMismatch, match="value has shape"):
        draw_maze(ax, MAZE, value=np.zeros(5))
    with pytest.raises(ShapeMismatch, match="policy has shape"):
        draw_grid(ax, GRID, np.zeros(12), np.zeros((3, 5)))


def test_heatmap_is_labelled_with_the_data_s_labels(ax: Axes) -> None:
    draw_heatmap(ax, [[0.25, 0.75], [1.0, 0.0]], ["L+", "R-"], ["left", "right"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["L+", "R-"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["left", "right"]
    assert [text.get_text() for text in ax.texts] == ["0.25", "0.75", "1.00", "0.00"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("action", "state")


def test_a_table_does_not_tell_what_is_done_in_states_never_visited(ax: Axes) -> None:
    draw_world(ax, None, np.zeros(2), np.array([[0.2, 0.8], [0.5, 0.5]]), visits=[3, 0])
    assert [text.get_text() for text in ax.texts] == ["0.20", "0.80", "?", "?"]


def test_world_is_drawn_in_the_form_it_allows(ax: Axes) -> None:
    plain = hiql.MDP(GRID.transitions)
    for world, n_arrows in ((MAZE, 63), (GRID, 9)):
        axis = ax.figure.add_subplot()
        draw_world(axis, world, np.zeros(world.n_states), one_action(world, "right"))
        assert n_arrows == arrows(axis).N
    for world in (plain, None):
        axis = ax.figure.add_subplot()
        draw_world(axis, world, np.zeros(12), one_action(GRID, "right"), action_labels=GRID.action_names)
        assert [label.get_text() for label in axis.get_xticklabels()] == list(GRID.action_names)


def test_long_tables_show_the_most_visited_states(ax: Axes) -> None:
    visits = np.arange(40)
    labels = [f"s{i}" for i in range(40)]
    draw_world(ax, None, np.zeros(40), np.full((40, 2), 0.5), visits=visits, state_labels=labels)
    assert [label.get_text() for label in ax.get_yticklabels()] == labels[16:]
    assert ax.get_ylabel() == "state (24 most visited of 40)"
