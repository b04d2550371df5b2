"""The memory of scoring mapped data with inputs does not grow with them."""

from __future__ import annotations

import sys

import pytest


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_scoring_mapped_inputs_takes_bounded_memory(module):
    """4·10^6 steps with five inputs lie in 153 MB, of which a process may keep the codes of its steps (15 MB)."""
    small, large = module("columns").memory_of_scoring(4_000_000)
    assert large - small < 60
