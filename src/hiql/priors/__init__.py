"""Rows of probabilities and what is believed of them."""

from hiql.priors.chained import learn_chained
from hiql.priors.pooled import Learned, chance_of_any, first_guess, learn, settled, told_bounds
from hiql.priors.pooled_evidence import averaged, pooled_evidence
from hiql.priors.redrawn import Redrawn, redrawn
from hiql.priors.tree import Tree

__all__ = [
    "Learned",
    "Redrawn",
    "Tree",
    "averaged",
    "chance_of_any",
    "first_guess",
    "learn",
    "learn_chained",
    "pooled_evidence",
    "redrawn",
    "settled",
    "told_bounds",
]
