"""Sizes, names and labels as plain values for a file; and whether those of somebody's file make sense."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from hiql.data.codes import label_text
from hiql.data.memory import Memory
from hiql.errors import InvalidParameter

if TYPE_CHECKING:
    from hiql.data.coding import Coding
    from hiql.data.trajectories import Trajectories

MOST_PAIRS = 20_000_000
"""Pairs of a state and an action beyond which a fit would need gigabytes."""
SIZES = ("n_states", "n_actions")
NAMES = ("session_names", "subjects", "input_names", "context_names")
LABELS = ("state_labels", "action_labels", "outcome_labels")
SINCE_COLUMNS: dict[str, Any] = {
    "input_names": [],
    "context_names": [],
    "context_labels": [],
    "outcome_labels": None,
    "memory": None,
}
"""What files without columns do not say."""


def about_of(data: Trajectories) -> dict[str, Any]:
    """Plain values from which :func:`checked_about` makes the fields of ``Trajectories`` that are no arrays."""
    about = {name: getattr(data, name) for name in (*SIZES, *NAMES)}
    about |= {name: plain_labels(getattr(data, name)) for name in LABELS}
    about["context_labels"] = [plain_labels(labels) for labels in data.context_labels]
    return about | {"memory": None if data.memory is None else asdict(data.memory)}


def checked_about(about: dict[str, Any]) -> dict[str, Any]:
    """Sizes, names and labels, if they are of the right kinds."""
    about = SINCE_COLUMNS | about
    sizes = {name: about[name] for name in SIZES}
    names = {name: about[name] for name in NAMES}
    labels = {name: about[name] for name in LABELS}
    sound = all(type(size) is int and size < 2**31 for size in sizes.values())
    sound &= all(isinstance(name, list) and all(isinstance(n, str) for n in name) for name in names.values())
    sound &= all(label is None or _are_labels(label) for label in labels.values())
    sound &= isinstance(about["context_labels"], list) and all(map(_are_labels, about["context_labels"]))
    if not sound:
        raise ValueError("its sizes, names or labels are of the wrong kind")
    if sizes["n_states"] * sizes["n_actions"] > MOST_PAIRS:
        raise ValueError(
            f"it has {sizes['n_states']} states × {sizes['n_actions']} actions, more than {MOST_PAIRS} pairs"
        )
    same: dict[str, str] = {}  # one string for all sessions of a subject
    names["subjects"] = [same.setdefault(name, name) for name in names["subjects"]]
    fields = sizes | {name: None if values is None else tuple(values) for name, values in (names | labels).items()}
    memory = about["memory"] and {k: tuple(v) if isinstance(v, list) else v for k, v in about["memory"].items()}
    memory = Memory(**memory) if memory else None
    check_memory(memory, fields["input_names"])
    return fields | {"context_labels": tuple(map(tuple, about["context_labels"])), "memory": memory}


def _are_labels(labels: Any) -> bool:
    return isinstance(labels, list) and all(isinstance(label, str | int | float) for label in labels)


def _are_days(days: Any) -> bool:
    known = isinstance(days, tuple) and all(type(day) in (int, float) for day in days)
    return known and bool(np.isfinite(days).all() and (np.diff(days) > 0).all())


def plain_labels(labels: Sequence[Hashable] | None) -> tuple[Hashable, ...] | None:
    """Labels that a file of plain values can hold: numbers and text."""
    if labels is None or all(isinstance(label, str | int | float) for label in labels):
        return None if labels is None else tuple(labels)
    return tuple(label_text(label) for label in labels)


def check_description(coding: Coding) -> None:
    """Names are text and each its own; every input has a mean and a scale above 0, every context has labels."""
    for field in ("input_names", "context_names", "subjects"):
        names = getattr(coding, field)
        if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise InvalidParameter(parameter=field, value=names, remedy="give names, each once")
    means, scales = coding.input_means, coding.input_scales
    sound = len(means) == len(scales) == len(coding.input_names)
    sound = sound and all(isinstance(number, int | float) for number in (*means, *scales))
    if not sound or not np.isfinite([*means, *scales]).all() or not all(scale > 0 for scale in scales):
        remedy = "give a finite mean and a scale above 0 for each input"
        raise InvalidParameter(parameter="input_means, input_scales", value=(means, scales), remedy=remedy)
    labels = coding.context_labels
    sound = len(labels) == len(coding.context_names) and all(isinstance(each, tuple) for each in labels)
    if not sound or not all(isinstance(label, str | int | float) for each in labels for label in each):
        remedy = "give for each context a tuple of numbers or text"
        raise InvalidParameter(parameter="context_labels", value=labels, remedy=remedy)
    if not all(isinstance(kind, str | int | float) for kind in coding.outcome_kinds):
        remedy = "give a tuple of numbers or text"
        raise InvalidParameter(parameter="outcome_kinds", value=coding.outcome_kinds, remedy=remedy)
    days = coding.days
    sound = isinstance(days, tuple) and len(days) in (0, len(coding.subjects)) and all(map(_are_days, days))
    if not sound:
        raise InvalidParameter(parameter="days", value=days, remedy="give ascending numbers for each subject")
    check_memory(coding.memory, coding.input_names)


def check_memory(memory: Any, input_names: Sequence[str]) -> None:
    """The traces of a memory are among the inputs."""
    if memory is None:
        return
    if not isinstance(memory, Memory) or not set(memory.names) <= set(input_names):
        remedy = "give an hiql.data.memory.Memory whose traces are among the inputs, or None"
        raise InvalidParameter(parameter="memory", value=memory, remedy=remedy)
