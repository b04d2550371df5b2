"""Intentions that weigh inputs: their weights, psychometric curves, the weight of the past, and how well they do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hiql.evaluate.measures.accuracy import accuracy
from hiql.evaluate.measures.lags import choice_kernels, has_kernels
from hiql.evaluate.measures.psychometric import curves_alone, psychometric_curves
from hiql.plots.labels import FloatArray
from hiql.report import words
from hiql.report.findings import Findings
from hiql.report.markup import Markup
from hiql.report.page import Page
from hiql.report.weight_charts import kernel_chart, psychometric_chart, weights_chart

MOST_CURVES = 6
"""Psychometric curves are drawn for this many inputs: those that matter most."""
MOST_DRAWN = 60
"""Curves of so many draws are enough for a shade."""
TITLES = {"choice": "A past choice", "choice_reward": "What a reward of 1 adds"}


def introduce(page: Page, findings: Findings) -> None:
    """How to read the cards."""
    whiskers = "hold 95 % of the draws from the posterior" if findings.is_drawn else "are standard errors"
    page.text(
        "What each intention weighs: the change of log-odds for one standard deviation of an input, so that inputs can "
        f"be compared; whiskers {whiskers}. Point at a bar for the weight in the input's own units. The bias "
        "is that at the mean of all inputs."
    )


def portrait(findings: Findings, i: int) -> go.Figure:
    """The weights of one intention."""
    effects, whiskers = findings.effects, findings.whiskers
    furthest = 1.05 * float((np.abs(effects.size) + whiskers).max())
    return weights_chart(effects, i, findings.model.weights_[i], whiskers[:, i], furthest)


def conclude(page: Page, findings: Findings) -> None:
    """What they do as inputs change, how long they remember, and how well they do."""
    if curves := _curves(page, findings):
        shaded = "; shaded: 95 % of the draws" if findings.is_drawn else ""
        page.text(
            "What each intention does as one input changes, all else as it was at its steps (lines), and what was done "
            f"at steps of the intention, with standard errors (points){shaded}."
        )
        page.charts(*curves)
    if kernels := _kernels(page, findings):
        page.text("How much a choice some steps ago adds to the log-odds of choosing the same now.")
        page.charts(*kernels)
    page.table(accuracy_table(findings))
    page.text(
        "Over the steps of each intention, weighted by its posterior. Typical: the geometric mean of the probability "
        "of the action taken, had it been known which intention ruled; predicted: how often the action that it held "
        "most probable was taken.",
        kind="hint",
    )


def _curves(page: Page, findings: Findings) -> list[Markup]:
    """The charts of the inputs that matter most; traces of the past have kernels instead."""
    memory, effects = findings.model.coding_.memory, findings.effects
    traces = set() if memory is None else set(memory.names)
    strength = effects.reach[:, :-1].max(axis=0)
    shown = [d for d in np.argsort(-strength, kind="stable") if effects.names[d] not in traces][:MOST_CURVES]
    charts = []
    for d in shown:
        curves = psychometric_curves(findings.model, findings.data, effects.names[d], findings.smoothed)
        reach = np.ptp(curves.proba, axis=1).max(axis=0)
        action = 1 if len(reach) == 2 else int(np.argmax(reach))
        label = findings.action_names[action]
        chart = psychometric_chart(curves, action, label, findings.names, _bounds(findings, effects.names[d]))
        charts.append(
            page.chart(chart, "", spoken=f"Probability of {label} by {effects.names[d]} under each intention")
        )
    return charts


def _bounds(findings: Findings, name: str) -> FloatArray | None:
    """(2, K, G, A) where 95 % of the curves of some draws lie; None for a model without draws."""
    if not findings.is_drawn:
        return None
    every = max(1, len(findings.model.posterior_) // MOST_DRAWN)
    models = [model for n, model in enumerate(findings.model.posterior_.models()) if n % every == 0]
    drawn = [curves_alone(model, findings.data, name, findings.smoothed) for model in models]
    return np.quantile(drawn, (0.025, 0.975), axis=0)


def _kernels(page: Page, findings: Findings) -> list[Markup]:
    if not has_kernels(findings.model):
        return []
    kernels = choice_kernels(findings.model).items()
    return [
        page.chart(kernel_chart(kernel, findings.names), "", TITLES[kind], spoken=TITLES[kind])
        for kind, kernel in kernels
    ]


def accuracy_table(findings: Findings) -> pd.DataFrame:
    """How well each intention predicts its own steps, and what it earns."""
    found = accuracy(findings.model, findings.data, findings.smoothed)
    table = pd.DataFrame(
        {
            "intention": findings.names,
            "share of steps": [words.percent(share) for share in findings.share],
            "typical probability": [f"{p:.2f}" for p in found.typical],
            "predicted": [words.percent(share) for share in found.guessed],
        }
    )
    if np.isfinite(found.outcome).any():
        pairs = zip(found.outcome, found.outcome_error, strict=True)
        table["mean outcome"] = [f"{mean:.3f} ± {error:.3f}" for mean, error in pairs]
    return table
