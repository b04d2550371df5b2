"""How many intentions? Fit each K, and compare held-out likelihood and BIC."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from hiql.data.folds import Fold
from hiql.data.trajectories import Trajectories
from hiql.models import IntentionModel


class Candidate(NamedTuple):
    """One K: log-likelihoods per step (nats) on training and held-out sessions, BIC of the training data."""

    n_intentions: int
    train: float
    held_out: float
    bic: float
    model: IntentionModel


class Selection(NamedTuple):
    """All candidates; ``best`` is the one with the lowest BIC."""

    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        """The candidate with the lowest BIC."""
        return min(self.candidates, key=lambda candidate: candidate.bic)


def select_n_intentions(
    make_model: Callable[[int], IntentionModel], data: Trajectories, fold: Fold, n_intentions: Iterable[int]
) -> Selection:
    """Fit ``make_model(k)`` to the training sessions of a fold for each k, and score both sides."""
    train, test = data.select(fold.train), data.select(fold.test)
    candidates = []
    for k in n_intentions:
        model = make_model(k).fit(train)
        candidates.append(
            Candidate(k, model.score(train, per="step"), model.score(test, per="step"), model.bic(train), model)
        )
    return Selection(tuple(candidates))
