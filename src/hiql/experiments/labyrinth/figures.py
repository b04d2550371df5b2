"""The files of the paper's Figures 5 and 6."""

from __future__ import annotations

from collections.abc import Iterator

from matplotlib.figure import Figure

from hiql.experiments.labyrinth import draw
from hiql.experiments.labyrinth.compute import CohortResult, LabyrinthResult
from hiql.plots import new_figure


def figures(result: LabyrinthResult) -> Iterator[tuple[str, Figure]]:
    """Scores, intentions and rewards of each cohort, numbered as in the paper."""
    for number, (cohort, part) in enumerate(result.cohorts.items(), start=5):
        yield f"figure_{number}ab_{cohort}_scores", scores_figure(part, cohort)
        yield f"figure_{number}cde_{cohort}_intentions", intentions_figure(part)
        yield f"figure_{number}_{cohort}_rewards", rewards_figure(part)


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
    draw.draw_policies(top.subplots(1, part.model.n_intentions_), part)
    course, matrix = bottom.subplots(1, 2, width_ratios=(1.5, 1.0))
    draw.draw_course(course, part)
    draw.draw_switching(matrix, part)
    return figure


def rewards_figure(part: CohortResult) -> Figure:
    """Value and reward maps, one row an intention."""
    figure = new_figure(9.0, 4.9 * part.model.n_intentions_)
    draw.draw_rewards(figure.subplots(part.model.n_intentions_, 2), part)
    return figure
