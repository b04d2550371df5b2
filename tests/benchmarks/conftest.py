"""The benchmarks are scripts in a folder and no package."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parent.parent.parent / "benchmarks"


@pytest.fixture
def module(monkeypatch):
    """Import a module of the benchmarks by its name."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    return importlib.import_module
