"""How often does the default fit find the best optimum known, and at what cost? (Twenty-four problems of many shapes.)

The rows have the share of default fits, over problems and seeds, that end within 0.1 % of the best objective known: one
row for the problems that a search may be chosen by, one for those that are only reported on. Below them each problem.
The best known is the best that any search has found, on record in ``benchmarks/results/optima.json``; what beats it
is written there. With ``--thorough N``, N searches six times as long as the default's look for it, too.

The cost of a fit is counted in passes over the data, against the default search of ``BEFORE`` on the same problem,
which is on record as well (``--record``); a second search in coarser rows and learned priors are not counted.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import beta

from hiql.engine.search import AGREE
from hiql.files import write_whole
from optima_problems import CHOOSING, PROBLEMS, REPORTING, Shape
from rows import Row, arguments, report, tell

GOAL = 0.95
BEFORE = "version 0.2 before these problems were looked at"
RECORD = Path(__file__).parent / "results" / "optima.json"
LONGER = 6
THOROUGH = 10_000
"""The first seed of long searches; those of default fits are smaller."""


def searched(shape: Shape, seeds: range, longer: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """The objective and the passes of a fit for each seed."""
    data = shape.data()
    usual = shape.model()
    patience = 12 * (usual.n_intentions - 1) * longer if longer > 1 else None
    options = {"n_init": usual.n_init * longer, "patience": patience}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fits = [shape.model(random_state=seed, **options).fit(data) for seed in seeds]
    return np.array([fit.objective_ for fit in fits]), np.array([fit.restarts_.n_passes for fit in fits])


def measured(shape: Shape, options: argparse.Namespace, record: dict[str, Any]) -> tuple[np.ndarray, str, float]:
    """Which seeds came near the best known, what to say of it, and the passes over those of before."""
    ends, passes = searched(shape, range(options.first, options.first + options.seeds))
    known = record.setdefault(shape.name, {"best": -np.inf})
    tried = [*ends, known["best"]]
    if options.thorough:
        tried.extend(searched(shape, range(THOROUGH, THOROUGH + options.thorough), LONGER)[0])
    known["best"] = best = float(max(tried))
    if options.record:
        known["passes"] = float(passes.mean())
    if options.record or best > min(tried):
        write_whole(RECORD, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    found = ends >= best - AGREE * abs(best)
    ratio = passes.mean() / known.get("passes", np.nan)
    detail = (
        f"worst {(ends.min() - best) / abs(best):+.2%} of {best:.1f}; {passes.mean():.0f} passes, {ratio:.2f} × before"
    )
    return found, detail, ratio


def share_row(what: str, found: np.ndarray, goal: float | None, detail: str) -> Row:
    """The share of ``found`` that is true; its quartiles are those of its posterior (Jeffreys' prior)."""
    share = found.mean()
    low, high = beta.ppf((0.25, 0.75), found.sum() + 0.5, (~found).sum() + 0.5)
    shown = (round(float(value), 4) for value in (share, min(low, share), max(high, share)))
    return Row(what, *shown, goal, detail)


def rows(options: argparse.Namespace) -> Iterator[Row]:
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    for half in options.half:
        single, every, ratios = [], [], []
        for shape in [shape for shape in PROBLEMS if shape.half == half and options.only in shape.name]:
            found, detail, ratio = measured(shape, options, record)
            single.append(share_row(shape.name, found, None, detail))
            tell(f"{shape.name}: {found.sum()} of {len(found)}; {detail}")
            every.extend(found)
            ratios.append(ratio)
        if every:
            cost = f"{len(single)} problems × {options.seeds} seeds; {np.mean(ratios):.2f} × the passes of before"
            yield share_row(f"share of fits near the best, {half} half", np.array(every), GOAL, cost)
            yield from single


if __name__ == "__main__":
    parser = arguments(__doc__)
    parser.add_argument("--seeds", type=int, default=6)
    parser.add_argument("--first", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--half", nargs="+", choices=(CHOOSING, REPORTING), default=[CHOOSING, REPORTING])
    parser.add_argument("--only", default="", help="problems whose name has this text")
    parser.add_argument("--thorough", type=int, default=0, help="how many longer searches look for the best known")
    parser.add_argument(
        "--record", action="store_true", help="these are the passes that later searches are held against"
    )
    options = parser.parse_args()
    report("Local optima", rows(options), options)
