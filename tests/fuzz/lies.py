"""Files that are whole and lie: other values where sound ones stood, of the kind and shape expected or of none."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np

VALUES = [
    *(None, True, False, 0, 1, -1, 2, 3, 7, 2**31 - 1, 2**31, -(2**31), 2**63, 10**40),
    *(0.5, -0.5, 1e-320, 1e308, float("nan"), float("inf"), "", "x", "none", "0", "\0", "ada", [], {}, [0], [None]),
    *({"array": "array0"}, {"array": "array9999"}, {"tuple": []}, {"float": "nan"}, {"float": "-inf"}, {"dict": {}}),
]
NUMBERS = [0, 1, -1, 2, 3, 100, 2**31 - 1, -(2**31), 2**62, 0.5, 1e-300, 1e300, np.nan, np.inf, -np.inf]

WORDS = [
    *(
        "",
        " ",
        "NA",
        "nan",
        "None",
        "-",
        ".",
        "?",
        "inf",
        "-inf",
        "1e400",
        "1e308",
        "-1e308",
        "1e-320",
        "0",
        "-0",
        "-1",
    ),
    *("1", "1.0", "01", "+1", "2", "1.5", "2147483648", "-9223372036854775809", "9" * 25, "True", "x", "a b", "é"),
    *("2026-11-19", "12:30", "1/2", "0x10", "1_000", "=1+1", "\0", "none", "session", "state", "stimulus", "reward"),
]


def lying_model(seeds: list[bytes], rng: np.random.Generator) -> bytes:
    """A model file with one to three other values in its document, its arrays, or both."""
    with zipfile.ZipFile(io.BytesIO(seeds[rng.integers(len(seeds))])) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    names = sorted(entries)
    for _ in range(rng.integers(1, 4)):
        name = names[rng.integers(len(names))] if rng.random() < 0.6 else "model.json"
        change = _other_value if name.endswith(".json") else _other_numbers
        entries[name] = change(entries[name], rng)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def lying_lines(seeds: list[bytes], rng: np.random.Generator) -> bytes:
    """Lines of JSON, of which some have another value or another field."""
    lines = seeds[rng.integers(len(seeds))].splitlines()
    for at in rng.integers(len(lines), size=rng.integers(1, 4)):
        lines[at] = _other_value(lines[at], rng)
    return b"\n".join(lines) + b"\n"


def lying_table(seeds: list[bytes], rng: np.random.Generator) -> bytes:
    """The first of the seeds, as text, with other words in some cells, in a whole column, or in the header."""
    rows = [line.split(",") for line in seeds[0].decode().splitlines()]
    for _ in range(rng.integers(1, 4)):
        row, column = rng.integers(len(rows)), rng.integers(len(rows[0]))
        there = rows[rng.integers(len(rows))][rng.integers(len(rows[0]))]
        words = [WORDS[n] for n in rng.integers(len(WORDS), size=len(rows))]
        if rng.random() < 0.7:
            rows[row][column] = there if rng.random() < 0.2 else words[0]
        else:
            kept = len(set(words)) - 1 if rng.random() < 0.5 else int(rng.integers(3))
            for number, other in enumerate(rows[1:]):
                other[column] = words[number % (kept + 1)]
    return "".join(",".join(row) + "\n" for row in rows).encode()


def _other_value(content: bytes, rng: np.random.Generator) -> bytes:
    """The document with something else in one place, or one place less; something else in place of one without any."""
    document = json.loads(content)
    ways = list(_places(document))
    if not ways:
        return json.dumps(VALUES[rng.integers(len(VALUES))]).encode()
    *way, last = ways[rng.integers(len(ways))]
    inner = document
    for key in way:
        inner = inner[key]
    if rng.random() < 0.1:
        del inner[last]
    else:
        inner[last] = VALUES[rng.integers(len(VALUES))] if rng.random() < 0.8 else _at(document, ways, rng)
    return json.dumps(document).encode()


def _at(document: Any, ways: list[tuple[Any, ...]], rng: np.random.Generator) -> Any:
    """What stands in another place of the document."""
    for key in ways[rng.integers(len(ways))]:
        document = document[key]
    return json.loads(json.dumps(document))


def _places(tree: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all places in a document but its root."""
    for key, inner in tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ():
        yield (*at, key)
        yield from _places(inner, (*at, key))


def _other_numbers(content: bytes, rng: np.random.Generator) -> bytes:
    """An array with other numbers in some places, or of another kind or shape."""
    array = np.load(io.BytesIO(content)).copy()
    what = rng.random()
    if what < 0.7 and array.size:
        with np.errstate(all="ignore"):
            number = np.array(NUMBERS[rng.integers(len(NUMBERS))]).astype(array.dtype)
        array.reshape(-1)[rng.integers(array.size, size=rng.integers(1, 4))] = number
    elif what < 0.8:
        array = array.astype([np.int64, np.float32, np.float64, np.uint8, bool, "U3"][rng.integers(6)])
    elif what < 0.9 and array.ndim:
        array = array[: rng.integers(len(array) + 1)]
    else:
        array = [array[None], array.T, np.concatenate([array, array]) if array.ndim else array][rng.integers(3)]
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, array, allow_pickle=False)
    return buffer.getvalue()
