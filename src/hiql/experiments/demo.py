"""The whole tool in under a minute: simulate an expert, choose K, fit, decode, report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from hiql.data.folds import Fold, session_folds
from hiql.evaluate.alignment import decoding_agreement, match_policies
from hiql.evaluate.selection import Selection, select_n_intentions
from hiql.files import write_whole
from hiql.models import HIAVI
from hiql.plots import draw_selection, new_figure, overview_figure, save_figure, style
from hiql.report.page import Page
from hiql.worlds.two_goals import TwoGoals, simulate_two_goals


@dataclass(frozen=True)
class DemoConfig:
    seed: int = 0
    n_sessions: int = 1024
    n_intentions: tuple[int, ...] = (1, 2, 3)
    n_folds: int = 5


@dataclass(frozen=True)
class DemoResult:
    """What was simulated, how each K did, and how well its decoded intentions agree with the truth on held-out
    sessions."""

    config: DemoConfig
    simulation: TwoGoals
    fold: Fold
    selection: Selection
    agreement: tuple[float, ...]

    @property
    def table(self) -> pd.DataFrame:
        rows = [
            {
                "n_intentions": c.n_intentions,
                "train": c.train,
                "held_out": c.held_out,
                "bic": c.bic,
                "agreement": agreement,
            }
            for c, agreement in zip(self.selection.candidates, self.agreement, strict=True)
        ]
        return pd.DataFrame(rows)


def compute(config: DemoConfig, on_stage: Callable[[str], None] = lambda stage: None) -> DemoResult:  # noqa: ARG005
    """Simulate the paper's two-intention expert and fit K = 1, 2, 3 to four fifths of its sessions."""
    on_stage(f"simulating {config.n_sessions} sessions of the two-goal expert")
    simulation = simulate_two_goals(config.n_sessions, random_state=config.seed)
    fold = session_folds(simulation.data, config.n_folds, random_state=config.seed)[0]

    def make_model(k: int) -> HIAVI:
        on_stage(f"fitting K = {k}")
        return HIAVI(k, mdp=simulation.world, random_state=config.seed, progress=False)

    selection = select_n_intentions(make_model, simulation.data, fold, config.n_intentions)
    test = simulation.data.select(fold.test)
    assert test.intentions is not None
    agreement = tuple(decoding_agreement(c.model.decode(test), test.intentions) for c in selection.candidates)
    return DemoResult(config, simulation, fold, selection, agreement)


def write(result: DemoResult, folder: Path) -> Path:
    """Save the table, the figures, the chosen model and a report; returns the report's path."""
    best = result.selection.best
    simulation = result.simulation
    test = simulation.data.select(result.fold.test)
    model, names, true = best.model, None, None
    if best.n_intentions == len(simulation.intentions):
        model = model.permuted(match_policies(model.policy_, simulation.policy).order)
        names, true = simulation.intentions, test.intentions
    longest = np.argsort(-test.lengths, kind="stable")[:3]
    with style():
        curves = new_figure(7.5, 2.8)
        draw_selection(curves.subplots(1, 2), result.table, chosen=best.n_intentions)
    overview = overview_figure(
        model,
        test,
        simulation.world,
        names,
        true,
        [int(i) for i in longest],
        marks={"#": simulation.barriers},
    )
    save_figure(curves, folder / "selection")
    save_figure(overview, folder / "intentions")
    model.save(folder / "model.hiql")
    write_whole(folder / "selection.csv", result.table.to_csv(index=False))
    page = Page("hiql demo", "Two intentions recovered from simulated behaviour (Zhu et al. 2024, first experiment)")
    page.text(_story(result))
    page.heading("How many intentions?")
    page.table(readable(result.table), chosen=[list(result.config.n_intentions).index(best.n_intentions)])
    page.figure(curves, "Log-likelihood per step on training and held-out sessions, and BIC, against K.")
    page.heading("What they are")
    page.figure(
        overview,
        "Held-out sessions: probability of each intention at each step, decoded and true intentions above; its course "
        "over all sessions; the transition matrix; and the value map of each intention with its policy (arrows; × "
        "is stay; # a barrier).",
    )
    page.heading("Use the model")
    page.code(f'import hiql\nmodel = hiql.load("{folder / "model.hiql"}")\nprint(model.transition_)')
    return write_whole(folder / "report.html", page.html())


def readable(table: pd.DataFrame) -> pd.DataFrame:
    """The table as people read it."""
    return pd.DataFrame(
        {
            "K": table["n_intentions"],
            "train (nats/step)": table["train"].map("{:.4f}".format),
            "held out (nats/step)": table["held_out"].map("{:.4f}".format),
            "BIC": table["bic"].map("{:.0f}".format),
            "agreement with truth": table["agreement"].map("{:.1%}".format),
        }
    )


def _story(result: DemoResult) -> str:
    data = result.simulation.data
    best = result.selection.best
    agreement = dict(zip(result.config.n_intentions, result.agreement, strict=True))[best.n_intentions]
    return (
        f"A simulated animal crossed a 5 × 5 grid {data.n_sessions} times ({data.n_steps} decisions), heading for one "
        f"corner and sometimes changing its mind. hiql saw only states and actions. BIC chose K = {best.n_intentions}; "
        f"on held-out sessions its decoded intentions agree with the true ones on {agreement:.1%} of the steps."
    )
