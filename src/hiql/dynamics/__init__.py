"""How intentions follow one another."""

from hiql.dynamics.by_state import ByState
from hiql.dynamics.chain import ChainCounts, Done, Follows, IntentionDynamics, Timeline
from hiql.dynamics.dense import Chain
from hiql.dynamics.independent import Independent
from hiql.dynamics.input_driven import InputDriven
from hiql.dynamics.markov import MarkovChain
from hiql.dynamics.phase_chain import PhaseChain, PhaseCounts
from hiql.dynamics.registry import make_dynamics
from hiql.dynamics.semi_markov import SemiMarkov
from hiql.dynamics.session_wise import SessionWise
from hiql.dynamics.sticky import StickyChain
from hiql.dynamics.weak_limit import WeakLimit

__all__ = [
    "ByState",
    "Chain",
    "ChainCounts",
    "Done",
    "Follows",
    "Independent",
    "InputDriven",
    "IntentionDynamics",
    "MarkovChain",
    "PhaseChain",
    "PhaseCounts",
    "SemiMarkov",
    "SessionWise",
    "StickyChain",
    "Timeline",
    "WeakLimit",
    "make_dynamics",
]
