"""Clocks for tests: the one that CONTRIBUTING.md shows, and its twin that asks for the place left."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


def _printed_class():
    example = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text(), flags=re.DOTALL)[1]
    names = {"__name__": __name__}
    exec(compile(example.split("simulation =")[0], str(CONTRIBUTING), "exec", dont_inherit=True), names)
    return names["SwitchingByPlace"]


SwitchingByPlace = _printed_class()


@dataclass(frozen=True)
class SwitchingByPlaceLeft(SwitchingByPlace):
    """The matrix depends on the state of the step before, not on that of the step it leads into."""

    def chain(self, params, data):
        entered = super().chain(params, data)
        return entered._replace(rows=np.concatenate([entered.rows[:1], entered.rows[:-1]]))


@dataclass(frozen=True)
class SwitchingAfterReward(SwitchingByPlace):
    """The matrix depends on whether the step before was rewarded."""

    def chain(self, params, data):
        chain = super().chain(params, data)
        rewarded = np.zeros(data.n_steps) if data.outcomes is None else data.outcomes > 0
        return chain._replace(rows=np.concatenate([[0], rewarded[:-1]]).astype(np.uint32))
