"""The comparison in words and numbers."""

from __future__ import annotations

from hiql.baselines.recipes import RECIPES
from hiql.experiments.related.compute import (
    BAR,
    Cell,
    Difference,
    RelatedResult,
    at_par,
    best_system,
    contrasts,
    leaders,
)
from hiql.experiments.related.worlds import WORLDS
from hiql.experiments.results import markdown_table

HOW_TO_READ = (
    "Every system is a pair of parts of this package, fitted by the same engine and scored through one door: the "
    "log-likelihood of held-out sessions, each action given those before it. Samplers of the original papers are "
    "replaced by EM to the mode; the list of systems below says what else differs. A cell is a statement about the "
    "assumptions of a system, not about the authors' code."
)

EVIDENCE_SAID = (
    "A lower bound of log p(data), parameters averaged over, for systems whose parameters have posteriors here: tables "
    "and regressions, with the chains between them. What is planned for has none."
)

SYSTEMS = ("system", "paper", "clock", "choice", "prior", "what differs here")


def sections(result: RelatedResult) -> list[str]:
    """Systems, likelihoods, truth recovered, costs, and what each assumption bought, in words."""
    config = result.config
    return [
        f"{len(config.systems)} systems, {len(config.sizes)} worlds, {config.folds} of sessions, seed {config.seed}.",
        HOW_TO_READ,
        *_missing(result),
        "## Held-out log-likelihood (nats a step)",
        f"Bold: at par with the best, that is at most {BAR} nats behind it or two standard errors (paired by session).",
        _table(result, _nats),
        "## What each assumption bought",
        *_bought(result),
        "## Where a simpler system is as good",
        *_simplest(result),
        "## Expected value difference (lower is better)",
        _table(result, lambda cell, _: _number(cell.evd, 3)),
        "## Steps decoded as the intention that they were",
        _table(result, lambda cell, _: _number(cell.agreement, 2)),
        "## Evidence (nats a step, of all sessions)",
        EVIDENCE_SAID,
        _table(result, lambda cell, _: _number(cell.evidence, 3)),
        "## Free parameters",
        _table(result, lambda cell, _: f"{cell.n_free:.0f}"),
        "## Seconds a fit",
        _table(result, lambda cell, _: f"{cell.seconds:.1f}"),
        "## The worlds",
        *(f"- **{name}** ({size} sessions): {_said(name)}" for name, size in config.sizes.items()),
        "## The systems",
        markdown_table(SYSTEMS, _systems(result), n_text=len(SYSTEMS)),
    ]


def _systems(result: RelatedResult) -> list[list[str]]:
    recipes = [RECIPES[system] for system in result.config.systems]
    return [[r.name, r.reference, r.clock, r.choice, r.prior, r.differs] for r in recipes]


def _missing(result: RelatedResult) -> list[str]:
    missing = [world for world, cells in result.cells.items() if not cells]
    return [f"Not run, for their data were not found: {_listed(missing)}."] if missing else []


def _said(world: str) -> str:
    return (WORLDS[world].__doc__ or "").split("\n")[0]


def _table(result: RelatedResult, shown: object) -> str:
    worlds = list(result.config.sizes)
    rows = []
    for system in result.config.systems:
        found = [(result.cells[world].get(system), result.cells[world]) for world in worlds]
        cells = ["–" if cell is None else shown(cell, there) for cell, there in found]  # type: ignore[operator]
        if set(cells) != {"–"}:
            rows.append([system, *cells])
    return markdown_table(["system", *worlds], rows)


def _nats(cell: Cell, there: dict[str, Cell]) -> str:
    text = f"{cell.nats:.3f}"
    return f"**{text}**" if at_par(cell, there[best_system(there)]) else text


def _number(value: float | None, digits: int) -> str:
    return "–" if value is None else f"{value:.{digits}f}"


def _bought(result: RelatedResult) -> list[str]:
    """One sentence for each assumption."""
    return [f"- {said_of(label, found)}" for label, found in contrasts(result).items() if found]


def said_of(label: str, found: dict[str, Difference]) -> str:
    """Where an assumption bought something, where it cost, and where it made no difference."""
    gained: list[str] = []
    lost: list[str] = []
    alike: list[str] = []
    for world, (gain, error) in sorted(found.items(), key=lambda item: -item[1].gain):
        clear = abs(gain) > max(BAR, 2.0 * error)
        text = f"{abs(gain):.3f} ± {error:.3f} in {world}"
        (alike if not clear else gained if gain > 0 else lost).append(world if not clear else text)
    parts = [
        f"gained {_listed(gained)}" if gained else "",
        f"cost {_listed(lost)}" if lost else "",
        f"made no clear difference in {_listed(alike)}" if alike else "",
    ]
    return f"**{label[0].upper()}{label[1:]}**: " + "; ".join(part for part in parts if part) + "."


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def _simplest(result: RelatedResult) -> list[str]:
    """In each world the system of fewest free parameters among those at par."""
    lines = []
    for world, cells in result.cells.items():
        if not cells:
            continue
        best, (least, *level) = best_system(cells), leaders(cells)
        others = [system for system in level if system != best]
        text = f"- {world}: **{best}** is best ({cells[best].n_free:.0f} free parameters)"
        if least != best:
            text += f"; **{least}** is as good with {cells[least].n_free:.0f}"
        lines.append(text + (f"; at par, too: {_listed(others)}." if others else "."))
    return lines
