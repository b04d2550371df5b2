"""Filled shapes in the coordinates of a map: they grow and shrink with it, however many there are."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import plotly.graph_objects as go

from hiql.plots.labels import FloatArray
from hiql.plots.policy import Moves
from hiql.plots.style import POLICY
from hiql.worlds.mdp import World

STRENGTHS = (0.0, 0.4, 0.7, 1.0)
"""Arrows are drawn in three opacities, by the probability of their action."""


def arrows(
    world: World, moves: Moves, *, reach: FloatArray, start: float, width: float, cross: float
) -> list[go.Scatter]:
    """Filled arrows of length ``reach`` (n,), and crosses of half-width ``cross`` where a move stays."""
    origin = world.positions[moves.states]
    step = world.positions[moves.targets] - origin
    length = np.linalg.norm(step, axis=1)
    leaving = length > 0
    along = np.divide(step, length[:, None], out=np.zeros_like(step), where=leaving[:, None])
    traces = []
    for low, high in pairwise(STRENGTHS):
        strong = (moves.probability > low) & (moves.probability <= high)
        at = strong & leaving
        outlines = _arrow_outlines(origin[at] + start * along[at], along[at], reach[at], width)
        crosses = _cross_outlines(origin[strong & ~leaving], cross, width / 2)
        for shapes in (outlines, crosses):
            if len(shapes):
                traces.append(polygons(shapes, POLICY, opacity=high))
    return traces


def _arrow_outlines(tail: FloatArray, along: FloatArray, reach: FloatArray, width: float) -> FloatArray:
    """(n, 7, 2) corners: a shaft of this ``width`` and a head, which shrinks with arrows shorter than it."""
    head = np.minimum(3.2 * width, 0.7 * reach)
    half = 0.5 * np.minimum(width, 0.35 * reach)
    wing = 0.55 * head
    neck = reach - head
    forward = np.stack([0 * reach, neck, neck, reach, neck, neck, 0 * reach], axis=1)
    sideways = np.stack([-half, -half, -wing, 0 * reach, wing, half, half], axis=1)
    across = np.stack([-along[:, 1], along[:, 0]], axis=1)
    return tail[:, None] + forward[..., None] * along[:, None] + sideways[..., None] * across[:, None]


def _cross_outlines(centre: FloatArray, size: float, half: float) -> FloatArray:
    """(n, 12, 2) corners of a × with arms of this ``size``."""
    arm = np.array([(1, 1), (1, size / half), (-1, size / half), (-1, 1)]) * half
    outline = np.concatenate([arm @ _turn(quarter * np.pi / 2).T for quarter in range(4)]) @ _turn(np.pi / 4).T
    return centre[:, None] + outline


def _turn(angle: float) -> FloatArray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def polygons(corners: FloatArray, colour: str, opacity: float = 1.0) -> go.Scatter:
    """Filled shapes (n, corners, 2), all in one trace."""
    gap = np.full((len(corners), 1, 2), np.nan)
    path = np.concatenate([corners, corners[:, :1], gap], axis=1).reshape(-1, 2).astype(np.float32)
    return go.Scatter(
        x=path[:, 0], y=path[:, 1], fill="toself", fillcolor=colour, opacity=opacity, mode="lines", line_width=0,
        hoverinfo="skip",
    )  # fmt: skip
