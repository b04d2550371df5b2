"""What is second best, or as good: by held-out differences, or by evidence where nothing was held out."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from hiql.sweep.rivals import as_good, best_of_each_k, rivals_in_words, rivals_table


def judged(**columns):
    table = pd.DataFrame(
        {
            "history": [None] * 4,
            "family": ["hiql"] * 4,
            "pseudo_count": [0.1] * 4,
            "dynamics": ["markov", "markov", "by-state", "semi-markov"],
            "prior": ["flat"] * 4,
            "pool": [None] * 4,
            "n_intentions": [1, 2, 2, 3],
            "held_out": np.nan,
            "evidence": np.nan,
            "bic": [300.0, 200.0, np.nan, 210.0],
            "to_chosen": np.nan,
            "to_chosen_se": np.nan,
            "agrees_with_chosen": [0.5, 1.0, 0.97, 0.8],
        }
        | columns
    )
    return SimpleNamespace(table=table, chosen=1)


@pytest.mark.parametrize(("by_place", "expected"), [(-90.0, []), (-102.5, [2]), (-97.6, [2])])
def test_evidence_tells_rivals_where_nothing_was_held_out(by_place, expected):
    selection = judged(evidence=[-150.0, -100.0, by_place, -104.0])
    assert as_good(selection.table, 1) == expected
    told = rivals_in_words(selection)
    assert f"K = 2, by-state ({by_place + 100:+.1f}" in told
    assert told.startswith("Within 3 nats of its evidence" if expected else "Second best")
    assert rivals_table(selection)["candidate"].tolist()[0] == "K = 2, by-state"
    assert rivals_table(selection)["difference to the choice"].tolist()[-1] == "-50.0"
    rows = best_of_each_k(selection.table, 1)
    assert rows.index.tolist() == [0, 1, 3]


def test_the_best_of_each_number_has_the_most_evidence_though_it_has_no_bic():
    selection = judged(evidence=[-150.0, -100.0, -90.0, -104.0])
    selection.chosen = 0
    assert best_of_each_k(selection.table, 0).index.tolist() == [0, 2, 3]


def test_held_out_differences_come_first():
    selection = judged(
        evidence=[-150.0, -100.0, -99.0, -104.0],
        held_out=[-0.6, -0.5, -0.52, -0.499],
        to_chosen=[-0.1, 0.0, -0.02, 0.001],
        to_chosen_se=[0.01, 0.0, 0.01, 0.002],
    )
    assert as_good(selection.table, 1) == [3]
    assert "Within one standard error of the choice: K = 3, semi-markov (+0.0010 ± 0.0020" in rivals_in_words(selection)


def test_of_nothing_nothing_is_told():
    selection = judged()
    assert rivals_table(selection) is None
    assert "see the table" in rivals_in_words(selection)
