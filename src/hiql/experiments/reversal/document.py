"""The results of the reversal task as JSON holds them."""

from __future__ import annotations

from typing import Any

from hiql.experiments.reversal.compute import ReversalResult, SourceResult
from hiql.experiments.reversal.config import POOLED
from hiql.models import IntentionModel


def document(result: ReversalResult) -> dict[str, Any]:
    """What results.json holds of the result."""
    return {"sources": {name: _document(part) for name, part in result.sources.items()}}


def models(result: ReversalResult) -> dict[str, IntentionModel]:
    """The fits to all sessions of each source."""
    return {name: part.model for name, part in result.sources.items()}


def _document(part: SourceResult) -> dict[str, Any]:
    """A source's result as JSON holds it."""
    return {
        "table": str(part.source.path),
        "sha256": part.source.sha256,
        "sizes": {"animals": len(part.animals.names), "sessions": part.data.n_sessions, "trials": part.data.n_observed},
        "scores": part.scores._asdict(),
        "chosen": {
            "history": part.scores.chosen_history,
            **{method: part.scores.chosen_size(method) for method in ("plain", POOLED)},
        },
        "names": part.names,
        "profile": part.profile,
        "profile_by_animal": dict(zip(part.animals.names, part.animals.profiles, strict=True)),
        "initial": part.model.initial_,
        "transition": part.model.transition_,
        "transition_by_animal": dict(zip(part.animals.names, part.animals.transitions, strict=True)),
        "strengths": {"animals": part.together.policy_strength_[:, 0], "chains": part.together.transition_strength_},
        "aligned": part.aligned,
        "correct": part.performance | {"rule": part.task.rule},
        "around_switches": part.around,
        "switching": part.switching,
        "truth": part.truth,
    }
