"""How intentions follow one another."""

from hiql.dynamics.by_state import ByState
from hiql.dynamics.chain import Chain, ChainCounts, IntentionDynamics, Timeline
from hiql.dynamics.independent import Independent
from hiql.dynamics.input_driven import InputDriven
from hiql.dynamics.markov import MarkovChain
from hiql.dynamics.registry import make_dynamics
from hiql.dynamics.session_wise import SessionWise
from hiql.dynamics.sticky import StickyChain

__all__ = [
    "ByState",
    "Chain",
    "ChainCounts",
    "Independent",
    "InputDriven",
    "IntentionDynamics",
    "MarkovChain",
    "SessionWise",
    "StickyChain",
    "Timeline",
    "make_dynamics",
]
