"""hiql: the discrete intentions behind behaviour.

Multi-intention inverse reinforcement learning after Zhu et al., "Multi-intention Inverse Q-learning for
Interpretable Behavior Representation" (TMLR 2024).
"""

from importlib.metadata import version

from hiql import baselines, datasets, dynamics, evaluate, solvers, worlds
from hiql.data.bandit import bandit_trials
from hiql.data.folds import session_folds
from hiql.data.importers import read_freibox, read_nwb
from hiql.data.tables import read_table
from hiql.data.trajectories import Trajectories
from hiql.models import HIAVI, HIQL, IntentionModel
from hiql.persistence import load
from hiql.solvers.iavi import iavi
from hiql.solvers.iql import iql
from hiql.solvers.preference import Preference
from hiql.worlds.mdp import MDP

__version__ = version("hiql")

__all__ = [
    "HIAVI",
    "HIQL",
    "MDP",
    "IntentionModel",
    "Preference",
    "Trajectories",
    "bandit_trials",
    "baselines",
    "datasets",
    "dynamics",
    "evaluate",
    "iavi",
    "iql",
    "load",
    "read_freibox",
    "read_nwb",
    "read_table",
    "session_folds",
    "solvers",
    "worlds",
]
