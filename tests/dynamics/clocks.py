"""Clocks for tests: the one that CONTRIBUTING.md shows, and others that differ in what they ask for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from hiql.parts import Rows

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


@cache
def example(number, before):
    """The names that CONTRIBUTING.md's example of this number has defined when it comes to ``before``."""
    shown = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text(), flags=re.DOTALL)[number]
    names = {"__name__": __name__}
    exec(compile(shown.split(before)[0], str(CONTRIBUTING), "exec", dont_inherit=True), names)
    return names


def printed(number, name, before):
    """A class that CONTRIBUTING.md shows in its example of this number."""
    return example(number, before)[name]


SwitchingByPlace = printed(0, "SwitchingByPlace", "simulation =")


@dataclass(frozen=True)
class SwitchingByPlaceLeft(SwitchingByPlace):
    """The matrix depends on the state of the step before, not on that of the step it leads into."""

    def bind(self, data):
        before = np.isin(np.roll(data.states, 1), self.places)
        return super().bind(data)._replace(moves=Rows.of_steps(2, before, data.offsets))


@dataclass(frozen=True)
class SwitchingAfterReward(SwitchingByPlace):
    """The matrix depends on whether the step before was rewarded."""

    def bind(self, data):
        rewarded = np.zeros(data.n_steps) if data.outcomes is None else data.outcomes > 0
        return super().bind(data)._replace(moves=Rows.of_steps(2, np.roll(rewarded, 1), data.offsets))
