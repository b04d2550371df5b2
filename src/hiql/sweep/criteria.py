"""The rules by which a candidate is chosen: what each looks at, what it needs, and how it tells why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from hiql.errors import InvalidParameter
from hiql.priors.estimates import TIE
from hiql.sweep.explanation import explain_bic, explain_evidence, explain_held_out


class Criterion(NamedTuple):
    """One rule of choice.

    Attributes
    ----------
    choose : gives the position of the chosen row of a table of candidates
    explain : says why, from the table and the positions of the chosen row and of the best held-out score
    folds : whether sessions are held out; without, the table has no held-out scores and every candidate is fitted once
    settings : how every model is fitted, so that the table has what the rule looks at
    same_steps : whether data of several histories must have evidence at the same steps
    """

    choose: Callable[[pd.DataFrame], int]
    explain: Callable[[pd.DataFrame, int, int], str]
    folds: bool = True
    settings: Mapping[str, Any] = MappingProxyType({})
    same_steps: bool = False


def _simplest_within_one_error(table: pd.DataFrame) -> int:
    """Simple is what has few free parameters; where some candidate's cannot be counted, what has few intentions."""
    near = table[table["gap"] >= -table["gap_se"]].assign(uncounted=lambda rows: rows["n_free"].isna())
    first = ["n_intentions", "uncounted"] if near["uncounted"].any() else ["n_free", "n_intentions"]
    simplest = near.sort_values(first, kind="stable")
    alike = simplest[(simplest[first] == simplest[first].iloc[0]).all(axis=1)]
    return int(_steady(alike)["gap"].idxmax())


def _steady(alike: pd.DataFrame) -> pd.DataFrame:
    """Those that switch little more than the steadiest does.

    With a matrix for each place, intentions may trade roles wherever an animal crosses a border, and predict as well:
    between places of two kinds, as in a tree, even the likelihood is the same. So minds that change less often win.
    """
    return alike[alike["switching"] <= MORE_OFTEN * alike["switching"].min()] if "switching" in alike else alike


MORE_OFTEN = 1.5
"""Candidates that switch so many times as often as another one, which is as good and as simple, are passed over."""


def _lowest_bic(table: pd.DataFrame) -> int:
    """Candidates whose rows are pooled have none, and are passed over."""
    if table["bic"].isna().all():
        remedy = "there is no BIC where rows are pooled (prior, pool, by-state): choose held-out"
        raise InvalidParameter(parameter="by", value="bic", remedy=remedy)
    return int(table["bic"].argmin(skipna=True))


def _simplest_by_evidence(table: pd.DataFrame) -> int:
    """Of those that evidence cannot tell from the highest, the simplest: the fewest intentions, and none pooled.

    Candidates without evidence are not fitted (:func:`hiql.sweep.run.able`), and told.
    """
    if table["evidence"].isna().all():
        remedy = "none of the candidates has one: choose held-out, or parts whose M-step is counting"
        raise InvalidParameter(parameter="by", value="evidence", remedy=remedy)
    near = table[table["evidence"] >= table["evidence"].max() - TIE]
    near = near.assign(pooled=near["n_free"].isna())
    order = ["n_intentions", "pooled", "evidence"]
    return int(near.sort_values(order, ascending=[True, True, False], kind="stable").index[0])


CRITERIA = {
    "held-out": Criterion(_simplest_within_one_error, explain_held_out),
    "bic": Criterion(_lowest_bic, explain_bic),
    "evidence": Criterion(
        _simplest_by_evidence,
        explain_evidence,
        folds=False,
        settings=MappingProxyType({"estimate": "bayes"}),
        same_steps=True,
    ),
}
"""Every rule by its name. A new one is a line here, and what it looks at a column of the table."""


def criterion_named(by: str) -> Criterion:
    if by not in CRITERIA:
        raise InvalidParameter(parameter="by", value=by, remedy=f"choose from {', '.join(CRITERIA)}")
    return CRITERIA[by]
