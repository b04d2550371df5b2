"""The panels of the paper's Figures 7 and 8. Each draws a finished result onto one axis."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from hiql.evaluate.words.strategies import MEASURES
from hiql.experiments.results import plus_minus
from hiql.experiments.reversal.behaviour import example_session
from hiql.experiments.reversal.compute import SourceResult
from hiql.experiments.reversal.config import POOLED
from hiql.plots import PALETTE, draw_bars, draw_curves, draw_transition_matrix
from hiql.plots.style import CORRIDOR, FAINT, INK, UNSEEN, intention_colour

Panel = tuple[str, Callable[[Axes, SourceResult], None]]
LONGEST = 150
"""Trials of the example session that are shown."""
METHOD_COLOURS = {"plain": PALETTE[0], POOLED: PALETTE[1], "stochastic": PALETTE[2]}


def panels() -> dict[str, Panel]:
    """All panels, numbered as in the paper, by their letter on the sheet."""
    return {
        "a": ("7a  how much history", draw_histories),
        "b": ("7b  against fQ-learning", draw_against_rival),
        "c": ("7c  BIC", draw_bic),
        "d": ("7d  strategies", draw_profiles),
        "e": ("7e  around a change of blocks", draw_around),
        "f": ("7f  performance", draw_performance),
        "g": ("7g  before and after a change", draw_before_after),
        "h": ("8a  an example session", draw_session),
        "i": ("8b  its mouse's switching", draw_switching),
    }


def draw_panel(ax: Axes, part: SourceResult, letter: str) -> None:
    """One panel, which says in its title where its mice come from: the paper's are recordings."""
    title, draw = panels()[letter]
    draw(ax, part)
    note = "" if part.truth is None else "  (simulated)"
    ax.set_title(title + note, loc="left", size="medium", pad=20.0 if letter == "h" else None)


def _lacking(ax: Axes, what: str) -> None:
    """An empty panel that says why."""
    ax.set_axis_off()
    ax.text(0.5, 0.5, what, transform=ax.transAxes, ha="center", va="center", color=FAINT, size="small")


def draw_histories(ax: Axes, part: SourceResult) -> None:
    """7a: a single intention, train and held out, against ℓ."""
    lengths = list(part.scores.histories)
    for side, colour in (("train", FAINT), ("test", INK)):
        values = [part.scores.histories[length][side] for length in lengths]
        label = "train" if side == "train" else "held out"
        draw_curves(ax, lengths, [v["mean"] for v in values], [v["error"] for v in values], label, colour=colour)
    ax.axvline(part.scores.chosen_history, color=FAINT, linestyle="--", linewidth=0.8, zorder=1)
    _whole_numbers(ax, "history length ℓ", "nats per trial (K = 1)")
    ax.legend()


def draw_against_rival(ax: Axes, part: SourceResult) -> None:
    """7b: held-out gain over fQ-learning against K; a thin line a mouse (pooled), means thick."""
    rival = part.scores.baselines["fQ-learning"]["by_subject"]
    for method, style in ((POOLED, "-"), ("plain", ":")):
        sizes = part.scores.intentions[method]
        names = [n for n in rival if all(n in s["by_subject"] for s in sizes.values())]
        gains = np.array([[s["by_subject"][name] - rival[name] for name in names] for s in sizes.values()])
        if not names:  # fQ-learning could not be fitted: it knows two choices only
            continue
        if method == POOLED:
            ax.plot(list(sizes), gains, color=UNSEEN, linewidth=0.7, zorder=1)
        ax.plot(list(sizes), gains.mean(axis=1), color=INK, marker="o", linestyle=style, label=method, zorder=3)
    ax.axhline(0.0, color=FAINT, linestyle="--", linewidth=0.8, zorder=1)
    _whole_numbers(ax, "intentions K", "Δ nats per trial to fQ")
    if rival:
        ax.legend()


def draw_bic(ax: Axes, part: SourceResult) -> None:
    """7c: BIC of the fits to all sessions, where parameters can be counted."""
    for method, sizes in part.scores.whole.items():
        if method == "fQ-learning":
            for found in sizes.values():
                ax.axhline(found["bic"], color=FAINT, linestyle="--", linewidth=0.8, label="fQ-learning")
        elif sizes:
            bics = [found["bic"] for found in sizes.values()]
            draw_curves(ax, list(sizes), bics, label=method, colour=METHOD_COLOURS[method])
    _whole_numbers(ax, "intentions K", "BIC (lower is better)")
    ax.legend()


def draw_profiles(ax: Axes, part: SourceResult) -> None:
    """7d: switch, win-stay, lose-switch of each intention; grey a mouse, coloured their mean."""
    n = len(MEASURES)
    for i, name in enumerate(part.names):
        x = np.arange(n) + i * (n + 0.6)
        each = part.animals.profiles[:, i]
        ax.plot(x, each.T, color=UNSEEN, linewidth=0.7, zorder=1)
        ax.plot(x, np.nanmean(each, axis=0), color=intention_colour(i), marker="o", zorder=3)
        ax.annotate(name, (x.mean(), 1.04), ha="center", va="bottom", size="x-small", color=intention_colour(i))
    ticks = [j + i * (n + 0.6) for i in range(len(part.names)) for j in range(n)]
    ax.set_xticks(ticks, MEASURES * len(part.names), rotation=60, ha="right", rotation_mode="anchor", size="x-small")
    ax.set(ylim=(-0.03, 1.14), ylabel="probability", yticks=[0.0, 0.5, 1.0])


def draw_around(ax: Axes, part: SourceResult) -> None:
    """7e: performance (black) and posteriors around a change of blocks."""
    if part.around is None:
        _lacking(ax, "needs recordings\nwith block numbers")
        return
    lags, mean, error = (np.asarray(part.around[key]) for key in ("lags", "mean", "error"))
    draw_curves(ax, lags, mean[:, 0], error[:, 0], "correct", colour=INK, linestyle="--", marker=None)
    for i, name in enumerate(part.names):
        draw_curves(ax, lags, mean[:, i + 1], error[:, i + 1], name, colour=intention_colour(i), marker=None)
    ax.axvline(-0.5, color=FAINT, linestyle="--", linewidth=0.8, zorder=1)
    ax.set(xlabel="trials from the change", ylabel="probability", ylim=(0.0, 1.0))
    ax.legend(loc="lower left", bbox_to_anchor=(0.0, 0.86), ncols=2, borderaxespad=0.0)
    ax.set_ylim(0.0, 1.2)
    ax.set_yticks([0.0, 0.5, 1.0])


def draw_performance(ax: Axes, part: SourceResult) -> None:
    """7f: correct trials, overall (grey) and under each intention."""
    colours = [FAINT, *(intention_colour(i) for i in range(len(part.names)))]
    names = ["overall", *part.names]
    draw_bars(ax, names, part.performance["mean"], part.performance["error"], colours=colours)
    ax.set_xticks(range(len(names)), names, rotation=35, ha="right", rotation_mode="anchor")
    ax.axhline(0.5, color=FAINT, linestyle="--", linewidth=0.8)
    ax.set(ylim=(0.0, 1.0), ylabel="correct trials")


def draw_before_after(ax: Axes, part: SourceResult) -> None:
    """7g: exploiting before a change against exploring after it; grey a mouse, black mean and error over mice."""
    if part.switching is None:
        _lacking(ax, "needs recordings\nwith changes of blocks")
        return
    exploit, explore = (part.names[i] for i in part.roles)
    before, after, error = (part.switching[key] for key in ("before", "after", "error"))
    for x, y in part.switching["by_animal"]:
        ax.plot(x, y, color=UNSEEN, linewidth=0.7, zorder=1)
    ax.errorbar(before, after, error, color=INK, marker="o", capsize=2, zorder=3)
    ax.set(xlabel=f"P({exploit}), 5 trials before", ylabel=f"P({explore}), 5 trials after")
    r = f"r = {plus_minus(part.switching['correlation'])}"
    ax.annotate(r, (0.97, 0.95), xycoords="axes fraction", ha="right", va="top")
    ax.set_ylim(bottom=0.0)


def draw_session(ax: Axes, part: SourceResult) -> None:
    """8a: one session. Posteriors between choices of either side (dot: rewarded, triangle: not); blocks in grey."""
    session = example_session(part.data, part.task)
    steps = part.data.session(session)
    steps = slice(steps.start, min(steps.stop, steps.start + LONGEST))
    trial = np.arange(steps.stop - steps.start)
    for i, name in enumerate(part.names):
        ax.plot(trial, part.animals.posterior[steps, i], color=intention_colour(i), label=name, zorder=3)
    _mark_choices(ax, trial, part.data.actions[steps], part.task.reward[steps])
    if part.task.block is not None:
        _shade_blocks(ax, part.task.block[steps])
    name = part.data.session_names[session]
    ax.set(xlim=(-0.5, len(trial) - 0.5), ylim=(-0.22, 1.22), xlabel=f"trial of session {name}", ylabel="probability")
    ax.set_yticks([-0.12, 0.0, 0.5, 1.0, 1.12], ["right", "0", "0.5", "1", "left"])
    ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=4, borderaxespad=0.2)


def _mark_choices(ax: Axes, trial: np.ndarray, actions: np.ndarray, reward: np.ndarray) -> None:
    height = np.where(actions == 0, 1.12, -0.12)
    rewarded = reward > 0
    for where, marker, colour in ((rewarded, "o", INK), (~rewarded, "^", PALETTE[4])):
        shown = where & (actions >= 0)
        ax.plot(trial[shown], height[shown], marker, color=colour, markersize=2.4, zorder=4)


def _shade_blocks(ax: Axes, block: np.ndarray) -> None:
    """Every other block grey."""
    starts = np.flatnonzero(np.diff(block, prepend=block[0] - 1))
    ends = np.append(starts[1:], len(block))
    for start, end in list(zip(starts, ends, strict=True))[1::2]:
        ax.axvspan(start - 0.5, end - 0.5, color=CORRIDOR, linewidth=0, zorder=0)


def draw_switching(ax: Axes, part: SourceResult) -> None:
    """8b: how the intentions of the example session's mouse follow one another."""
    mouse = part.data.subjects[example_session(part.data, part.task)]
    draw_transition_matrix(ax, part.animals.transitions[part.animals.names.index(mouse)], part.names)


def _whole_numbers(ax: Axes, xlabel: str, ylabel: str) -> None:
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
