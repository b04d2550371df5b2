"""hiql: the discrete intentions behind behaviour.

Multi-intention inverse reinforcement learning after Zhu et al., "Multi-intention Inverse Q-learning for
Interpretable Behavior Representation" (TMLR 2024).

Names are imported when first used, so that ``import hiql`` takes no time and nothing is loaded that is not needed.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hiql import baselines, choices, datasets, dynamics, evaluate, rewards, solvers, worlds
    from hiql.data.bandit import bandit_trials
    from hiql.data.folds import session_folds
    from hiql.data.importers import read_freibox, read_nwb
    from hiql.data.mapped import open_trajectories
    from hiql.data.reading import read_table
    from hiql.data.streaming import stream_table
    from hiql.data.trajectories import Trajectories
    from hiql.models import GLMHMM, HIAVI, HIQL, IntentionModel
    from hiql.models.persistence import load
    from hiql.rewards.iavi import iavi
    from hiql.rewards.iql import iql
    from hiql.rewards.preference import Preference
    from hiql.sweep.door import select
    from hiql.sweep.proposal import propose
    from hiql.worlds.mdp import MDP

_HOMES = {
    "GLMHMM": "hiql.models",
    "HIAVI": "hiql.models",
    "HIQL": "hiql.models",
    "MDP": "hiql.worlds.mdp",
    "IntentionModel": "hiql.models",
    "Preference": "hiql.rewards.preference",
    "Trajectories": "hiql.data.trajectories",
    "bandit_trials": "hiql.data.bandit",
    "iavi": "hiql.rewards.iavi",
    "iql": "hiql.rewards.iql",
    "load": "hiql.models.persistence",
    "open_trajectories": "hiql.data.mapped",
    "propose": "hiql.sweep.proposal",
    "read_freibox": "hiql.data.importers",
    "read_nwb": "hiql.data.importers",
    "read_table": "hiql.data.reading",
    "select": "hiql.sweep.door",
    "session_folds": "hiql.data.folds",
    "stream_table": "hiql.data.streaming",
}

_ROOMS = {
    "baselines",
    "choices",
    "data",
    "datasets",
    "dynamics",
    "errors",
    "evaluate",
    "export",
    "models",
    "parts",
    "plots",
    "priors",
    "report",
    "rewards",
    "solvers",
    "sweep",
    "worlds",
}

_MOVED = {"persistence": "hiql.models.persistence"}
"""Modules of the first release that now live in a room."""

__all__ = [
    "GLMHMM",
    "HIAVI",
    "HIQL",
    "MDP",
    "IntentionModel",
    "Preference",
    "Trajectories",
    "bandit_trials",
    "baselines",
    "choices",
    "datasets",
    "dynamics",
    "evaluate",
    "iavi",
    "iql",
    "load",
    "open_trajectories",
    "propose",
    "read_freibox",
    "read_nwb",
    "read_table",
    "rewards",
    "select",
    "session_folds",
    "solvers",
    "stream_table",
    "worlds",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        value: Any = version("hiql")
    elif name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _ROOMS or name in _MOVED:
        value = import_module(_MOVED.get(name, f"hiql.{name}"))
    else:
        raise AttributeError(f"module 'hiql' has no attribute {name!r}")
    globals()[name] = value  # the next time, Python finds it without asking
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
