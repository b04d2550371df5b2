"""Which kind of model a table asks for, and how that is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from hiql.cli.columns import InputRoles
from hiql.data.layout import Layout, Steps
from hiql.data.trajectories import Trajectories
from hiql.sweep.plan import FAMILIES

GLMHMM = "glmhmm"
Family = Annotated[
    str | None,
    typer.Option(help=f"Kind of model: {', '.join(FAMILIES)}.", show_default="by the world and the inputs"),
]


def family_for(layout: Layout, data: Trajectories, roles: InputRoles, *, known_world: bool) -> str:
    """Choices linear in the inputs where there are any, and no states of the table's own: these keep their policies."""
    if known_world:
        return "hiavi"
    has_states = isinstance(layout, Steps) and data.n_states > 1
    return GLMHMM if roles.choices and not has_states else "hiql"


def depends_on(families: Sequence[str], data: Trajectories, roles: InputRoles) -> dict[str, Any]:
    """What choices and switching depend on, as plain values."""
    weighed = roles.choices or data.input_names
    return {
        "families": list(families),
        "choices_weigh": list(weighed) if GLMHMM in families else [],
        "switching_weighs": list(roles.switching),
    }


def told(facts: dict[str, Any]) -> list[str]:
    """The same in sentences, where there is anything to say."""
    sentences = []
    if facts.get("choices_weigh"):
        also = " (states are not used: --pool states gives each its own weights)" if facts["states"] > 1 else ""
        sentences.append(f"Choices are linear in {', '.join(facts['choices_weigh'])}{also}.")
    if facts.get("switching_weighs"):
        sentences.append(f"Switching is driven by {', '.join(facts['switching_weighs'])}.")
    return sentences
