"""Tables of simulated animals to try the page on, each with the command that writes the same table."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pandas as pd

from hiql.app.wishes import Wishes
from hiql.worlds import simulate_places, simulate_psychophysics, simulate_reversal


class Example(NamedTuple):
    """``command`` are the arguments with which ``hiql`` writes the table to ``file``."""

    file: str
    title: str
    text: str
    make: Callable[[], pd.DataFrame]
    command: tuple[str, ...]
    wishes: Wishes


EXAMPLES = {
    "bandit": Example(
        "reversal.csv",
        "Choices and rewards",
        "Nine mice choose left or right; now and then the better side changes.",
        lambda: simulate_reversal(9, 36, random_state=0).table,
        ("simulate", "reversal", "--sessions=36"),
        Wishes(intentions="1-4", history="1", dynamics="markov", pool="none"),
    ),
    "maze": Example(
        "places.csv",
        "A track through a maze",
        "An animal goes to and fro on a grid and changes its mind at places.",
        lambda: simulate_places(24, 150, random_state=0).table(),
        ("simulate", "places", "--sessions=24", "--steps=150"),
        Wishes(intentions="1-3", dynamics="markov,by-state", world="grid:5x5"),
    ),
    "psychophysics": Example(
        "psychophysics.csv",
        "Stimuli and answers",
        "Four animals judge a stimulus, and are engaged, biased or disengaged by turns.",
        lambda: simulate_psychophysics(4, 6, 150, random_state=0).table(),
        ("simulate", "psychophysics", "--sessions=6", "--trials=150"),
        Wishes(intentions="1-4", dynamics="markov", pool="none"),
    ),
}
"""By the name of the button."""
