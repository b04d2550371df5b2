"""How intentions follow one another."""

from hiql.dynamics.chain import Chain, ChainCounts, IntentionDynamics, shares_told
from hiql.dynamics.markov import MarkovChain

__all__ = ["Chain", "ChainCounts", "IntentionDynamics", "MarkovChain", "shares_told"]
