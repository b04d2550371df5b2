"""The reversal task in words and numbers."""

from __future__ import annotations

from typing import Any

from hiql.evaluate.words.strategies import MEASURES
from hiql.experiments.as_printed import LEAKING, about_as_printed
from hiql.experiments.results import markdown_table, plus_minus
from hiql.experiments.reversal.compute import ReversalResult, SourceResult
from hiql.experiments.reversal.config import CONTROL, PAPER_CHOICE, PAPER_CORRECT, POOLED, REACTIVE

TITLES = {
    REACTIVE: "Simulated mice that react to the loss of reward",
    CONTROL: "Simulated mice that do not: the control",
}
OUR_CHOICE = {
    REACTIVE: "The paper's recordings are not public, and it reports neither lapses nor chains. The simulated mice "
    "follow its three strategies; their lapses and chain were chosen by us so that about 0.74 of the trials are "
    "correct. An exploiting mouse may start to explore after an unrewarded trial, so that exploration follows changes "
    "of blocks. Overall correct rate and strategies are therefore no evidence; what the fits recover is.",
    CONTROL: "The same strategies and lapses, but a chain that knows neither rewards nor blocks. What Figures 7e and "
    "7g show of these mice is what they show where there is no reason for it. Exploration rises after a change all the "
    "same: a block ends when most of its last trials were correct, which selects moments of exploitation, and what "
    "follows is a return to the average.",
}
ANOTHER_TASK = (
    "These animals need not have done the paper's task: there the good side was always rewarded and the other never. "
    "(The public mice of Bari et al. 2019 chose between baited sides rewarded with probabilities such as 0.4 and 0.1: "
    "a loss says little, leaving the good side can pay, and other strategies than the paper's are to be expected.) "
    "Names are given by the nearest archetype of win-stay and lose-switch, whatever the task. The paper's correct "
    "rates are therefore shown for the simulated mice only."
)
BIC_COUNTS = (
    " (BIC counts a parameter for each history and intention, which long histories make many. Where they are pooled "
    "nobody can say how many are free, so there is no BIC.)"
)
SIMULATED_HISTORY = (
    " (The simulated strategies look at the last trial alone. Older trials help a single intention, because they tell "
    "which strategy rules.)"
)


def sections(result: ReversalResult) -> list[str]:
    """The three stages and the intentions of each source, beside the paper's values."""
    config = result.config
    parts = [
        f"Seed {config.seed}; {config.folds} over sessions, animals spread evenly. "
        "Scores are held-out nats per trial. *Plain* is HIQL with a pseudo-count of 0.1, *pooled* pulls the policy of "
        'a history towards that of the shorter one (`prior="pooled"`), as strongly as the training sessions say. '
        + ("*Stochastic* is Algorithm 2 as printed, with 10 starts. " if config.stochastic else "")
        + about_as_printed(config.n_restarts),
    ]
    for name, part in result.sources.items():
        title = TITLES.get(name) or f"Animals of {part.source.path.name}"
        parts += [f"## {title}", *_source(result, part)]
    return parts


def _source(result: ReversalResult, part: SourceResult) -> list[str]:
    config, simulated = result.config, part.truth is not None
    return [
        f"{len(part.animals.names)} animals, {part.data.n_sessions} sessions, {part.data.n_observed} trials.",
        OUR_CHOICE.get(part.source.name, ANOTHER_TASK),
        "### Stage 1: how much history",
        _histories(part),
        f"Held-out likelihood chooses ℓ = {part.scores.chosen_history} (paper: {PAPER_CHOICE['history']}); "
        f"ℓ = {config.history} is used below." + (SIMULATED_HISTORY if simulated else ""),
        f"### Stage 2: how many intentions (ℓ = {config.history})",
        _intentions(part),
        _choices(part) + f" K = {config.chosen} is analysed below, as in the paper.",
        f"### Stage 3: each animal (K = {config.chosen})",
        _individuals(part),
        "### The intentions",
        _profiles(part),
        *_behaviour(part),
        *(_truth(part.truth) if part.truth is not None else []),
    ]


def _histories(part: SourceResult) -> str:
    rows = [
        [length, plus_minus(s["train"], 4), plus_minus(s["test"], 4)] for length, s in part.scores.histories.items()
    ]
    return markdown_table(["ℓ (K = 1)", "train", "held out"], rows)


def _intentions(part: SourceResult) -> str:
    scores = part.scores
    rival = scores.baselines["fQ-learning"]
    rows = []
    for method, sizes in scores.intentions.items():
        for k, s in sizes.items():
            whole = scores.whole.get(method, {}).get(k, {})
            rows.append([f"K = {k}, {method}", *_folds(s), f"{s['pooled'] - rival['pooled']:+.4f}", *_bic(whole)])
    rows.append(["fQ-learning, each animal", *_folds(rival), "", *_bic(scores.whole["fQ-learning"].get(0, {}))])
    rows.append(["random", *_folds(scores.baselines["random"]), "", "", ""])
    header = ["model", "train", "held out", "pooled", LEAKING, "Δ fQ", "BIC (all sessions)", "free"]
    return markdown_table(header, rows)


def _folds(scores: dict[str, Any]) -> list[str]:
    leaking = "" if scores["leaking"] is None else f"{scores['leaking']:.4f}"
    return [plus_minus(scores["train"], 4), plus_minus(scores["test"], 4), f"{scores['pooled']:.4f}", leaking]


def _bic(whole: dict[str, Any]) -> list[str]:
    return [f"{whole['bic']:.0f}", str(whole["n_free"])] if whole else ["–", "–"]


def _choices(part: SourceResult) -> str:
    texts = []
    for method in ("plain", POOLED):
        chosen = part.scores.chosen_size(method)
        by_bic = f", K = {chosen['BIC']} by BIC" if "BIC" in chosen else ""
        texts.append(f"{method}: K = {chosen['held out']} by held-out likelihood{by_bic}")
    coarse = {k: found["bic"] for k, found in part.scores.coarse.items()}
    if coarse:
        texts.append(f"plain at ℓ = 1: K = {min(coarse, key=lambda k: coarse[k])} by BIC")
    return "; ".join(texts) + (". Simulated: K = 3." if part.truth is not None else ".") + BIC_COUNTS


def _individuals(part: SourceResult) -> str:
    kinds = {
        "global": "the global fit",
        "alone": "its own fit, from the global one (the paper's)",
        "together": "its rows of one fit to all animals",
    }
    found = part.scores.individuals
    rows = [[text, plus_minus(found[kind]["pooled"], 4)] for kind, text in kinds.items() if kind in found]
    kept = sum(part.aligned.values())
    learned = part.together.policy_strength_[:, 0], part.together.transition_strength_
    policies, chains = (_list(part, strengths) for strengths in learned)
    return (
        markdown_table(["each animal's held-out sessions by", "nats per trial"], rows)
        + f"\n\nFits of single animals, from the global one, have kept its intentions in {kept} of {len(part.aligned)} "
        'animals. The analysis below uses one fit to all sessions (`pool="subjects"`, `prior="pooled"`), in which each '
        "animal has policies and a chain of its own around the population's. Learned strengths, in pseudo-counts of "
        f"the population: {policies} in policies, {chains} in the chain."
    )


def _list(part: SourceResult, strengths: Any) -> str:
    return ", ".join(f"{value:.0f} ({name})" for name, value in zip(part.names, strengths, strict=True))


def _profiles(part: SourceResult) -> str:
    rows = []
    for i, name in enumerate(part.names):
        true = _in_brackets(part, i)
        numbers = [f"{value:.2f}{text}" for value, text in zip(part.profile[i], true, strict=True)]
        rate, error = part.performance["mean"][i + 1], part.performance["error"][i + 1]
        paper = PAPER_CORRECT.get(name, "–") if part.truth else "–"
        rows.append([name, *numbers, f"{part.model.share_[i]:.2f}", f"{rate:.2f} ± {error:.2f}", paper])
    overall = f"{part.performance['mean'][0]:.2f} ± {part.performance['error'][0]:.2f}"
    rows.append(["overall", "", "", "", "", overall, PAPER_CORRECT["overall"] if part.truth else "–"])
    header = ["intention", *MEASURES, "share of trials", "correct", "correct, paper"]
    note = f"Correct means {part.task.rule}; trials are weighted by the posterior, mean ± error over animals."
    return markdown_table(header, rows) + f"\n\n{'Truth in brackets. ' if part.truth else ''}{note}"


def _in_brackets(part: SourceResult, intention: int) -> list[str]:
    """The simulated numbers, if they are known and as many intentions were fitted as simulated."""
    if part.truth is None or len(part.truth["true_profile"]) != len(part.names):
        return [""] * len(MEASURES)
    return [f" ({value:.2f})" for value in part.truth["true_profile"][intention]]


def _behaviour(part: SourceResult) -> list[str]:
    if part.task.block is None:
        return ["The table has no column *block*: Figures 7e and 7g are empty."]
    if part.switching is None:
        return ["There are too few changes of blocks: Figures 7e and 7g are empty."]
    exploit, explore = (part.names[i] for i in part.roles)
    text = (
        f"Over {part.switching['n_switches']} changes of blocks, P({exploit}) in the 5 trials before and P({explore}) "
        f"in the 5 after correlate with r = {plus_minus(part.switching['correlation'])} (mean ± error over animals; "
        f"all changes together {part.switching['correlation']['pooled']:.2f}; paper: positive)."
    )
    return [text]


def _truth(truth: dict[str, Any]) -> list[str]:
    rows = []
    for name, found in truth["fits"].items():
        error = f"{found['profile_error']:.3f}" if "profile_error" in found else ""
        rows.append([name, f"{found['decoded']:.3f}", error])
    return [
        "### Against the truth",
        "The oracle knows every mouse's chain and strategies; intentions are the likeliest of the smoothed posterior.",
        markdown_table(["fit (all sessions)", "trials decoded", "largest error of the profile"], rows),
    ]
