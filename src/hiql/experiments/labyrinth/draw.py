"""The panels of the paper's Figures 5 and 6."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hiql.evaluate.measures.occupancy import expected_occupancy, expected_visits
from hiql.experiments.labyrinth.compute import CohortResult
from hiql.experiments.labyrinth.config import DIRL_PUBLISHED, PAPER_NAMES
from hiql.plots import PALETTE, draw_curves, draw_maze, draw_mean_posterior, draw_transition_matrix
from hiql.plots.style import FAINT, INK, intention_colour

LEVELS = {"random": FAINT, "counts by state": PALETTE[2], "counts by state and time": PALETTE[3]}
"""Models without a size: horizontal lines."""
FEW_VISITS = 0.5
"""With fewer expected visits than this, what an intention would do in a state is a guess and not drawn."""


def titles(result: CohortResult) -> list[str]:
    """What the intentions are called on figures, with the paper's name beside ours."""
    return [f"{name} ({PAPER_NAMES[name]})" if name in PAPER_NAMES else name for name in result.names]


def _levels(result: CohortResult) -> dict[str, str]:
    return {name: colour for name, colour in LEVELS.items() if name in result.scores}


def draw_published(ax: Axes, result: CohortResult, cohort: str) -> None:
    """(a) total held-out log-likelihood on the published split."""
    for prefix, colour in (("HIAVI", PALETTE[0]), ("DIRL", PALETTE[1])):
        scores = result.family(prefix)
        draw_curves(ax, list(scores), [s["test"] for s in scores.values()], label=prefix, colour=colour)
    published = DIRL_PUBLISHED[cohort]
    ax.plot(list(published), list(published.values()), "x", color=PALETTE[1], label="DIRL, published", zorder=4)
    for name, colour in _levels(result).items():
        ax.axhline(result.scores[name]["test"], color=colour, linestyle="--", linewidth=1, label=name)
    _finish(ax, "held-out log-likelihood (nats)", "published split (it leaks)")
    ax.legend(fontsize="x-small", loc="center right", bbox_to_anchor=(1.0, 0.36))


def draw_grouped(ax: Axes, result: CohortResult) -> None:
    """The honest twin of (a): folds that keep identical trajectories on the same side."""
    for prefix, colour in (("HIAVI", PALETTE[0]), ("DIRL", PALETTE[1])):
        scores = result.family(prefix)
        mean, error = ([s["grouped"][key] for s in scores.values()] for key in ("mean", "error"))
        draw_curves(ax, list(scores), mean, error, colour=colour)
    for name, colour in _levels(result).items():
        ax.axhline(result.scores[name]["grouped"]["mean"], color=colour, linestyle="--", linewidth=1)
    _finish(ax, "held-out nats per decision", "identical sessions kept together")


def draw_bic(ax: Axes, result: CohortResult) -> None:
    """(b) BIC of the training fit, identifiable parameters only."""
    for prefix, colour in (("HIAVI", PALETTE[0]), ("DIRL", PALETTE[1])):
        scores = result.family(prefix)
        draw_curves(ax, list(scores), [s["bic"] for s in scores.values()], label=prefix, colour=colour)
    ax.axvline(result.best, color=FAINT, linestyle="--", linewidth=0.8, zorder=1)
    _finish(ax, "BIC (lower is better)", f"lowest for HIAVI at K = {result.best}")


def _finish(ax: Axes, ylabel: str, title: str) -> None:
    ax.set_xlabel("intentions or maps")
    ax.set_ylabel(ylabel)
    ax.set_title(title, size="small", color=INK)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))


def visits(result: CohortResult) -> np.ndarray:
    """(K, S) the expected number of visits of each intention to each state, over all sessions."""
    return expected_visits(result.maze.data, result.model.smooth_proba(result.maze.data))


def draw_policies(axes: np.ndarray, result: CohortResult) -> None:
    """(c) for each intention, where its policy leads (arrows, × for stay) and where it was (grey)."""
    occupancy = expected_occupancy(result.model, result.maze.data)
    for i, (ax, title) in enumerate(zip(axes, titles(result), strict=True)):
        visited = visits(result)[i] >= FEW_VISITS
        draw_maze(
            ax, result.maze.mdp, occupancy=occupancy[i], policy=result.model.policy_[i], visited=visited,
            label="share of time",
        )  # fmt: skip
        ax.set_title(title, color=intention_colour(i))


def draw_rewards(axes: np.ndarray, result: CohortResult) -> None:
    """Value of each state, and the reward of the action the intention prefers there; rows are intentions."""
    preferred = result.model.policy_.argmax(axis=2)
    reward = np.take_along_axis(result.model.reward_, preferred[:, :, None], axis=2)[:, :, 0]
    for i, title in enumerate(titles(result)):
        visited = visits(result)[i] >= FEW_VISITS
        for ax, value, label in ((axes[i, 0], result.model.value_[i], "value"), (axes[i, 1], reward[i], "reward")):
            draw_maze(ax, result.maze.mdp, value=value, visited=visited, label=label)
            ax.set_title(f"{title}: {label}", color=intention_colour(i), size="medium")


def draw_course(ax: Axes, result: CohortResult) -> None:
    """(d) mean probability of each intention at each step, over all sessions."""
    data = result.maze.data
    draw_mean_posterior(ax, data, result.model.smooth_proba(data), titles(result))


def draw_switching(ax: Axes, result: CohortResult) -> None:
    """(e) the transition matrix, with bootstrap intervals."""
    interval = result.analysis.get("bootstrap", {}).get("transition", {})
    names = [title.split(" (")[0] for title in titles(result)]
    draw_transition_matrix(ax, result.model.transition_, names, low=interval.get("low"), high=interval.get("high"))
