"""A proposal, tried stage by stage: what is remembered, when minds change, whether animals differ.

A full product of all axes would take hours. Each stage varies one proposed axis, and K, at the best values of those
before and the first values of those after; what was asked for is crossed in full in all of them. In the end all
candidates of all stages are judged together.

People who differ look like intentions that switch. So before animals are pooled, candidates without any switching are
scored: where "each animal its own" wins, no more than two intentions need to be tried around a population.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from hiql.sweep.plan import AXES, LATER, can_pool
from hiql.sweep.proposal import FIRST_NUMBERS, Proposal
from hiql.sweep.traits import GROUPS, rivals

Candidate = dict[str, Any]


@dataclass(frozen=True)
class Stages:
    """The candidates of each stage, once it is known what was best before.

    ``are_told_apart``: whether there are several subjects, of whom each is met in the fit and in what is held out.
    """

    proposal: Proposal
    are_told_apart: bool = False

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Callable[[Candidate | None], list[Candidate]]]:
        return iter(self._all)

    @property
    def _all(self) -> list[Callable[[Candidate | None], list[Candidate]]]:
        """The stages that have something to try; the first always, for K."""
        proposal = self.proposal
        several = sum(map(len, proposal.families.values())) > 1 and "family" not in proposal.given
        by_clock = len(proposal.clocks) > 1 and "clock" not in proposal.given
        by_pool = len(proposal.pools) > 1 and "pool" not in proposal.given
        further = [self._clocks] if by_clock or (several and self._first_numbers() != proposal.n_intentions) else []
        apart: list[Callable[[Candidate | None], list[Candidate]]] = [self._rivals] if self.are_told_apart else []
        pools = [self._pools, self._more_pooled] if by_pool else []
        return [self._readings, *further, *apart, *pools, *(apart if by_pool else [])]

    def _first_numbers(self) -> tuple[int, ...]:
        """Every K if it was asked for or there is one reading, else the first few."""
        kinds = [(key, family) for key, families in self.proposal.families.items() for family in families]
        if self._k_asked or len(kinds) == 1:
            return self.proposal.n_intentions
        return tuple(k for k in self.proposal.n_intentions if k in FIRST_NUMBERS)

    def _readings(self, best: Candidate | None) -> list[Candidate]:  # noqa: ARG002
        proposal = self.proposal
        clocks = tuple(proposal.clocks) if "clock" in proposal.given else tuple(proposal.clocks)[:1]
        kinds = [(key, family) for key, families in proposal.families.items() for family in families]
        return self._product(kinds, clocks, self._asked_pools(), self._first_numbers())

    def _clocks(self, best: Candidate | None) -> list[Candidate]:
        """The first clock with every K; the others with no more than one further, and two at least: with one intention
        there is nothing to switch."""
        kinds = [(best["history"], best["family"])] if best else []
        first, *others = self.proposal.clocks
        numbers, most = self.proposal.n_intentions, best["n_intentions"] + 1 if best else 0
        fewer = [k for k in numbers if k > 1 and (k <= max(most, 2) or self._k_asked)]
        tried = self._product(kinds, [first], self._asked_pools(), numbers)
        return tried + self._product(kinds, others, self._asked_pools(), fewer)

    def _rivals(self, best: Candidate | None) -> list[Candidate]:
        """Of the best so far, those that never switch."""
        return rivals(best) if best else []

    def _pools(self, best: Candidate | None) -> list[Candidate]:
        """With two intentions at least: one for each animal is among those that never switch, always tried. If such a
        one is best, with two; else with no more than one further."""
        if best is None or not can_pool(best["family"]):
            return []
        still = best["n_intentions"] == 1 or best["dynamics"] == GROUPS
        clock = next(iter(self.proposal.clocks)) if still else best["dynamics"]
        return self._pooled(best, clock, 2 if still else best["n_intentions"] + 1)

    def _more_pooled(self, best: Candidate | None) -> list[Candidate]:
        """All numbers, if two intentions around a population are better than one."""
        switches = best is not None and best.get("pool") is not None and best["n_intentions"] > 1
        return self._pooled(best, best["dynamics"], max(self.proposal.n_intentions)) if best and switches else []

    def _pooled(self, best: Candidate, clock: str, most: int) -> list[Candidate]:
        numbers = tuple(k for k in self.proposal.n_intentions if k > 1 and (k <= most or self._k_asked))
        clocks = tuple(self.proposal.clocks) if "clock" in self.proposal.given else (clock,)
        return self._product([(best["history"], best["family"])], clocks, self.proposal.pools, numbers)

    @property
    def _k_asked(self) -> bool:
        return "n_intentions" in self.proposal.given

    def _asked_pools(self) -> tuple[str | None, ...]:
        return self.proposal.pools if "pool" in self.proposal.given else self.proposal.pools[:1]

    def _product(
        self,
        kinds: Sequence[tuple[Hashable, str]],
        clocks: Sequence[str],
        pools: Sequence[str | None],
        numbers: Sequence[int],
    ) -> list[Candidate]:
        axes = kinds, self.proposal.pseudo_counts, clocks, self.proposal.priors, pools, numbers
        names = "kind", "pseudo_count", "dynamics", "prior", "pool", "n_intentions"
        found: list[dict[str, Any]] = [dict(zip(names, values, strict=True)) for values in product(*axes)]
        made: list[Candidate] = [{**each, "history": each["kind"][0], "family": each["kind"][1]} for each in found]
        return [{axis: each[axis] for axis in AXES} for each in made]


def axes_of(unit: dict[str, Any]) -> Candidate:
    """What tells the candidate of a unit apart."""
    return {axis: (LATER | unit)[axis] for axis in AXES}


def most_candidates(proposal: Proposal) -> list[Candidate]:
    """Those of all stages, as if the first ones were best at the largest K: for an estimate of the time."""
    key, families = next(iter(proposal.families.items()))
    first = {"history": key, "family": families[0], "dynamics": next(iter(proposal.clocks))}
    best = first | {"n_intentions": max(proposal.n_intentions)}
    tried = {tuple(each.items()): each for stage in Stages(proposal) for each in stage(best)}
    return list(tried.values())
