"""The table of decoded steps agrees with the model it comes from."""

from __future__ import annotations

import numpy as np
import pytest

import hiql
from hiql.errors import UnequalLengths
from hiql.export import decoding_table
from tests.problems import switching_data


@pytest.fixture(scope="module")
def fitted():
    data, mdp, _ = switching_data(np.random.default_rng(0), n_sessions=6)
    return hiql.HIAVI(2, mdp=mdp).fit(data), data


def test_every_column_is_what_the_model_says(fitted):
    model, data = fitted
    table = decoding_table(model, data, ["home", "water"])
    assert len(table) == data.n_steps
    np.testing.assert_allclose(table[["p_home", "p_water"]], model.smooth_proba(data))
    np.testing.assert_allclose(table[["causal_home", "causal_water"]], model.filter_proba(data))
    decoded = model.decode(data)
    assert (table["decoded"] == np.array(["home", "water"])[decoded]).all()
    assert np.log(table["p_action"]).sum() == pytest.approx(model.score(data))
    np.testing.assert_allclose(table["value"], model.value_[decoded, data.states])
    assert (table["advantage"] <= 1e-12).all()
    np.testing.assert_allclose(table["reward"], model.reward_[decoded, data.states, data.actions])


def test_missing_steps_have_posteriors_but_no_action_values(fitted):
    model, data = fitted
    gap = hiql.Trajectories.from_arrays([[0, 1, -1]], [[0, -1, 1]], n_states=data.n_states, n_actions=data.n_actions)
    table = decoding_table(model, gap)
    assert table["p_1"].notna().all()
    assert table["p_action"].isna().tolist() == [False, True, True]
    assert table["value"].isna().tolist() == [False, False, True]
    assert table["reward"].isna().tolist() == [False, True, True]


def test_names_must_fit(fitted):
    model, data = fitted
    with pytest.raises(UnequalLengths, match="names"):
        decoding_table(model, data, ["one"])
