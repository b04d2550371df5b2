"""What may stand in a model's file: classes of this package, and those that others have added."""

from __future__ import annotations

from typing import TypeVar

Kind = TypeVar("Kind", bound=type)
KINDS: dict[str, type] = {}


def register(kind: Kind) -> Kind:
    """Let models hold this dataclass (a part of your own, or its parameters) when they are saved and loaded."""
    KINDS[kind.__name__] = kind
    return kind
