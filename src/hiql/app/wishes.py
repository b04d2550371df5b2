"""What a user chose on the page, checked and kept as plain text, and the command line that says the same.

Nothing chosen here is a path: tables and results are where the page put them.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from hiql.data.tables import NO_COLUMN
from hiql.data.usual_names import USUAL_NAMES
from hiql.errors import InvalidParameter

OPTIONAL = ("session", "subject", "step", "next_state")
"""Roles whose columns are recognised by name; where none is wanted, that has to be said."""
FURTHER = ("inputs", "context", "day", "order")
"""What else a column can be for, as the command line calls it."""
ROLES = (*USUAL_NAMES, *FURTHER)
SINGLE = {"step", "outcome", "day", "order"}
LONGEST = 2000


@dataclass(frozen=True)
class Wishes:
    """``roles`` maps column names to what they mean, in the order of the table (None: recognise them by their names);
    the rest are options of ``hiql select`` as they are typed there, empty where it has a default."""

    roles: dict[str, str] | None = None
    missing: str = ""
    memory: str = ""
    intentions: str = ""
    history: str = ""
    dynamics: str = ""
    switch_by: str = ""
    prior: str = ""
    pool: str = ""
    by: str = ""
    world: str = ""
    hold_out: str = ""
    restarts: str = ""
    seed: str = ""

    def columns(self) -> dict[str, list[str]]:
        """The columns of each role."""
        found: dict[str, list[str]] = {}
        for name, role in (self.roles or {}).items():
            found.setdefault(role, []).append(name)
        return found

    def options(self) -> list[str]:
        """How to read the table, as ``hiql`` takes it."""
        columns = self.columns()
        said = [f"{_flag(role)}={name}" for role in ROLES for name in columns.get(role, [])]
        if self.roles is not None:
            absent = [role for role in OPTIONAL if role not in columns]
            absent += ["state"] if "action" in columns and "state" not in columns else []
            said += [f"{_flag(role)}={NO_COLUMN}" for role in absent]
        said += [f"--missing={value}" for value in self.not_observed()]
        return said + ([f"--memory={self.memory}"] if self.memory else [])

    def candidates(self) -> list[str]:
        """What to try, as ``hiql select`` takes it."""
        names = [each.name for each in fields(self) if each.name not in {"roles", "missing", "memory"}]
        return [f"{_flag(name)}={getattr(self, name)}" for name in names if getattr(self, name)]

    def not_observed(self) -> list[str]:
        return [value.strip() for value in self.missing.split(",") if value.strip()]

    def plain(self) -> dict[str, Any]:
        return asdict(self)


def wishes_in(values: Mapping[str, Any]) -> Wishes:
    """Wishes from plain values, which may come from anywhere: only known names, only short text."""
    known = {each.name for each in fields(Wishes)}
    roles = values.get("roles")
    texts = {name: value for name, value in values.items() if name != "roles"}
    if not set(values) <= known or not all(_is_short(value) for value in texts.values()):
        raise InvalidParameter(parameter="choices", value=sorted(map(str, values)), remedy="choose on the page")
    if roles is not None and not (isinstance(roles, Mapping) and all(role in ROLES for role in roles.values())):
        raise InvalidParameter(parameter="columns", value=roles, remedy=f"choose from {', '.join(ROLES)}")
    return Wishes(**texts, roles=None if roles is None else dict(roles))


def commands(table: str, wishes: Wishes, jobs: int) -> list[list[str]]:
    """What the page runs, and anyone may run again: choose, then decode."""
    select = ["select", table, *wishes.options(), *wishes.candidates(), f"--jobs={jobs}", "--out=results", "--json"]
    return [select, ["decode", "results/model.hiql", table, "--out=results/decoded.csv"]]


def as_typed(arguments: Sequence[str]) -> str:
    """A command for a terminal, without what only the page needs."""
    return shlex.join(["hiql", *(each for each in arguments if each != "--json" and not each.startswith("--jobs="))])


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST and value.isprintable()
