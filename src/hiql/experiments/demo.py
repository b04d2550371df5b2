"""The whole tool in under a minute: simulate an expert, choose K, fit, decode, report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hiql.evaluate.measures.alignment import decoding_agreement, match_policies
from hiql.models import IntentionModel
from hiql.plots import overview_figure, save_figure
from hiql.report import write_selection
from hiql.sweep import Selection, Source, propose, select
from hiql.worlds.two_goals import TwoGoals, simulate_two_goals


@dataclass(frozen=True)
class DemoConfig:
    seed: int = 0
    n_sessions: int = 200
    n_fresh: int = 512
    n_intentions: tuple[int, ...] = (1, 2, 3)
    n_folds: int = 2
    n_restarts: int = 2
    inverse_temperature: float = 10.0


class DemoResult(NamedTuple):
    """The choice, the chosen model, and how often it is right about fresh sessions it has never seen."""

    source: Source
    selection: Selection
    model: IntentionModel
    names: tuple[str, ...] | None
    fresh: TwoGoals
    agreement: float


def compute(config: DemoConfig, folder: Path, n_jobs: int = -1) -> DemoResult:
    """Let ``hiql.select`` propose clocks and choose among them, and K, for an expert with two intentions.

    The world and the changes of mind are those of the paper's expert; its actions are not greedy but as noisy as an
    animal's. With a Markov chain alone, held-out likelihood would go on rising with K: the expert switches where it
    enters barriers, and further intentions take up some of that. The fit is judged on fresh sessions.
    """
    expert, fresh = (
        simulate_two_goals(n, config.inverse_temperature, random_state=seed)
        for n, seed in ((config.n_sessions, config.seed), (config.n_fresh, config.seed + 1))
    )
    source = Source({None: expert.data}, expert.world)
    chosen = select(
        expert.data,
        proposal=propose(expert.data, expert.world, n_intentions=config.n_intentions),
        mdp=expert.world,
        folder=folder / "units",
        n_folds=config.n_folds,
        n_restarts=config.n_restarts,
        random_state=config.seed,
        n_jobs=n_jobs,
    )
    model, selection, names = chosen.best, chosen.selection, None
    if model.n_intentions_ == len(expert.intentions):
        model = model.permuted(match_policies(model.policy_, expert.policy).order)
        names = expert.intentions
    true = fresh.data.intentions
    assert true is not None
    return DemoResult(source, selection, model, names, fresh, decoding_agreement(model.decode(fresh.data), true))


def write(result: DemoResult, folder: Path) -> Path:
    """Save what a sweep leaves behind, and an overview of fresh sessions; returns the report's path."""
    fresh = result.fresh
    longest = np.argsort(-fresh.data.lengths, kind="stable")[:3]
    overview = overview_figure(
        result.model,
        fresh.data,
        fresh.world,
        result.names,
        None if result.names is None else fresh.data.intentions,
        [int(i) for i in longest],
        marks={"#": fresh.barriers},
    )
    save_figure(overview, folder / "intentions")
    files = write_selection(folder, result.selection, result.model, result.source, names=result.names)
    return files["report"]
