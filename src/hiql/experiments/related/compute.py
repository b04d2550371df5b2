"""The units of the comparison, and how they are gathered into one table."""

from __future__ import annotations

import math
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hiql.baselines.recipes import RECIPES
from hiql.experiments.frame import Plan, Stage
from hiql.experiments.related.config import CONTRASTS, RelatedConfig
from hiql.experiments.related.fitting import applies, evidence_unit, fit_unit, has_evidence
from hiql.experiments.related.worlds import found
from hiql.sweep import Failure, Outcome

FITS, EVIDENCE = "related", "evidence of the related"
"""Kinds of units."""


class Cell(NamedTuple):
    """One system in one world: held-out ``nats`` a step, ``by_session`` (nats and steps of each held-out session),
    means over folds of seconds, free parameters, EVD and agreement, and the evidence of all sessions, in nats a step
    (None where undefined)."""

    nats: float
    by_session: dict[int, tuple[float, int]]
    seconds: float
    n_free: float
    evd: float | None
    agreement: float | None
    evidence: float | None


class Difference(NamedTuple):
    """What one system gains on another, in nats a step, paired by session, with its standard error."""

    gain: float
    error: float


class RelatedResult(NamedTuple):
    """``cells[world][system]``; systems that cannot work in a world, and those that failed, are missing."""

    config: RelatedConfig
    cells: dict[str, dict[str, Cell]]
    failures: list[Failure]


def plan(config: RelatedConfig, folder: Path) -> Plan[RelatedResult]:  # noqa: ARG001
    """Every system in every world in which it applies, fold by fold; then its evidence, where it has one."""
    fits, evidences = [], []
    for world, size in config.sizes.items():
        if (there := found(world, size, config.seed)) is None:
            continue
        search = {"n_init": config.n_restarts, "max_iter": config.max_iter, "seed": config.seed}
        for system in config.systems:
            if not applies(RECIPES[system], there):
                continue
            unit = {"world": world, "system": system, "size": size, **search}
            folds = [{"fold": fold, "n_folds": config.n_folds} for fold in range(config.folds_run)]
            fits += [{"experiment": FITS, **unit, **fold} for fold in folds]
            evidences += [{"experiment": EVIDENCE, **unit}] if has_evidence(RECIPES[system], there) else []
    stages = [Stage("Related work", fits, fit_unit), Stage("Evidence", evidences, evidence_unit)]
    return Plan(stages, partial(gather, config))


def gather(config: RelatedConfig, outcomes: list[Outcome], failures: list[Failure]) -> RelatedResult:
    """A cell for each world and system."""
    fits: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    evidence: dict[tuple[str, str], float] = {}
    for unit, result, _ in outcomes:
        where = unit["world"], unit["system"]
        if unit["experiment"] == FITS:
            fits[where].append(result)
        else:
            evidence[where] = result["evidence"]
    cells = {
        world: {s: _cell(fits[world, s], evidence.get((world, s))) for s in config.systems if (world, s) in fits}
        for world in config.sizes
    }
    return RelatedResult(config, cells, failures)


def _cell(results: list[dict[str, Any]], evidence: float | None) -> Cell:
    by_session = {
        session: (nats, steps)
        for r in results
        for session, nats, steps in zip(r["sessions"], r["nats"], r["steps"], strict=True)
    }
    nats, steps = (math.fsum(pair[i] for pair in by_session.values()) for i in (0, 1))
    evd, agreement = (_mean([r[name] for r in results]) for name in ("evd", "agreement"))
    seconds, n_free = (float(np.mean([r[name] for r in results])) for name in ("seconds", "n_free"))
    return Cell(nats / max(steps, 1), by_session, seconds, n_free, evd, agreement, evidence)


def _mean(values: list[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def difference(one: Cell, other: Cell) -> Difference:
    """What the first gains on the second in the sessions that both were judged on; sessions are independent."""
    common = sorted(one.by_session.keys() & other.by_session.keys())
    gains = np.array([one.by_session[s][0] - other.by_session[s][0] for s in common])
    steps = np.array([one.by_session[s][1] for s in common], dtype=np.float64)
    if not len(common):
        return Difference(math.nan, math.nan)
    mean = float(gains.sum() / steps.sum())
    spread = float(np.sqrt(((gains - mean * steps) ** 2).sum()) / steps.sum())
    return Difference(mean, spread)


def best_system(cells: dict[str, Cell]) -> str:
    """The system of highest held-out likelihood in a world."""
    return max(cells, key=lambda system: cells[system].nats)


BAR = 0.01
"""Nats a step below the best that count as at par, or two standard errors of the difference where that is more."""


def at_par(one: Cell, best: Cell) -> bool:
    """Whether a system is as good as the best."""
    behind = difference(best, one)
    return behind.gain <= max(BAR, 2.0 * behind.error)


def leaders(cells: dict[str, Cell]) -> list[str]:
    """The systems at par with the best of a world, those of fewest free parameters first."""
    best = cells[best_system(cells)]
    return sorted((name for name, cell in cells.items() if at_par(cell, best)), key=lambda name: cells[name].n_free)


def contrasts(result: RelatedResult) -> dict[str, dict[str, Difference]]:
    """What each assumption buys in each world, where both of its systems were fitted."""
    return {
        label: {
            world: difference(cells[first], cells[second])
            for world, cells in result.cells.items()
            if first in cells and second in cells
        }
        for label, first, second in CONTRASTS
    }


def document(result: RelatedResult) -> dict[str, Any]:
    """The result as JSON holds it."""
    shown = ("nats", "seconds", "n_free", "evd", "agreement", "evidence")
    table = {
        world: {system: {name: getattr(cell, name) for name in shown} for system, cell in cells.items()}
        for world, cells in result.cells.items()
    }
    bought = {
        label: {world: found._asdict() for world, found in by_world.items()}
        for label, by_world in contrasts(result).items()
    }
    level = {world: leaders(cells) for world, cells in result.cells.items() if cells}
    return {"cells": table, "at_par": level, "contrasts": bought}
