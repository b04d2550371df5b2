"""Columns of new data, found by their names and put into the codes that a model knows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from hiql.data.codes import MISSING, label_text
from hiql.data.step_columns import FloatArray, IntArray
from hiql.data.trajectories import Trajectories
from hiql.errors import BadColumns

INDICATOR = "="
"""The indicator of a label is called by its column and label: cue=left."""


def indicator_name(column: str, label: Hashable) -> str:
    return f"{column}{INDICATOR}{label_text(label)}"


def input_columns(wanted: Sequence[str], names: Sequence[str]) -> list[int]:
    """Where each wanted input lies among ``names``; -1 for the indicator of a label that these data do not show.

    The indicators of a column stand for it: where any of them is there, one that is not is 0 throughout.
    """
    place = {name: i for i, name in enumerate(names)}
    stems = {name.partition(INDICATOR)[0] for name in names if INDICATOR in name}
    for name in wanted:
        if name not in place and not (INDICATOR in name and name.partition(INDICATOR)[0] in stems):
            raise missing_column("input", name, names)
    return [place.get(name, MISSING) for name in wanted]


def taken(inputs: FloatArray, columns: Sequence[int]) -> FloatArray:
    """(n, len(columns)) these columns of the inputs, and zeros for -1."""
    if list(columns) == list(range(inputs.shape[1])):
        return inputs
    found = inputs[:, np.maximum(columns, 0)] if inputs.shape[1] else np.zeros((len(inputs), len(columns)))
    found[:, np.asarray(columns, dtype=int) < 0] = 0.0
    return found


def context_column(name: str, names: Sequence[str]) -> int:
    if name not in names:
        raise missing_column("context", name, names)
    return list(names).index(name)


def missing_column(kind: str, name: str, names: Sequence[str]) -> BadColumns:
    listing = ", ".join(map(repr, names[:8])) or "none"
    options = {
        "input": "inputs=[…] in hiql.read_table, --inputs",
        "context": "contexts=[…] in hiql.read_table, --context",
        "outcome": "outcome=… in hiql.read_table, outcomes=… in Trajectories.from_arrays",
    }
    return BadColumns(
        what=f"the model needs the {kind} {name!r}, which the data do not have; their {kind}s: {listing}",
        remedy=f"give the data a column of that name ({options[kind]}), or fit a model without it",
    )


def in_order(
    data: Trajectories,
    input_names: Sequence[str],
    context_names: Sequence[str],
    context_labels: Sequence[tuple[Hashable, ...]],
) -> Trajectories:
    """The same data with these inputs and contexts first, in this order and in these codes, and any others behind."""
    inputs = input_columns(input_names, data.input_names)
    inputs += [i for i, name in enumerate(data.input_names) if name not in input_names]
    contexts = [context_column(name, data.context_names) for name in context_names]
    labels = dict(zip(context_names, context_labels, strict=True))
    contexts += [i for i, name in enumerate(data.context_names) if name not in labels]
    names = tuple(data.context_names[i] for i in contexts)
    meanings = tuple(labels.get(name, data.context_labels[i]) for name, i in zip(names, contexts, strict=True))
    if inputs == list(range(len(data.input_names))) and (names, meanings) == (data.context_names, data.context_labels):
        return data
    coded = [_recoded(data, i, labels) for i, labels in zip(contexts, meanings, strict=True)]
    return replace(
        data,
        inputs=taken(data.inputs, inputs),
        input_names=(*input_names, *(name for name in data.input_names if name not in input_names)),
        contexts=np.stack(coded, axis=1) if coded else data.contexts,
        context_names=names,
        context_labels=meanings,
    )


def _recoded(data: Trajectories, column: int, known: tuple[Hashable, ...]) -> npt.NDArray[np.int64]:
    """(N,) a context in the codes of ``known``, -1 for a label that is not among them."""
    codes = known_codes(data.contexts[:, column], data.context_labels[column], known)
    return np.where(codes == len(known), MISSING, codes)


def known_codes(codes: IntArray, labels: Sequence[Hashable], known: Sequence[Hashable]) -> npt.NDArray[np.int64]:
    """(n,) the codes of the same labels among ``known``; ``len(known)`` for what is unknown there or missing.

    That last code is where a model keeps what holds for all: a label that it has never met falls to the parent.
    """
    code = {label_text(label): i for i, label in enumerate(known)}
    lookup = [*(code.get(label_text(label), len(known)) for label in labels), len(known)]  # the last serves code -1
    return np.array(lookup, dtype=np.int64)[codes]
