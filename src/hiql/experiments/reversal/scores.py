"""The units' results, gathered by stage."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from hiql.evaluate.animals.stages import over_all
from hiql.experiments.as_printed import AS_PRINTED
from hiql.experiments.results import mean_and_error
from hiql.experiments.reversal.config import POOLED, ReversalConfig
from hiql.sweep import Outcome


class Scores(NamedTuple):
    """What the three stages found.

    ``histories[ℓ]``, ``intentions[method][K]`` and ``baselines[name]`` hold train and test (mean ± error over folds,
    nats per trial), ``pooled`` (all held-out trials together) and ``by_subject``; ``whole[method][K]`` the fits to all
    sessions, with BIC, and ``coarse[K]`` those of ℓ = 1; ``individuals`` the third stage.
    """

    histories: dict[int, dict[str, Any]]
    intentions: dict[str, dict[int, dict[str, Any]]]
    baselines: dict[str, dict[str, Any]]
    whole: dict[str, dict[int, dict[str, Any]]]
    coarse: dict[int, dict[str, Any]]
    individuals: dict[str, Any]
    seconds: float

    @property
    def chosen_history(self) -> int:
        """ℓ by held-out likelihood."""
        return max(self.histories, key=lambda length: self.histories[length]["test"]["mean"])

    def chosen_size(self, method: str = "plain") -> dict[str, int]:
        """K by held-out likelihood, and by BIC where parameters can be counted."""
        tests = {k: found["test"]["mean"] for k, found in self.intentions[method].items()}
        bics = {k: found["bic"] for k, found in self.whole[method].items()}
        chosen = {"held out": max(tests, key=lambda k: tests[k])}
        return chosen | ({"BIC": min(bics, key=lambda k: bics[k])} if bics else {})


def gather_scores(config: ReversalConfig, outcomes: list[Outcome]) -> Scores:
    """All units of one source; those that failed are left out."""
    methods = ["plain", POOLED, *(["stochastic"] if config.stochastic else [])]
    return Scores(
        {length: _folds(_with(outcomes, "history", history=length)) for length in config.histories},
        {method: _by_size(outcomes, method) for method in [*methods, AS_PRINTED]},
        {name: _folds(_with(outcomes, "baseline", method=name)) for name in ("fQ-learning", "random")},
        {method: _whole(outcomes, method, config.history) for method in [*methods, "fQ-learning"]},
        _whole(outcomes, "plain", 1),
        _individuals(_with(outcomes, "individuals")),
        sum(o.seconds for o in outcomes),
    )


def _with(outcomes: Iterable[Outcome], stage: str, **settings: Any) -> list[Outcome]:
    wanted = {"stage": stage, **settings}
    return [o for o in outcomes if all(o.unit.get(key) == value for key, value in wanted.items())]


def _size(outcome: Outcome) -> int:
    return int(outcome.unit["size"])


def _by_size(outcomes: list[Outcome], method: str) -> dict[int, dict[str, Any]]:
    mine = _with(outcomes, "intentions", method=method)
    return {k: _folds([o for o in mine if _size(o) == k]) for k in sorted({_size(o) for o in mine})}


def _whole(outcomes: list[Outcome], method: str, history: int) -> dict[int, dict[str, Any]]:
    mine = _with(outcomes, "whole", method=method, history=history)
    return {_size(o): o.result for o in sorted(mine, key=_size)}


def _folds(outcomes: list[Outcome]) -> dict[str, Any]:
    """Mean ± error over folds; of each animal, the mean over folds."""
    results = [o.result for o in outcomes]
    if not results:
        nothing = {"mean": float("nan"), "error": float("nan")}
        empty: dict[str, Any] = {"train": nothing, "test": nothing, "pooled": float("nan"), "leaking": None}
        return empty | {"by_subject": {}}
    return {
        "train": mean_and_error(r["train"] for r in results),
        "test": mean_and_error(r["test"] for r in results),
        "pooled": _pooled(results, "test"),
        "leaking": _pooled(results, "leaking"),
        "by_subject": _subjects([r["by_subject"] for r in results]),
    }


def _pooled(results: list[dict[str, Any]], key: str) -> float | None:
    """Over all held-out trials together; None where a model has no such score."""
    values = [r[key] for r in results]
    return None if None in values else float(np.average(values, weights=[r["test_trials"] for r in results]))


def _subjects(folds: list[dict[str, Any]]) -> dict[str, float]:
    names = dict.fromkeys(name for fold in folds for name in fold)
    return {name: float(np.mean([fold[name][0] for fold in folds if name in fold])) for name in names}


def _individuals(outcomes: list[Outcome]) -> dict[str, Any]:
    """Stage 3: the global fit, each animal's own, and all in one, on the held-out sessions of each animal."""
    results = [o.result for o in outcomes]
    return {
        kind: {
            "pooled": mean_and_error(over_all(r[kind]) for r in results),
            "by_subject": _subjects([r[kind] for r in results]),
        }
        for kind in (results[0] if results else ())
    }
