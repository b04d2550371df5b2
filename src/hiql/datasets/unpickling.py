"""Reading pickles that others made: numpy arrays and plain containers, and nothing else."""

from __future__ import annotations

import io
import pickle
from pathlib import Path
from typing import Any

import numpy as np

from hiql.errors import DatasetUnavailable

ADMITTED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): np.ndarray,
    ("numpy", "dtype"): np.dtype,
}
for _module in ("numpy.core", "numpy._core"):
    ADMITTED[f"{_module}.multiarray", "_reconstruct"] = np._core.multiarray._reconstruct  # type: ignore[attr-defined]
    ADMITTED[f"{_module}.multiarray", "scalar"] = np._core.multiarray.scalar  # type: ignore[attr-defined]
    ADMITTED[f"{_module}.numeric", "_frombuffer"] = np._core.numeric._frombuffer  # type: ignore[attr-defined]


class _ArraysOnly(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return ADMITTED[module, name]
        except KeyError:
            raise pickle.UnpicklingError(f"{module}.{name} is not admitted") from None


def load_arrays(path: Path) -> Any:
    """The content of a pickle: arrays in lists, tuples and dicts; whatever could run code is refused."""
    try:
        return _ArraysOnly(io.BytesIO(path.read_bytes())).load()
    except Exception as error:  # broken pickles raise nearly anything
        raise DatasetUnavailable(
            name=path.name,
            problem=f"it is not a pickle of plain arrays ({error})",
            remedy="get the original file",
        ) from error
