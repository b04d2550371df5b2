"""Options for how intentions follow one another, and for what is pooled."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, Any

import typer

from hiql.dynamics import ByState, InputDriven
from hiql.dynamics.registry import DEFAULT, DYNAMICS, make_dynamics
from hiql.errors import InvalidParameter

PANEL = "Clocks and pooling"
BY_STATE, INPUT_DRIVEN = "by-state", "input-driven"
NO_POOL = "none"


@dataclass(frozen=True)
class ClockOptions:
    """What to try; several values have commas between."""

    dynamics: Annotated[
        str | None,
        typer.Option(
            help=f"How intentions follow one another: {', '.join(DYNAMICS)}.",
            rich_help_panel=PANEL,
            show_default=f"{DEFAULT}; proposed by select",
        ),
    ] = None
    switch_by: Annotated[
        str | None,
        typer.Option(
            help="What switching goes by, for by-state: state left, state entered, last action, last outcome, subject, "
            "or a column of --context.",
            rich_help_panel=PANEL,
            show_default="state left",
        ),
    ] = None
    prior: Annotated[
        str, typer.Option(help="flat, or pooled: long histories around shorter ones.", rich_help_panel=PANEL)
    ] = "flat"
    pool: Annotated[
        str | None,
        typer.Option(
            help="none; subjects: animals share and differ; days: policies change, too, from one --day to the next; or "
            "states, with --family glmhmm.",
            rich_help_panel=PANEL,
            show_default=f"{NO_POOL}; proposed by select",
        ),
    ] = None

    def wanted(self, driving: tuple[str, ...] = ()) -> dict[str, Any]:
        """Every value of each option, as :func:`hiql.propose` takes them; None for those that were not given.

        Inputs that are ``driving`` switching ask for the clock that they drive, beside others.
        """
        names = _split(self.dynamics or (DEFAULT if self.switch_by is None else BY_STATE))
        names = names if not driving or INPUT_DRIVEN in names else (*names, INPUT_DRIVEN)
        if self.switch_by is not None and BY_STATE not in names:
            remedy = f"choose --dynamics {BY_STATE} (alone or among others) as well"
            raise InvalidParameter(parameter="switch_by", value=self.switch_by, remedy=remedy)
        for name in names:
            make_dynamics(name)
        clocks = tuple(self._clock(name, driving) for name in names)
        pools = tuple(None if pool == NO_POOL else pool for pool in _split(self.pool or NO_POOL))
        asked = self.dynamics is not None or self.switch_by is not None or bool(driving)
        return {
            "dynamics": clocks if asked else None,
            "prior": _split(self.prior),
            "pool": None if self.pool is None else pools,
        }

    def single(self, driving: tuple[str, ...] = ()) -> dict[str, Any]:
        """One value of each option, as a model takes them: its own default for a Markov chain."""
        silent = self.dynamics is None and self.switch_by is None
        asked = replace(self, dynamics=INPUT_DRIVEN) if driving and silent else self
        given = {name: values for name, values in asked.wanted(driving).items() if values is not None}
        for name, values in given.items():
            if len(values) != 1:
                raise InvalidParameter(parameter=name, value=getattr(self, name), remedy="choose one of them to fit")
        one = {"dynamics": None, "pool": None} | {name: values[0] for name, values in given.items()}
        return one | ({"dynamics": None} if one["dynamics"] == DEFAULT else {})

    def _clock(self, name: str, driving: tuple[str, ...]) -> Any:
        if name == INPUT_DRIVEN and driving:
            return InputDriven(inputs=driving)
        return ByState(context=self.switch_by) if name == BY_STATE and self.switch_by is not None else name


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
