"""How intentions follow one another."""

from hiql.dynamics.chain import Chain, ChainCounts, IntentionDynamics
from hiql.dynamics.markov import MarkovChain
from hiql.dynamics.registry import DYNAMICS, make_dynamics

__all__ = ["DYNAMICS", "Chain", "ChainCounts", "IntentionDynamics", "MarkovChain", "make_dynamics"]
