"""What a report shows of one subject beside the population: shares, chain, and what each intention does or weighs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hiql.evaluate.measures.effects import on_one_scale
from hiql.evaluate.measures.subjects import SubjectShares
from hiql.models import IntentionModel
from hiql.plots.labels import FloatArray
from hiql.plots.style import INK, intention_colour
from hiql.report.findings import Findings
from hiql.report.markup import plotly_text

MOST_STATES, MOST_MOVES = 12, 12
"""Rows of a chart at most: states most visited, and moves from one intention to another."""
OF_SUBJECTS = ("subjects", "days")
DRAWS, ERRORS = "95 %", "± 1 standard error"
"""What bounds are."""


@dataclass(frozen=True)
class Numbers:
    """One chart: R ``rows`` with their ``colours``, (R,) of the population and (n, R) of n subjects.

    ``bounds`` (2, n, R) hold 95 % of the draws, where there are any, or reach one standard error below and above;
    ``sure`` says which.
    """

    title: str
    axis: str
    rows: Sequence[str]
    colours: Sequence[str]
    population: FloatArray
    subjects: FloatArray
    bounds: FloatArray | None = None
    sure: str = DRAWS
    are_shares: bool = True


def numbers_of(findings: Findings, shares: SubjectShares) -> list[Numbers]:
    """The charts: shares always; chains and what intentions do where each subject has its own."""
    colours = [intention_colour(i) for i in range(findings.n_intentions)]
    found = [Numbers("Shares", "share of steps", findings.names, colours, findings.share, shares.share)]
    found = found if findings.n_intentions > 1 else []
    if not has_own(findings):
        return found
    return [*found, *_chain(findings, shares.subjects), *_doing(findings, shares.subjects)]


def has_own(findings: Findings) -> bool:
    """Whether each subject has policies or weights, and perhaps a chain, of its own."""
    return getattr(findings.model, "pool", None) in OF_SUBJECTS


def _chain(findings: Findings, subjects: Sequence[str]) -> list[Numbers]:
    """Moves between intentions, if subjects have chains of their own."""
    names, k = findings.names, findings.n_intentions
    moves = [(i, j) for i in range(k) for j in range(k) if i != j][:MOST_MOVES]
    if not moves:
        return []
    rows = [f"{names[i]} → {names[j]}" for i, j in moves]

    def numbers(model: Any) -> FloatArray:
        chains = [model.transition_, *(model.transition_of(name) for name in subjects)]
        return np.array([[chain[move] for move in moves] for chain in chains])

    own = numbers(findings.model)
    if np.ptp(own[1:], axis=0).max() == 0.0:
        return []
    colours = [intention_colour(i) for i, _ in moves]
    return [_made(findings, "How they follow one another", "probability at a step", rows, colours, numbers)]


def _doing(findings: Findings, subjects: Sequence[str]) -> list[Numbers]:
    """What each intention does, or weighs."""
    weighing = hasattr(findings.model, "weights_")
    make = _weights if weighing else _policies
    return [make(findings, subjects, i) for i in range(findings.n_intentions)]


def _policies(findings: Findings, subjects: Sequence[str], i: int) -> Numbers:
    """The most common action in the states that the intention visits most."""
    visits = findings.visits[i]
    states = np.sort(np.argsort(-visits, kind="stable")[:MOST_STATES])
    states = states[visits[states] >= 1.0] if (visits >= 1.0).any() else states[:1]
    counts = findings.data.pair_counts.sum(axis=0)
    actions = np.full(len(states), 1) if len(counts) == 2 else findings.model.policy_[i, states].argmax(axis=1)
    rows = [f"{findings.state_names[s]}: {findings.action_names[a]}" for s, a in zip(states, actions, strict=True)]

    def numbers(model: Any) -> FloatArray:
        return np.array([p[i, states, actions] for p in (model.policy_, *map(model.policy_of, subjects))])

    return _made(findings, f"What “{findings.names[i]}” does", "probability", rows, [intention_colour(i)], numbers)


def _weights(findings: Findings, subjects: Sequence[str], i: int) -> Numbers:
    """Log-odds for one standard deviation of each input."""
    inputs, contrasts = (*findings.effects.names, "bias"), findings.effects.contrasts
    rows = [name if len(contrasts) == 1 else f"{name}, {action}" for action in contrasts for name in inputs]

    def numbers(model: Any) -> FloatArray:
        weights = np.stack([model.weights_, *map(model.weights_of, subjects)])[:, i]
        return on_one_scale(model, weights).reshape(len(weights), -1)

    title, axis = f"What “{findings.names[i]}” weighs", f"log-odds of {contrasts[0]} for 1 s.d."
    axis = axis if len(contrasts) == 1 else "log-odds for 1 s.d."
    made = _made(findings, title, axis, rows, [intention_colour(i)], numbers)
    return replace(made, are_shares=False, **_errors_of_weights(findings, subjects, i))


def _errors_of_weights(findings: Findings, subjects: Sequence[str], i: int) -> dict[str, Any]:
    """Bounds, where draws gave none: they are the model's own subjects' that have errors."""
    known = {} if findings.is_drawn else findings.effects_by_subject
    if not known or not set(subjects) <= set(known):
        return {}
    size, error = (np.stack([getattr(known[name], what)[i].ravel() for name in subjects]) for what in ("size", "error"))
    return {"bounds": np.stack([size - error, size + error]), "sure": ERRORS} if np.isfinite(error).all() else {}


def _made(findings: Findings, title: str, axis: str, rows: Sequence[str], colours: Sequence[str], of: Any) -> Numbers:
    """The numbers ``of`` a model, (1 + n, R), with the population first; and their bounds."""
    model: IntentionModel = findings.model
    found, bounds = of(model), findings.interval(of)
    several = list(colours) * (len(rows) if len(colours) == 1 else 1)
    return Numbers(title, axis, rows, several, found[0], found[1:], None if bounds is None else bounds[:, 1:])


def as_plain(numbers: Numbers) -> dict[str, Any]:
    """For the script of the page."""
    bounds = None if numbers.bounds is None else np.round(numbers.bounds, 4).tolist()
    reach = np.concatenate([numbers.population.ravel(), numbers.subjects.ravel(), np.ravel(bounds or 0.0)])
    limit = 1.08 * float(np.abs(reach).max(initial=1e-3))
    return {
        "title": numbers.title,
        "axis": plotly_text(numbers.axis),
        "rows": [plotly_text(row if len(row) <= 26 else row[:25] + "…") for row in numbers.rows],
        "colours": list(numbers.colours) or [INK],
        "population": np.round(numbers.population, 4).tolist(),
        "subjects": np.round(numbers.subjects, 4).tolist(),
        "bounds": bounds,
        "sure": numbers.sure,
        "range": [0.0, min(limit, 1.02)] if numbers.are_shares else [-limit, limit],
        "shares": numbers.are_shares,
    }
