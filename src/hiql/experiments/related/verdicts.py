"""No straw men: each system has to win, or be at par, in the world that was made for it."""

from __future__ import annotations

from hiql.baselines.recipes import RECIPES
from hiql.experiments.related.compute import BAR, RelatedResult, at_par, best_system, difference
from hiql.experiments.verdicts import Verdict, not_judged


def verdicts(result: RelatedResult) -> list[Verdict]:
    """One claim for each system that has a home among the worlds that were run."""
    judged = [RECIPES[system] for system in result.config.systems if RECIPES[system].home in result.config.sizes]
    return [_verdict(result, recipe.name, recipe.home) for recipe in judged]


def _verdict(result: RelatedResult, system: str, home: str) -> Verdict:
    recipe, cells = RECIPES[system], result.cells.get(home, {})
    where = f"{recipe.authors.split(',')[0].split(' & ')[0]} {recipe.year}" if recipe.year else "this package"
    claim = f"{system} wins or is at par in {home}"
    if system not in cells:
        return not_judged(where, claim, because="not run")
    best = best_system(cells)
    behind = difference(cells[best], cells[system])
    ours = f"{cells[system].nats:.3f} nats a step; {behind.gain:.3f} ± {behind.error:.3f} behind {best}"
    bar = f"at most {BAR} nats behind, or two standard errors"
    return Verdict(where, claim, "the best" if best == system else ours, bar, "–", at_par(cells[system], cells[best]))
