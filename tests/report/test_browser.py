"""Packed sessions: nothing is lost but the promised precision, and there is never too much."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hiql
from hiql.report.browser import bytes_of, choose_sessions, codes, pack
from tests.report.problems import findings, random_sessions, unpacked

SUBJECT_BY_SUBJECT = (0, 2, 1)
"""The sessions of ``found``, in the order of the page."""


@pytest.fixture(scope="module")
def found():
    data = random_sessions((7, 1, 30), missing=0.2, subjects=("a", "b", "a"), state_labels=tuple("vwxyz"))
    return findings(data, 3)


def test_every_column_comes_back(found):
    book, shown = pack(found)
    assert shown.is_all_of(found.data)
    for place, i in enumerate(SUBJECT_BY_SUBJECT):
        steps = found.data.session(i)
        columns = unpacked(book, place)
        for name, values in (("state", found.data.states), ("action", found.data.actions)):
            got = columns[name].astype(int)
            np.testing.assert_array_equal(np.where(got == 255, -1, got), values[steps])
        np.testing.assert_array_equal(columns["decoded"], found.decoded[steps])
        for name, values in (("smoothed", found.smoothed), ("causal", found.causal)):
            np.testing.assert_allclose(columns[name].reshape(-1, 3) / 255, values[steps], atol=1 / 510 + 1e-12)
        taken = found.taken[steps]
        known = ~np.isnan(taken)
        np.testing.assert_allclose(columns["taken"][known] / 255, taken[known], atol=1 / 510 + 1e-12)
        missing = (found.data.states[steps] < 0) | (found.data.actions[steps] < 0)
        np.testing.assert_array_equal(known, ~missing)


def test_the_probability_of_the_action_taken_is_the_causal_prediction(found):
    proba = found.model.predict_action_proba(found.data)
    for t in np.flatnonzero(~np.isnan(found.taken)):
        assert found.taken[t] == proba[t, found.data.actions[t]]


def test_the_header_tells_names_and_is_json(found):
    book, _ = pack(found)
    again = json.loads(json.dumps(book, allow_nan=False))
    assert [session["name"] for session in again["sessions"]] == [str(i) for i in SUBJECT_BY_SUBJECT]
    assert [again["subjects"][session["subject"]] for session in again["sessions"]] == ["a", "a", "b"]
    assert again["states"]["0"] == "v"
    assert again["map"] is None


def test_actions_without_labels_are_called_what_the_world_calls_them():
    world = hiql.worlds.gridworld(2)
    book, _ = pack(findings(random_sessions([9], n_states=4, n_actions=5), 1, world))
    assert tuple(book["actions"]) == world.action_names


def test_only_labels_of_states_that_occur_travel():
    data = hiql.Trajectories.from_arrays([[3, 9]], [[0, 1]], state_labels=[f"s{i}" for i in range(10_000)])
    book, _ = pack(findings(data, 1))
    assert book["states"] == {3: "s3", 9: "s9"}


@pytest.mark.parametrize(("size", "dtype"), [(255, "u1"), (256, "u2"), (65_535, "u2"), (65_536, "u4")])
def test_codes_take_the_narrowest_type_that_leaves_a_value_for_missing(size, dtype):
    packed = codes([-1, 0, size - 1], size)
    assert packed.dtype == np.dtype(dtype)
    assert packed.tolist() == [np.iinfo(packed.dtype).max, 0, size - 1]


def test_probabilities_keep_their_ends():
    assert bytes_of([0.0, 0.5, 1.0, 1.0 + 1e-12]).tolist() == [0, 128, 255, 255]


def test_where_room_is_short_every_subject_shows_its_first_sessions():
    data = random_sessions([10] * 6, subjects=("a", "a", "a", "a", "b", "b"))
    shown = choose_sessions(data, bytes_per_step=3, most_bytes=45 * 3 * 4 // 3)
    assert shown.sessions.tolist() == [0, 1, 4, 5]
    assert not shown.is_all_of(data)


def test_a_session_longer_than_all_room_is_cut():
    data = random_sessions([100, 5])
    shown = choose_sessions(data, bytes_per_step=3, most_bytes=30 * 3 * 4 // 3)
    assert shown.sessions.tolist() == [0]
    assert shown.steps.tolist() == [30]


def test_packed_sessions_keep_to_their_room(found):
    book, shown = pack(found, most_bytes=200)
    assert len(shown.sessions) < found.data.n_sessions
    assert sum(len(session["data"]) for session in book["sessions"]) <= 200 + 4 * len(shown.sessions)


def test_true_intentions_are_renumbered_to_match_the_decoded_ones(two_goals):
    data = two_goals.data.select(range(100))
    found = findings(data, 2, two_goals.world)
    assert found.truth is not None
    agreed = np.mean(found.truth == found.decoded)
    assert agreed == hiql.evaluate.decoding_agreement(found.decoded, data.intentions)
    book, _ = pack(found)
    np.testing.assert_array_equal(unpacked(book, 3)["truth"], found.truth[data.session(3)])
    assert len(book["map"]["x"]) == two_goals.world.n_states
