"""Intentions that weigh inputs: their weights, psychometric curves, the weight of the past, and how well they do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from hiql.evaluate.measures.accuracy import accuracy
from hiql.evaluate.measures.lags import choice_kernels, has_kernels
from hiql.evaluate.measures.psychometric import psychometric_curves
from hiql.report import words
from hiql.report.findings import Findings
from hiql.report.markup import Markup
from hiql.report.page import Page
from hiql.report.weight_charts import kernel_chart, psychometric_chart, weights_chart

MOST_CURVES = 6
"""Psychometric curves are drawn for this many inputs: those that matter most."""
TITLES = {"choice": "A past choice", "choice_reward": "What a reward of 1 adds"}


def introduce(page: Page, findings: Findings) -> None:  # noqa: ARG001
    """How to read the cards."""
    page.text(
        "What each intention weighs: the change of log-odds for one standard deviation of an input, so that inputs can "
        "be compared; whiskers are standard errors. Point at a bar for the weight in the input's own units. The bias "
        "is that at the mean of all inputs."
    )


def portrait(findings: Findings, i: int) -> go.Figure:
    """The weights of one intention."""
    effects = findings.effects
    furthest = np.abs(effects.size) + np.nan_to_num(effects.error)
    return weights_chart(effects, i, findings.model.weights_[i], 1.05 * float(furthest.max()))


def conclude(page: Page, findings: Findings) -> None:
    """What they do as inputs change, how long they remember, and how well they do."""
    if curves := _curves(page, findings):
        page.text(
            "What each intention does as one input changes, all else as it was at its steps (lines), and what was done "
            "at steps of the intention, with standard errors (points)."
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
    reach = effects.reach[:, :-1].max(axis=0)
    shown = [d for d in np.argsort(-reach, kind="stable") if effects.names[d] not in traces][:MOST_CURVES]
    charts = []
    for d in shown:
        curves = psychometric_curves(findings.model, findings.data, effects.names[d], findings.smoothed)
        action = int(np.argmax(np.ptp(curves.proba, axis=1).max(axis=0)[::-1]))
        action = curves.proba.shape[2] - 1 - action  # of two alike, the second
        label = findings.action_names[action]
        chart = psychometric_chart(curves, action, label, findings.names)
        charts.append(
            page.chart(chart, "", spoken=f"Probability of {label} by {effects.names[d]} under each intention")
        )
    return charts


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
