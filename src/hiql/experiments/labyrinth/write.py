"""Everything the experiment leaves behind: results.json, figures, summary.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from hiql.experiments.labyrinth import draw
from hiql.experiments.labyrinth.compute import CohortResult, LabyrinthResult
from hiql.experiments.labyrinth.summary import summary
from hiql.experiments.results import write_results
from hiql.files import write_whole
from hiql.plots import new_figure, save_figure, style


def write(result: LabyrinthResult, folder: Path) -> Path:
    """Write all files into ``folder``; returns the path of summary.md."""
    for number, (cohort, part) in enumerate(result.cohorts.items(), start=4):
        with style():
            save_figure(scores_figure(part, cohort), folder / f"figure_{number}ab_{cohort}_scores")
            save_figure(intentions_figure(part), folder / f"figure_{number}cde_{cohort}_intentions")
            save_figure(rewards_figure(part), folder / f"figure_{number}_{cohort}_rewards")
        part.model.save(folder / f"{cohort}.hiql")
    document = {"cohorts": {cohort: _document(part) for cohort, part in result.cohorts.items()}}
    write_results(folder / "results.json", result.config, document | {"failures": result.failures})
    return write_whole(folder / "summary.md", summary(result))


def scores_figure(part: CohortResult, cohort: str) -> Figure:
    """(a) log-likelihoods on the published split and on grouped folds, (b) BIC."""
    figure = new_figure(10.0, 3.2)
    published, grouped, bic = figure.subplots(1, 3)
    draw.draw_published(published, part, cohort)
    draw.draw_grouped(grouped, part)
    draw.draw_bic(bic, part)
    return figure


def intentions_figure(part: CohortResult) -> Figure:
    """(c) policies in the maze, (d) their course, (e) the transition matrix."""
    figure = new_figure(10.0, 8.2)
    top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=(1.75, 1.0))[:, 0]
    draw.draw_policies(top.subplots(1, part.model.n_intentions), part)
    course, matrix = bottom.subplots(1, 2, width_ratios=(1.5, 1.0))
    draw.draw_course(course, part)
    draw.draw_switching(matrix, part)
    return figure


def rewards_figure(part: CohortResult) -> Figure:
    """Value and reward maps, one row an intention."""
    figure = new_figure(9.0, 4.9 * part.model.n_intentions)
    draw.draw_rewards(figure.subplots(part.model.n_intentions, 2), part)
    return figure


def _document(part: CohortResult) -> dict[str, Any]:
    """A cohort's result as JSON holds it."""
    return {
        "leaks": part.leaks,
        "scores": part.scores,
        "bic_chooses": part.best,
        "names": part.names,
        "initial": part.model.initial_,
        "transition": part.model.transition_,
        "findings": [finding._asdict() for finding in part.findings],
        "analysis": part.analysis,
        "seconds": part.seconds,
    }
