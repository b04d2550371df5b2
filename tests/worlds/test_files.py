"""Worlds by name and from files, and data that fit them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import hiql
from hiql.errors import BadWorldFile, InvalidParameter, InvalidTransitions, UnknownLabel
from hiql.worlds.files import coding_of, in_codes_of, load_world, named_world
from hiql.worlds.possible import impossible_share


@pytest.fixture
def transitions():
    return np.random.default_rng(0).dirichlet(np.ones(3), (3, 2))


def test_named_worlds():
    assert (named_world("labyrinth").n_states, named_world("labyrinth", 0.5).discount) == (127, 0.5)
    assert named_world("grid:4x3").n_states == 12
    with pytest.raises(InvalidParameter, match="labyrinth or grid:WIDTHxHEIGHT"):
        named_world("atlantis")


def test_dense_and_sparse_files_hold_the_same_world(tmp_path, transitions):
    np.savez(tmp_path / "dense.npz", transitions=transitions, discount=0.8)
    np.save(tmp_path / "bare.npy", transitions)
    stacked = sparse.vstack([sparse.csr_array(transitions[:, a]) for a in range(2)])
    sparse.save_npz(tmp_path / "sparse.npz", stacked)
    for name in ("dense.npz", "bare.npy", "sparse.npz"):
        mdp, _ = load_world(tmp_path / name)
        np.testing.assert_allclose(mdp.expect(np.arange(3.0)), transitions @ np.arange(3.0))
    assert load_world(tmp_path / "dense.npz")[0].discount == 0.8
    assert load_world(tmp_path / "dense.npz", 0.5)[0].discount == 0.5


def test_labels_of_a_file_say_which_row_is_which_state(tmp_path, transitions):
    np.savez(tmp_path / "p.npz", transitions=transitions, states=["home", "arm", "water"], actions=["go", "stay"])
    _, coding = load_world(tmp_path / "p.npz")
    data = in_codes_of(coding, trajectories(["water", "arm"], ["stay", "go"]))
    assert (data.states.tolist(), data.actions.tolist()) == ([2, 1], [1, 0])


def test_numbers_that_are_labels_of_a_file_are_labels(tmp_path, transitions):
    np.savez(tmp_path / "p.npz", transitions=transitions, states=[1, 2, 3])
    _, coding = load_world(tmp_path / "p.npz")
    assert in_codes_of(coding, trajectories([1, 2], [0, 1])).states.tolist() == [0, 1]


def test_digits_that_are_labels_of_a_file_are_labels(tmp_path, transitions):
    """They were ignored: state 2 of the table was taken for the third row, whatever it was called."""
    np.savez(tmp_path / "p.npz", transitions=transitions, states=["2", "0", "1"])
    _, coding = load_world(tmp_path / "p.npz")
    assert in_codes_of(coding, trajectories([2, 0, 1], [0, 1, 1])).states.tolist() == [0, 1, 2]
    assert in_codes_of(coding, trajectories(["2", "0"], [0, 1])).states.tolist() == [0, 1]
    with pytest.raises(
        UnknownLabel, match=r"state '7' .* those of the world: '2', '0', '1'; .*--missing state=7"
    ) as told:
        in_codes_of(coding, trajectories([7, 0], [0, 1]))
    assert "unknown-is-missing" not in str(told.value)


def test_a_sparse_file_in_columns_is_read_as_such_and_a_damaged_one_refused(tmp_path):
    moves = sparse.csc_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    sparse.save_npz(tmp_path / "csc.npz", sparse.csc_array(np.array([[0.2, 0.8], [0.6, 0.4]])))
    np.testing.assert_allclose(load_world(tmp_path / "csc.npz")[0].expect(np.array([0.0, 1.0]))[:, 0], [0.8, 0.4])
    moves.indices[0] = 2**30
    sparse.save_npz(tmp_path / "bad.npz", moves)
    with pytest.raises(BadWorldFile):
        load_world(tmp_path / "bad.npz")


def test_a_file_can_hold_a_map_and_names_of_places(tmp_path, transitions):
    positions, links = np.array([[0, 0], [1, 0], [2, 0]]), np.array([[0, 1], [1, 2]])
    places = {"place_names": ["home", "water"], "place_states": [0, 2]}
    np.savez(tmp_path / "maze.npz", transitions=transitions, positions=positions, links=links, **places)
    world, _ = load_world(tmp_path / "maze.npz")
    assert world.places == {"home": 0, "water": 2}
    np.testing.assert_array_equal(world.links, links)
    np.savez(tmp_path / "bad.npz", transitions=transitions, place_names=["home", "water"], place_states=[0])
    with pytest.raises(BadWorldFile, match="does not hold a world"):
        load_world(tmp_path / "bad.npz")


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        ({"positions": np.zeros((2, 2))}, "positions"),
        ({"action_names": ("go",)}, "action_names"),
        ({"places": {"water": 3}}, "water is 3"),
        ({"links": np.array([[0, 7]])}, "link 1 is 7"),
        ({"start": -1}, "start is -1"),
    ],
)
def test_a_map_of_other_states_is_refused(transitions, drawing, message):
    with pytest.raises(ValueError, match=message):
        hiql.worlds.World(transitions, 0.9, **drawing)


def test_plain_numbers_are_codes_of_the_world_and_names_are_names():
    grid = coding_of(named_world("grid:5x5"))
    assert in_codes_of(grid, trajectories([24, 7], [4, 2])).states.tolist() == [24, 7]
    assert in_codes_of(grid, trajectories([24, 7], ["stay", "left"])).actions.tolist() == [4, 2]
    with pytest.raises(UnknownLabel, match="state '25'"):
        in_codes_of(grid, trajectories([25, 7], [4, 2]))
    with pytest.raises(UnknownLabel, match="action 'jump'"):
        in_codes_of(grid, trajectories([24, 7], ["jump", "left"]))


def test_bad_files_are_refused(tmp_path, transitions):
    with pytest.raises(BadWorldFile, match="no such file"):
        load_world(tmp_path / "absent.npz")
    (tmp_path / "text.npz").write_text("P")
    np.savez(tmp_path / "other.npz", x=1)
    np.savez(tmp_path / "objects.npz", transitions=np.array([{}], dtype=object))
    np.savez(tmp_path / "labels.npz", transitions=transitions, states=["a", "a", "b"])
    for name in ("text", "other", "objects", "labels"):
        with pytest.raises(BadWorldFile, match=r"np.savez"):
            load_world(tmp_path / f"{name}.npz")
    np.savez(tmp_path / "sums.npz", transitions=2 * transitions)
    with pytest.raises(InvalidTransitions, match="sums to 2"):
        load_world(tmp_path / "sums.npz")


def trajectories(states, actions):
    import pandas as pd

    return hiql.Trajectories.from_dataframe(pd.DataFrame({"session": 1, "state": states, "action": actions}))


@pytest.mark.parametrize("as_sparse", [False, True])
def test_a_world_that_forbids_what_was_seen_is_pointed_out(as_sparse):
    expert = hiql.worlds.simulate_two_goals(30, random_state=0)
    order = np.random.default_rng(0).permutation(25)
    shuffled = expert.world.transitions[order][:, :, order]
    matrices = [sparse.csr_array(shuffled[:, a]) for a in range(5)] if as_sparse else shuffled
    data = expert.data
    seen = zip(data.states, data.actions, data.next_states, strict=True)
    expected = np.mean([shuffled[s, a, t] == 0 for s, a, t in seen])
    world = hiql.MDP(matrices, 0.9)
    assert impossible_share(world, data) == pytest.approx(expected)
    assert impossible_share(expert.world, data) == 0
    assert any("impossible in this world" in note for note in hiql.HIAVI(1, mdp=world).fit(data).notes_)
    assert not hiql.HIAVI(1, mdp=expert.world).fit(data).notes_


def test_names_in_the_table_need_names_in_the_world(tmp_path, transitions):
    np.savez(tmp_path / "p.npz", transitions=transitions)
    with pytest.raises(InvalidParameter, match=r"names of states.*np.savez\(FILE, transitions=P, states="):
        in_codes_of(load_world(tmp_path / "p.npz")[1], trajectories(["a", "b"], [0, 1]))
