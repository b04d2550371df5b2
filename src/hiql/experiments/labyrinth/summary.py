"""The labyrinth in words and numbers."""

from __future__ import annotations

from typing import Any

from hiql.experiments.as_printed import LEAKING, about_as_printed
from hiql.experiments.labyrinth.compute import CohortResult, LabyrinthResult
from hiql.experiments.labyrinth.config import DIRL_PUBLISHED, FOLD_STARTS, FOLD_TOL
from hiql.experiments.results import markdown_table, plus_minus

WHAT_A_WIN_SHOWS = (
    "A win over DIRL on these data does not by itself show that intentions are discrete. HIAVI predicts each action "
    "from the earlier actions of the same session, DIRL only from the time. And on the published split, where most "
    "held-out trajectories are copies of training ones, even counts of actions by state and time, with no notion of "
    "intention or reward, beat DIRL. The comparison to look at keeps identical trajectories on one side (nats per "
    "decision): "
)


def sections(result: LabyrinthResult) -> list[str]:
    """Scores and uncertainty of both cohorts."""
    config = result.config
    parts = [
        f"γ = {config.discount}, seed {config.seed}. Restarts are chosen by training objective. DIRL has the σ and γ "
        f"published for each number of maps, and {config.dirl_starts} starts (in folds, "
        f"{min(config.dirl_starts, FOLD_STARTS)} and a tolerance of {FOLD_TOL:g}), the best by posterior. "
        f"{about_as_printed(config.n_restarts)} Cross-validation: mean ± standard error over {config.folds}.",
    ]
    for cohort, part in result.cohorts.items():
        parts += [f"## Water-{cohort} mice", *_cohort(cohort, part)]
    return [*parts, "## What a win over DIRL shows, and what not", WHAT_A_WIN_SHOWS + _honest_numbers(result)]


def _honest_numbers(result: LabyrinthResult) -> str:
    """The grouped cross-validation of the models that matter, in a sentence for each cohort."""
    texts = []
    for cohort, part in result.cohorts.items():
        grouped = {name: scores["grouped"] for name, scores in part.scores.items()}
        rivals = sorted((name for name in grouped if name.startswith("DIRL")), key=lambda name: grouped[name]["mean"])
        shown = ("HIAVI, K = 2", "counts by state and time", "counts by state", *rivals[-1:])
        texts.append(f"{cohort}: " + ", ".join(f"{n} {plus_minus(grouped[n], 3)}" for n in shown if n in grouped))
    return "; ".join(texts) + "."


def _cohort(cohort: str, part: CohortResult) -> list[str]:
    leaks = part.leaks
    return [
        f"{leaks['sessions']} trajectories, {leaks['distinct']} of them distinct. Of the {leaks['held_out']} held-out "
        f"ones of the published split, {leaks['copies']} are exact copies of training ones.",
        _scores(cohort, part),
        f"BIC (identifiable parameters) is lowest at K = {part.best}. " + _other_countings(part),
        "### Uncertainty (K = 2)",
        *_uncertainty(part),
    ]


def _scores(cohort: str, part: CohortResult) -> str:
    published = {f"DIRL, {m} map{'s' * (m > 1)}": total for m, total in DIRL_PUBLISHED[cohort].items()}
    header = ["model", "held out", LEAKING, "published", "bits/decision", "BIC", "free", "folds by session"]
    header += ["identical kept together", "fit (s)"]
    rows = []
    for name, s in part.scores.items():
        leaking = "" if s["leaking"] is None else f"{s['leaking']:.1f}"
        folds = [plus_minus(s[kind], 3) for kind in ("sessions", "grouped")]
        numbers = [f"{s['bits_per_decision']:.3f}", f"{s['bic']:.0f}", s["n_free"], *folds, f"{s['fit_seconds']:.2f}"]
        rows.append([name, f"{s['test']:.1f}", leaking, published.get(name, ""), *numbers])
    return markdown_table(header, rows)


def _other_countings(part: CohortResult) -> str:
    tables: dict[str, dict[str, float]] = {}
    for name, scores in part.scores.items():
        for counting, bic in scores["other_bic"].items():
            tables.setdefault(counting, {})[name] = bic
    choices = [f"{counting}: {min(bics, key=lambda name: bics[name])}" for counting, bics in tables.items()]
    return "Other ways of counting choose: " + "; ".join(choices) + "."


def _uncertainty(part: CohortResult) -> list[str]:
    texts = []
    if "bootstrap" in part.analysis:
        texts.append(_intervals(part, part.analysis["bootstrap"]))
    if "recovery" in part.analysis:
        rows = [
            [k.replace("_", " "), *(f"{v[x]:.3f}" for x in ("mean", "low", "high"))]
            for k, v in part.analysis["recovery"].items()
        ]
        texts += [
            "Recovery (simulate from the fit, refit, compare):",
            markdown_table(["measure", "mean", "least", "largest"], rows),
        ]
    if "predictive" in part.analysis:
        rows = [
            [k, *(_number(v[x]) for x in ("real", "simulated", "low", "high")), "yes" if v["inside"] else "no"]
            for k, v in part.analysis["predictive"].items()
        ]
        header = ["statistic", "real", "simulated", "low", "high", "inside"]
        texts += ["Posterior predictive check (95 % of simulated data sets):", markdown_table(header, rows)]
    return texts


def _intervals(part: CohortResult, found: dict[str, Any]) -> str:
    rows = []
    for i, start in enumerate(part.names):
        low, high = found["initial"]["low"][i], found["initial"]["high"][i]
        rows.append([f"Π {start}", f"{part.model.initial_[i]:.3f}", f"{low:.3f} … {high:.3f}"])
        for j, end in enumerate(part.names):
            low, high = found["transition"]["low"][i][j], found["transition"]["high"][i][j]
            rows.append([f"Λ {start} → {end}", f"{part.model.transition_[i, j]:.3f}", f"{low:.3f} … {high:.3f}"])
    test = part.model.score(part.maze.test, per="step")
    low, high = found["held_out"]["low"], found["held_out"]["high"]
    rows.append(["held out, nats per decision", f"{test:.3f}", f"{low:.3f} … {high:.3f}"])
    return markdown_table(["quantity", "estimate", "95 % (session bootstrap)"], rows)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
