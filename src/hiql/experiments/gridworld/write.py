"""Everything the experiment leaves behind: results.json, figures, summary.md."""

from __future__ import annotations

from pathlib import Path

from hiql.experiments.gridworld.compute import GridworldResult, course_error
from hiql.experiments.gridworld.config import PAPER_EVD
from hiql.experiments.gridworld.draw import SHOWN_VALUES, draw_abandon, draw_likelihood, draw_values
from hiql.experiments.results import markdown_table, plus_minus, write_results
from hiql.files import write_whole
from hiql.plots import new_figure, save_figure, style


def write(result: GridworldResult, folder: Path) -> Path:
    """Write all files into ``folder``; returns the path of summary.md."""
    courses = {name: course_error(result, name) for name in result.abandon if name != "truth"}
    tables = result._asdict() | {"abandon_error": courses, "failures": [f._asdict() for f in result.failures]}
    del tables["config"], tables["expert"]
    write_results(folder / "results.json", result.config, tables)
    with style():
        a = new_figure(7.2, 3.4)
        draw_likelihood(a.subplots(), result)
        b = new_figure(4.6, 3.2)
        draw_abandon(b.subplots(), result)
        c = new_figure(1.9 * len(SHOWN_VALUES), 4.4)
        draw_values(c.subplots(2, len(SHOWN_VALUES)), result)
    for name, figure in (("3a_likelihood", a), ("3b_abandon", b), ("3c_values", c)):
        save_figure(figure, folder / f"figure_{name}")
    return write_whole(folder / "summary.md", summary(result, courses))


def summary(result: GridworldResult, courses: dict[str, float]) -> str:
    """The tables in words and numbers, beside the paper's."""
    config = result.config
    largest = max(config.sizes)
    folds = f"{config.folds_run} of {config.n_folds} folds"
    parts = [
        "# Gridworld benchmark (paper, §5.1, Figure 3)",
        f"Simulated expert, {largest} trajectories, inverse temperature {config.inverse_temperature:g}, seed "
        f"{config.seed}; mean ± standard error over {folds}.",
        "## Held-out log-likelihood per trajectory (nats)",
        "Restart chosen by training objective, ours; HIAVI's rows marked *by test* choose the best of "
        f"{config.n_restarts} single random starts by test likelihood, as the paper did, which leaks.",
        _likelihood_table(result),
        f"## At {largest} trajectories",
        _evd_table(result, courses),
        "EVD is the mean square difference between the state values, under the true reward, of the expert's policy "
        "and of the learnt one. The paper's barriers and temperature are not known, so compare orders of magnitude. "
        "Neither intention ever acts in its own goal cell (the session ends there), which bounds EVD from below. DIRL "
        "has no probability of an intention: its course is the share of the reward's range due to a map.",
    ]
    if result.failures:
        parts += ["## Failed units", *(f"- {failure.unit}: {failure.error}" for failure in result.failures)]
    return "\n\n".join(parts) + "\n"


def _likelihood_table(result: GridworldResult) -> str:
    sizes = result.config.sizes
    rows = []
    for name, entries in result.likelihood.items():
        rows.append([name, *(plus_minus(entries[s]["per_trajectory"]) if entries[s] else "–" for s in sizes)])
        if name.startswith("HIAVI"):
            chosen = [entries[s]["restart_by_test"]["per_trajectory"] if entries[s] else None for s in sizes]
            rows.append([f"{name}, by test", *(plus_minus(c) if c else "–" for c in chosen)])
    return markdown_table(["model", *map(str, sizes)], rows)


def _evd_table(result: GridworldResult, courses: dict[str, float]) -> str:
    largest = max(result.config.sizes)
    header = ["model", "EVD goal", "EVD abandon", "paper: goal", "abandon", "error of the course", "fit (s)"]
    rows = []
    for name, evd in result.evd.items():
        paper = [f"{value:.2f}" for value in PAPER_EVD[name]]
        seconds = result.likelihood[name][largest]["fit_seconds"]["mean"]
        ours = [plus_minus(evd[z]) for z in result.expert.intentions]
        rows.append([name, *ours, *paper, f"{courses[name]:.3f}", f"{seconds:.2f}"])
    return markdown_table(header, rows)
