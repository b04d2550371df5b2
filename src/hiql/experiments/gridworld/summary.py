"""The gridworld in words and numbers."""

from __future__ import annotations

from hiql.experiments.gridworld.compute import GridworldResult, course_error
from hiql.experiments.gridworld.config import PAPER_EVD
from hiql.experiments.results import markdown_table, plus_minus

RULE_FOR_DIRL = (
    "DIRL's maps start at random, as in its own code for gridworlds. It has no policy of an intention either: for EVD "
    "a map is multiplied by the mean of its weight over a session, and the policy that is soft-optimal for that reward "
    "is judged; maps are assigned to the true intentions so that the EVDs have the smallest sum, as HIAVI's intentions "
    "are. The paper does not say how it did this."
)


def sections(result: GridworldResult) -> list[str]:
    """The tables in words and numbers, beside the paper's."""
    config = result.config
    largest = max(config.sizes)
    return [
        f"Simulated expert, {largest} trajectories, inverse temperature {config.inverse_temperature:g}, seed "
        f"{config.seed}; mean ± standard error over {config.folds}.",
        "## Held-out log-likelihood per trajectory (nats)",
        "Restart chosen by training objective, ours; HIAVI's rows marked *by test* choose the best of "
        f"{config.n_restarts} single random starts by test likelihood, as the paper did, which leaks.",
        _likelihood_table(result),
        f"## At {largest} trajectories",
        _evd_table(result),
        "EVD is the mean square difference between the state values, under the true reward, of the expert's policy "
        "and of the learnt one. The paper's barriers and temperature are not known, so compare orders of magnitude. "
        "Neither intention ever acts in its own goal cell (the session ends there), which bounds EVD from below. DIRL "
        "has no probability of an intention: its course is the share of the reward's range due to a map.",
        RULE_FOR_DIRL,
    ]


def _likelihood_table(result: GridworldResult) -> str:
    sizes = result.config.sizes
    rows = []
    for name, entries in result.likelihood.items():
        rows.append([name, *(plus_minus(entries[s]["per_trajectory"]) if entries[s] else "–" for s in sizes)])
        if name.startswith("HIAVI"):
            chosen = [entries[s]["restart_by_test"]["per_trajectory"] if entries[s] else None for s in sizes]
            rows.append([f"{name}, by test", *(plus_minus(c) if c else "–" for c in chosen)])
    return markdown_table(["model", *map(str, sizes)], rows)


def _evd_table(result: GridworldResult) -> str:
    largest = max(result.config.sizes)
    header = ["model", "EVD goal", "EVD abandon", "paper: goal", "abandon", "error of the course", "fit (s)"]
    rows = []
    for name, evd in result.evd.items():
        paper = [f"{value:.2f}" for value in PAPER_EVD[name]]
        seconds = result.likelihood[name][largest]["fit_seconds"]["mean"]
        ours = [plus_minus(evd[z]) for z in result.expert.intentions]
        rows.append([name, *ours, *paper, f"{course_error(result, name):.3f}", f"{seconds:.2f}"])
    return markdown_table(header, rows)
