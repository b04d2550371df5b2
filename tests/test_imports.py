"""Who may import whom, and how light the import is."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import hiql

SOURCE = Path(hiql.__file__).parent
LADDER = [
    {"errors", "files", "progress"},
    {"kernels"},
    {"data"},
    {"worlds"},
    {"datasets"},
    {"parts"},
    {"priors"},
    {"dynamics"},
    {"choices"},
    {"rewards"},
    {"solvers"},
    {"engine"},
    {"models"},
    {"baselines"},
    {"evaluate"},
    {"export"},
    {"sweep"},
    {"plots"},
    {"report"},
    {"experiments"},
    {"app"},
    {"cli"},
]
RUNG = {name: height for height, names in enumerate(LADDER) for name in names}
HEAVY = {"matplotlib", "plotly", "typer", "starlette", "uvicorn"}


def room(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    """Every module imported anywhere in a file, as dotted names."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda p: str(p.relative_to(SOURCE)))
def test_packages_import_only_from_those_before_them(path):
    here = room(path)
    if here == "__init__":
        return
    assert here in RUNG, f"{here} has no place on the ladder"
    for name in imports(path):
        root, *rest = name.split(".")
        if root == "hiql" and rest and rest[0] in RUNG:
            same = rest[0] == here
            assert same or RUNG[rest[0]] < RUNG[here], f"{here} may not import {rest[0]}"
        if root in HEAVY:
            assert RUNG[here] >= RUNG["plots"], f"{here} may not import {root}"


def test_importing_hiql_does_not_load_plotting_or_the_command_line():
    code = f"import sys, hiql; print([m for m in {sorted(HEAVY)} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_importing_hiql_loads_nothing_until_a_name_is_used():
    code = "import sys, hiql; print([m for m in sys.modules if m.startswith(('hiql.', 'numpy', 'numba', 'sklearn'))])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'HIALV'"):
        _ = hiql.HIALV
    assert set(hiql.__all__) < set(dir(hiql))
    assert hiql.__version__


def test_every_public_name_exists_and_is_documented():
    for name in hiql.__all__:
        assert getattr(hiql, name).__doc__, name
