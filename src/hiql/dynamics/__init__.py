"""How intentions follow one another."""

from hiql.dynamics.by_state import ByState
from hiql.dynamics.chain import Chain, ChainCounts, IntentionDynamics, Timeline
from hiql.dynamics.input_driven import InputDriven
from hiql.dynamics.markov import MarkovChain
from hiql.dynamics.registry import make_dynamics
from hiql.dynamics.session_wise import SessionWise

__all__ = [
    "ByState",
    "Chain",
    "ChainCounts",
    "InputDriven",
    "IntentionDynamics",
    "MarkovChain",
    "SessionWise",
    "Timeline",
    "make_dynamics",
]
