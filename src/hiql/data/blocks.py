"""Long arrays, block by block: no temporary is larger than a block, and mapped files do not fill the memory.

The pages of a mapped file that a program reads count as its memory until the system wants them back. Here each block
is given back as soon as it has been used; what lies in the system's file cache is not read from the disk again.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK = 2**17
"""Steps of a block: the temporaries made from it stay in the processor's cache."""
NEIGHBOURHOOD = 2**20
"""Bytes around a page that the system may bring in with it: they are given back, too. A multiple of every page size."""

Array = npt.NDArray[Any]


def in_blocks(*arrays: Array, size: int = BLOCK) -> Iterator[tuple[int, tuple[Array, ...]]]:
    """For arrays of one length: where each block starts, and that part of each array."""
    for start in range(0, len(arrays[0]), size):
        parts = tuple(array[start : start + size] for array in arrays)
        yield start, parts
        for part in parts:
            give_back(part)


def mapped_file(array: Array) -> mmap.mmap | None:
    """The mapping that an array is a view of; None if it lies in memory, or may differ from its file."""
    base: Any = array
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap) and base.mode == "c":  # changes live in memory only: they must stay there
            return None
        base = base.base
    return base if isinstance(base, mmap.mmap) else None


def give_back(part: Array) -> None:
    """Drop the pages under a part of a mapped array from our memory; they come back from the file when needed."""
    mapping = mapped_file(part)
    if mapping is None or not hasattr(mapping, "madvise") or part.nbytes == 0:
        return
    begin = part.ctypes.data - np.frombuffer(mapping, dtype=np.uint8).ctypes.data
    start = begin - begin % NEIGHBOURHOOD
    span = part.itemsize + sum((n - 1) * stride for n, stride in zip(part.shape, part.strides, strict=True))
    end = min(begin + span + NEIGHBOURHOOD, len(mapping))
    mapping.madvise(mmap.MADV_DONTNEED, start, end - start)
