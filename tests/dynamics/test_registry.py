"""Kinds of dynamics by name."""

from __future__ import annotations

import pytest
from numpy.testing import assert_array_equal

import hiql
from hiql.dynamics import MarkovChain, make_dynamics
from hiql.dynamics.registry import DYNAMICS
from hiql.errors import InvalidParameter


@pytest.mark.parametrize("name", DYNAMICS)
def test_a_name_makes_its_dynamics(name):
    assert make_dynamics(name) == DYNAMICS[name]()


def test_a_model_takes_a_name_and_keeps_it_in_its_file(tmp_path):
    data = hiql.worlds.simulate_two_goals(20, random_state=0).data
    named = hiql.HIQL(2, dynamics="markov").fit(data)
    assert_array_equal(named.transition_, hiql.HIQL(2, dynamics=MarkovChain()).fit(data).transition_)
    named.save(tmp_path / "m.hiql")
    assert hiql.load(tmp_path / "m.hiql").dynamics == "markov"


@pytest.mark.parametrize("dynamics", ["semi-markow", "", 3, MarkovChain])
def test_what_is_no_dynamics_is_told_with_those_that_there_are(dynamics):
    data = hiql.worlds.simulate_two_goals(20, random_state=0).data
    with pytest.raises(InvalidParameter, match=r"dynamics is .*; choose from 'markov'.*hiql\.dynamics"):
        hiql.HIQL(2, dynamics=dynamics).fit(data)
