"""What every experiment writes: results.json with provenance, and numbers as people read them."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable, Sequence
from dataclasses import asdict, is_dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from hiql.files import write_whole

PACKAGES = ("hiql", "numpy", "scipy", "numba", "scikit-learn")


def write_results(path: Path, config: Any, results: dict[str, Any]) -> Path:
    """``results`` beside the config they come from and the versions that made them; NaN becomes null."""
    document = {
        "config": asdict(config) if is_dataclass(config) and not isinstance(config, type) else config,
        "versions": {name: version(name) for name in PACKAGES} | {"python": platform.python_version()},
        **results,
    }
    return write_whole(path, json.dumps(_plain(document), indent=1, allow_nan=False, ensure_ascii=False))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float | np.floating):
        return float(value) if math.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


def mean_and_error(values: Iterable[float]) -> dict[str, float]:
    """Mean and standard error (0 for a single value)."""
    numbers = np.array(list(values), dtype=np.float64)
    error = numbers.std(ddof=1) / math.sqrt(len(numbers)) if len(numbers) > 1 else 0.0
    return {"mean": float(numbers.mean()), "error": float(error)}


def plus_minus(summary: dict[str, float], digits: int = 2) -> str:
    """Written as mean ± error."""
    return f"{summary['mean']:.{digits}f} ± {summary['error']:.{digits}f}"


def markdown_table(header: Sequence[str], rows: Iterable[Sequence[object]], n_text: int = 1) -> str:
    """A Markdown table; the first ``n_text`` columns are text, the others are numbers."""
    lines = [f"| {' | '.join(header)} |", "|" + " --- |" * n_text + " ---: |" * (len(header) - n_text)]
    lines += [f"| {' | '.join(str(cell) for cell in row)} |" for row in rows]
    return "\n".join(lines)
