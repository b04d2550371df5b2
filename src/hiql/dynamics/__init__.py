"""How intentions follow one another."""

from hiql.dynamics.chain import Chain, ChainCounts, IntentionDynamics, Timeline
from hiql.dynamics.markov import MarkovChain
from hiql.dynamics.registry import make_dynamics

__all__ = ["Chain", "ChainCounts", "IntentionDynamics", "MarkovChain", "Timeline", "make_dynamics"]
