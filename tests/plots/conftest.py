"""Axes to draw on, a small world with data, a fitted model; and a watch over matplotlib's global state."""

from __future__ import annotations

from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib._pylab_helpers import Gcf
from matplotlib.axes import Axes

import hiql
from hiql.plots import new_figure, style
from hiql.worlds.two_goals import TwoGoals


@pytest.fixture(autouse=True)
def _global_state_stays_untouched() -> Iterator[None]:
    before = dict(mpl.rcParams)
    yield
    assert Gcf.get_all_fig_managers() == []
    assert dict(mpl.rcParams) == before


@pytest.fixture
def ax() -> Iterator[Axes]:
    """An axis in the package's style; what was drawn is rendered at the end, so that warnings surface."""
    with style():
        axis = new_figure(3.0, 3.0).subplots()
        yield axis
        axis.figure.canvas.draw()


@pytest.fixture(scope="session")
def simulation() -> TwoGoals:
    return hiql.worlds.simulate_two_goals(60, random_state=0)


@pytest.fixture(scope="session")
def model(simulation: TwoGoals) -> hiql.HIAVI:
    return hiql.HIAVI(2, mdp=simulation.world, n_init=2, patience=0, progress=False).fit(simulation.data)


@pytest.fixture(scope="session")
def ragged() -> hiql.Trajectories:
    """Three sessions of 3, 2 and 1 steps."""
    lengths = (3, 2, 1)
    zeros = [np.zeros(n, dtype=int) for n in lengths]
    return hiql.Trajectories.from_arrays(zeros, zeros, n_states=1, n_actions=1)
