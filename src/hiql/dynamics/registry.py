"""Kinds of dynamics by name, so that a model can be asked for in a word."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hiql.dynamics.by_state import ByState
from hiql.dynamics.chain import IntentionDynamics
from hiql.dynamics.input_driven import InputDriven
from hiql.dynamics.markov import MarkovChain
from hiql.dynamics.semi_markov import SemiMarkov
from hiql.dynamics.session_wise import SessionWise
from hiql.dynamics.sticky import StickyChain
from hiql.errors import InvalidParameter

DYNAMICS: dict[str, Callable[[], IntentionDynamics]] = {
    "markov": MarkovChain,
    "session-wise": SessionWise,
    "by-state": ByState,
    "semi-markov": SemiMarkov,
    "input-driven": InputDriven,
    "sticky": StickyChain,
}
"""What each name makes, with its defaults."""
DEFAULT = "markov"
METHODS = ("bind", "start", "chain", "update", "log_prior", "summary", "permute", "n_free")
"""What every dynamics can do (:class:`IntentionDynamics`)."""


def make_dynamics(given: str | IntentionDynamics | None) -> IntentionDynamics:
    """The dynamics of this name, or this dynamics itself; None is a first-order Markov chain."""
    name: Any = DEFAULT if given is None else given
    if isinstance(name, str) and name in DYNAMICS:
        return DYNAMICS[name]()
    if isinstance(name, str | type) or not all(hasattr(name, method) for method in METHODS):
        known = ", ".join(map(repr, DYNAMICS))
        remedy = f"choose from {known}, or give an object of hiql.dynamics, such as MarkovChain()"
        raise InvalidParameter(parameter="dynamics", value=name, remedy=remedy)
    return given  # type: ignore[return-value]
