"""Nobody tests what kind of part stands behind a seam: a new clock or choice needs no line in any of these rooms."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import hiql

SOURCE = Path(hiql.__file__).parent
ROOMS_OF_PARTS = ("parts", "dynamics", "choices", "rewards")
ROOMS_WITHOUT_SWITCHES = ("engine", "models", "report", "evaluate", "sweep")
ROLES = {"part", "dynamics", "choice", "reward", "solver", "params", "point", "timeline"}
"""What parts and their parameters are called there, with or without underscores and ``_parameters``."""


def files(rooms):
    return sorted(path for room in rooms for path in (SOURCE / room).rglob("*.py"))


def parts():
    """The names of all classes of the rooms of parts."""
    trees = (ast.parse(path.read_text()) for path in files(ROOMS_OF_PARTS))
    return {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def names(node):
    """Every name and attribute in an expression."""
    found = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return found | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def role(node):
    """Whether an expression is, or is called to give, something named like a part."""
    node = node.func if isinstance(node, ast.Call) else node
    name = getattr(node, "id", None) or getattr(node, "attr", None) or ""
    return name.strip("_").removesuffix("_parameters") in ROLES


def is_call(node, *called):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in called


def asks_for_a_kind(node, known):
    """``isinstance(x, MarkovChain)``, ``type(dynamics) is …``, ``hasattr(choice, …)``, ``match x: case IAVI(): …``."""
    if is_call(node, "isinstance", "issubclass"):
        return bool(names(node.args[1]) & known) or role(node.args[0])
    if is_call(node, "hasattr") or (is_call(node, "getattr") and len(node.args) == 3):
        return role(node.args[0])
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        by_type = any(is_call(each, "type") or names(each) & {"__class__", "__name__"} for each in sides)
        return by_type and any(names(each) & (known | ROLES) for each in sides)
    return isinstance(node, ast.MatchClass) and bool(names(node.cls) & known)


def switches(text, known):
    """The lines that ask what kind of part something is."""
    return sorted({node.lineno for node in ast.walk(ast.parse(text)) if asks_for_a_kind(node, known)})


@pytest.mark.parametrize("path", files(ROOMS_WITHOUT_SWITCHES), ids=lambda p: str(p.relative_to(SOURCE)))
def test_no_room_asks_what_kind_of_part_it_has(path):
    assert switches(path.read_text(), parts()) == []


@pytest.mark.parametrize(
    "line",
    [
        "isinstance(x, MarkovChain)",
        "isinstance(model._choice(), (int, choices.TableChoice))",
        "isinstance(x, IAVI | None)",
        "isinstance(self.dynamics, Sized)",
        "issubclass(kind, StepChoice)",
        "type(dynamics) is MarkovChain",
        "type(problem.choice) in FAST",
        "self._reward().__class__ == ExpectedIQL",
        "type(part).__name__ == 'MarkovChain'",
        "hasattr(point.choice, 'log_policy')",
        "hasattr(self.choice_parameters_, 'log_policy')",
        "getattr(problem.dynamics, 'phases', None)",
        "match x:\n    case IAVI(): pass",
    ],
)
def test_what_a_switch_looks_like(line):
    assert switches(line, parts())


@pytest.mark.parametrize(
    "line",
    [
        "isinstance(k, int)",
        "hasattr(self, 'coding_')",
        "TableChoice()",
        "self.reward is None",
        "getattr(model, name, 1)",
    ],
)
def test_what_is_none(line):
    assert not switches(line, parts())
