"""The gridworld in words and numbers."""

from __future__ import annotations

from hiql.experiments.as_printed import LEAKING, about_as_printed
from hiql.experiments.gridworld.compute import GridworldResult, course_error
from hiql.experiments.gridworld.config import PAPER_EVD
from hiql.experiments.results import markdown_table, plus_minus

TWO_EVDS = (
    "EVD, the authors' way: mean square difference between the *optimal* state values and those of the learnt policy, "
    "under a reward of 1 on arriving, both by sweeps in place that end when no value changes by more than 0.01. Ours "
    "compares with the expert's policy, pays the reward for being there, and solves exactly. Neither intention ever "
    "acts in its own goal cell (the session ends there), which bounds EVD from below. DIRL has no probability of an "
    "intention: its course is the share of the reward's range due to a map."
)
RULE_FOR_DIRL = (
    "DIRL's maps start at random, as in its own code for gridworlds. It has no policy of an intention either: for EVD "
    "a map is multiplied by the mean of its weight over a session, and the policy that is soft-optimal for that reward "
    "is judged; maps are assigned to the true intentions so that the EVDs have the smallest sum, as HIAVI's intentions "
    "are. The paper does not say how it did this."
)
HOW_TO_READ_THE_ABLATION = (
    "In each row one ingredient of the authors' procedure is replaced by ours; the last three replace two, and vary "
    "the pseudo-count. EVD is the authors' (the paper: 5.58 ± 0.47 and 6.39 ± 1.80), scores are nats per held-out "
    "step; each number is the mean over folds, then over repeats with other seeds, with the lowest and highest repeat "
    "in brackets. Differences within these ranges are noise."
)


def sections(result: GridworldResult) -> list[str]:
    """The tables in words and numbers, beside the paper's."""
    config = result.config
    largest = max(config.sizes)
    warm = f", an expert of inverse temperature {config.inverse_temperature}"
    expert = " and expert (greedy)" if config.inverse_temperature is None else warm
    return [
        f"The authors' world{expert}, {largest} trajectories, seed {config.seed}, their folds; mean ± "
        f"standard error over {config.folds}. HIAVI is exact EM, restarts chosen by training objective. "
        + about_as_printed(config.n_restarts),
        "## Held-out log-likelihood per trajectory (nats)",
        _likelihood_table(result),
        f"## At {largest} trajectories",
        _evd_table(result),
        TWO_EVDS,
        RULE_FOR_DIRL,
        "## Which ingredient makes which difference (2 intentions)",
        _ablation_table(result),
        HOW_TO_READ_THE_ABLATION,
    ]


def _likelihood_table(result: GridworldResult) -> str:
    sizes = result.config.sizes
    rows = [
        [name, *(plus_minus(entries[s]["per_trajectory"]) if entries[s] else "–" for s in sizes)]
        for name, entries in result.likelihood.items()
    ]
    return markdown_table(["model", *map(str, sizes)], rows)


def _evd_table(result: GridworldResult) -> str:
    header = ["model", "nats/step", LEAKING, "EVD goal", "EVD abandon", "paper: goal", "paper: abandon"]
    header += ["our EVD goal", "our EVD abandon", "error of the course", "fit (s)"]
    return markdown_table(header, [_evd_row(result, name) for name in result.evd])


def _evd_row(result: GridworldResult, name: str) -> list[str]:
    scores = result.likelihood[name][max(result.config.sizes)]
    leaking = scores.get("leaking_per_step")
    return [
        name,
        plus_minus(scores["per_step"], 3),
        "" if leaking is None else plus_minus(leaking, 3),
        *(plus_minus(entry) for entry in result.authors_evd[name].values()),
        *(f"{mean:.2f} ± {error:.2f}" for mean, error in PAPER_EVD[name]),
        *(plus_minus(entry) for entry in result.evd[name].values()),
        f"{course_error(result, name):.3f}",
        f"{scores['fit_seconds']['mean']:.2f}",
    ]


def _ablation_table(result: GridworldResult) -> str:
    rows = []
    for name, found in result.ablation.items():
        digits = dict.fromkeys(found, 3) | {"goal": 2, "abandon": 2}
        rows.append([name, *(_range(entry, digits[key]) for key, entry in found.items())])
    return markdown_table(["procedure", "EVD goal", "EVD abandon", "honest score", LEAKING], rows)


def _range(entry: dict[str, float], digits: int) -> str:
    mean, low, high = (f"{entry[key]:.{digits}f}" for key in ("mean", "low", "high"))
    return f"{mean} ({low} … {high})"
