"""One frame for every experiment: config → units → result → figures, verdicts, summary.

An experiment is its science only: what is fitted (units of work), what the units add up to, what is drawn, said and
judged. The frame runs the units, resumed where they were interrupted, and writes what every experiment leaves behind:
results.json, figures, models, summary.md with the verdicts at its end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from matplotlib.figure import Figure

from hiql.experiments.results import write_results
from hiql.experiments.verdicts import Verdict, verdict_section
from hiql.files import write_whole
from hiql.models import IntentionModel
from hiql.plots import save_figure, style
from hiql.sweep import Failure, Outcome, run_units


class Result(Protocol):
    """What every result has: the config it comes from, and the units that failed."""

    @property
    def config(self) -> Any: ...
    @property
    def failures(self) -> list[Failure]: ...


C = TypeVar("C")
R = TypeVar("R", bound=Result)


@dataclass(frozen=True, kw_only=True)
class ExperimentConfig:
    """What the configs of all experiments share. ``n_restarts`` starts serve the paper's own protocol."""

    seed: int = 0
    n_folds: int = 5
    folds_run: int = 5
    n_restarts: int = 10

    @property
    def folds(self) -> str:
        """For people."""
        return f"{self.folds_run} of {self.n_folds} folds"


class Stage(NamedTuple):
    """Units that are run under one progress bar, and the importable function that computes one of them."""

    label: str
    units: Sequence[Mapping[str, Any]]
    work: Callable[[Mapping[str, Any]], dict[str, Any]]


class Plan(NamedTuple, Generic[R]):
    """The work of a run, and how its outcomes (of all stages, in their order) become a result."""

    stages: Sequence[Stage]
    gather: Callable[[list[Outcome], list[Failure]], R]


def no_models(result: Any) -> Mapping[str, IntentionModel]:  # noqa: ARG001
    return {}


@dataclass(frozen=True)
class Experiment(Generic[C, R]):
    """The science of an experiment, as functions.

    Parameters
    ----------
    title : the first line of summary.md
    plan : config and folder → :class:`Plan`
    document : result → what results.json holds of it
    figures : result → names (they may name a subfolder) and figures, drawn one after the other
    sections : result → the paragraphs of summary.md
    verdicts : result → the paper's claims, judged
    models : result → fitted models to keep, by name
    """

    title: str
    plan: Callable[[C, Path], Plan[R]]
    document: Callable[[R], dict[str, Any]]
    figures: Callable[[R], Iterator[tuple[str, Figure]]]
    sections: Callable[[R], list[str]]
    verdicts: Callable[[R], list[Verdict]]
    models: Callable[[R], Mapping[str, IntentionModel]] = no_models

    def compute(self, config: C, folder: Path, *, n_jobs: int | None = -1, progress: bool = True) -> R:
        """All units, resumed from ``folder``/units where they were interrupted, gathered into one result."""
        plan = self.plan(config, folder)
        outcomes: list[Outcome] = []
        failures: list[Failure] = []
        for label, units, work in plan.stages:
            done, failed = run_units(
                units, work, folder / "units", label=label, n_jobs=n_jobs, progress=progress
            )  # fmt: skip
            outcomes += done
            failures += failed
        return plan.gather(outcomes, failures)

    def write(self, result: R, folder: Path) -> Path:
        """Write all files into ``folder``; returns the path of summary.md, which is written last."""
        judged = {"verdicts": [verdict._asdict() for verdict in self.verdicts(result)]}
        failed = {"failures": [failure._asdict() for failure in result.failures]}
        write_results(folder / "results.json", result.config, self.document(result) | judged | failed)
        with style():
            for name, figure in self.figures(result):
                save_figure(figure, folder / name)
        for name, model in self.models(result).items():
            model.save(folder / f"{name}.hiql")
        return write_whole(folder / "summary.md", self.summary(result))

    def summary(self, result: R) -> str:
        """summary.md: what was found, what failed, and the list of verdicts."""
        parts = [f"# {self.title}", *self.sections(result)]
        if result.failures:
            parts += ["## Failed units", *(f"- {failure.unit}: {failure.error}" for failure in result.failures)]
        return "\n\n".join([*parts, *verdict_section(self.verdicts(result))]) + "\n"

    def run(self, config: C, folder: Path, *, n_jobs: int | None = -1) -> Path:
        """Compute and write; returns the path of summary.md."""
        return self.write(self.compute(config, folder, n_jobs=n_jobs), folder)
