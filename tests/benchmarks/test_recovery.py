"""The recovery study in small: evidence finds the true number of intentions and the true clock."""

from __future__ import annotations

import numpy as np
import pytest

import hiql


def test_the_oracle_knows_what_it_is_asked(module):
    recovery = module("recovery")
    data, truth = recovery.simulated(2, "by-state", "small", 0)
    np.testing.assert_allclose(truth["moves"].sum(axis=-1), 1.0)
    one = recovery.merged(truth, 0, 1)
    np.testing.assert_allclose(one["policy"][0], truth["policy"].mean(axis=0))
    np.testing.assert_allclose(one["moves"], 1.0)
    exact = np.log(one["policy"][0][data.states, data.actions]).sum()
    assert recovery.log_likelihood(data, one) == pytest.approx(exact, rel=1e-9)
    assert recovery.log_likelihood(data, truth) > exact + 3.0


@pytest.mark.slow
def test_evidence_finds_number_and_clock(module):
    """Seed 100 is none of those that the study reports."""
    recovery = module("recovery")
    grid = [unit | {"seed": 100} for unit in recovery.units(1, ["small"], ["evidence"])]
    rows = [recovery.judged(unit, recovery.compute(unit))[0] for unit in grid]
    told = [row for row in rows if row["told"]]
    assert sum(row["K"] for row in told) >= 0.9 * len(told)
    assert sum(row["K and clock"] for row in told) >= 0.9 * len(told)
    assert all(row["K"] for row in rows if row["truth"] == "never")


@pytest.mark.slow
def test_evidence_chooses_two_intentions_and_places_on_a_large_grid():
    """400 places; what posteriors begin with was chosen on seeds 0 to 2 (docs/theory/evidence.md)."""
    simulation = hiql.worlds.simulate_places(30, 300, 1, side=20, discount=0.97, inverse_temperature=20.0)
    clocks = "markov", hiql.dynamics.ByState(context="state entered")
    chosen = hiql.select(simulation.data, range(1, 5), clocks, by="evidence", progress=False)
    row = chosen.table.iloc[chosen.selection.chosen]
    assert (row["n_intentions"], row["dynamics"]) == (2, repr(clocks[1]))
