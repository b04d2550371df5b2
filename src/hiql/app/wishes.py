"""What a user chose on the page, checked and kept as plain text, and the command line that says the same.

Nothing chosen here is a path: tables and results are where the page put them.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

from hiql.data.readings import may_be_stimulus
from hiql.data.tables import NO_COLUMN
from hiql.data.usual_names import USUAL_NAMES, usual_role
from hiql.errors import InvalidParameter

FURTHER = ("inputs", "context", "day", "order")
"""What else a column can be for, as the command line calls it."""
ROLES = (*USUAL_NAMES, *FURTHER)
SINGLE = {"step", "outcome", "day", "order"}
LONGEST = 2000


@dataclass(frozen=True)
class Wishes:
    """``roles`` maps column names to what they mean, in the order of the table, "" for one that is put aside (None:
    recognise them by their names); the rest are options of ``hiql select`` as they are typed there, empty where it has
    a default."""

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
        """The columns of each role; "none" for one that a column put aside would be recognised for."""
        given: dict[str, list[str]] = {role: [] for role in ROLES}
        for name, role in (self.roles or {}).items():
            if role:
                given[role].append(name)
        aside = {role for name, said in (self.roles or {}).items() if not said for role in _recognised(name)}
        nothing = {role for role in aside - {"state"} if not given[role]}
        if given["action"] and not given["state"]:  # else the state may be a history of choices
            nothing.add("state")
        return {role: [NO_COLUMN] if role in nothing else names for role, names in given.items()}

    def options(self) -> list[str]:
        """How to read the table, as ``hiql`` takes it."""
        said = [f"{_flag(role)}={name}" for role, names in self.columns().items() for name in names]
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
    if roles is not None and not (isinstance(roles, Mapping) and {*roles.values()} <= {"", *ROLES}):
        raise InvalidParameter(parameter="columns", value=roles, remedy=f"choose from {', '.join(ROLES)}")
    return Wishes(**texts, roles=None if roles is None else dict(roles))


def commands(table: str, wishes: Wishes, jobs: int) -> list[list[str]]:
    """What the page runs, and anyone may run again: choose, then decode."""
    select = ["select", table, *wishes.options(), *wishes.candidates(), f"--jobs={jobs}", "--out=results", "--json"]
    return [select, ["decode", "results/model.hiql", table, "--out=results/decoded.csv"]]


def as_typed(arguments: Sequence[str]) -> str:
    """A command for a terminal, without what only the page needs."""
    return shlex.join(["hiql", *(each for each in arguments if each != "--json" and not each.startswith("--jobs="))])


def _recognised(name: str) -> list[str]:
    """What a column may be taken for by its name alone."""
    usual = usual_role(name)
    return ([usual] if usual else []) + (["inputs"] if may_be_stimulus(name) else [])


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST and value.isprintable()
