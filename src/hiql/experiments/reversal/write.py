"""Everything the experiment leaves behind: results.json, figures, models, summary.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hiql.experiments.results import write_results
from hiql.experiments.reversal.compute import ReversalResult, SourceResult
from hiql.experiments.reversal.figures import write_figures
from hiql.experiments.reversal.summary import summary
from hiql.files import write_whole


def write(result: ReversalResult, folder: Path) -> Path:
    """Write all files into ``folder``; returns the path of summary.md."""
    document = {"sources": {name: _document(part) for name, part in result.sources.items()}}
    failures = [failure._asdict() for failure in result.failures]
    write_results(folder / "results.json", result.config, document | {"failures": failures})
    for name, part in result.sources.items():
        part.model.save(folder / f"{name}.hiql")
        write_figures(part, folder, name, panels=result.config.panels)
    return write_whole(folder / "summary.md", summary(result))


def _document(part: SourceResult) -> dict[str, Any]:
    """A source's result as JSON holds it."""
    return {
        "table": str(part.source.path),
        "sha256": part.source.sha256,
        "sizes": {"animals": len(part.animals.names), "sessions": part.data.n_sessions, "trials": part.data.n_observed},
        "scores": part.scores._asdict(),
        "chosen": {
            "history": part.scores.chosen_history,
            **{method: part.scores.chosen_size(method) for method in ("plain", "back-off")},
        },
        "names": part.names,
        "profile": part.profile,
        "profile_by_animal": dict(zip(part.animals.names, part.animals.profiles, strict=True)),
        "initial": part.model.initial_,
        "transition": part.model.transition_,
        "transition_by_animal": dict(zip(part.animals.names, part.animals.transitions, strict=True)),
        "aligned": part.aligned,
        "correct": part.performance | {"rule": part.task.rule},
        "around_switches": part.around,
        "switching": part.switching,
        "truth": part.truth,
    }
