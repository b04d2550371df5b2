"""Which ingredient of the authors' procedure makes which difference: each is replaced by ours, one at a time."""

from __future__ import annotations

from hiql.experiments.as_printed import Procedure

THEIRS = "as they ran it"
VARIANTS: dict[str, Procedure] = {
    THEIRS: Procedure(),
    "weighted by the posterior, not sampled": Procedure(sampled=False),
    "pseudo-count 0.01, not 1e-6 in the logarithm": Procedure(floor=None, pseudo_count=0.01),
    "Π uniform at the start, not random": Procedure(random_initial=False),
    "pseudo-count 0.1 on the chain, not none": Procedure(chain_pseudo_count=0.1),
    "up to 200 iterations, not until the decoding stands still": Procedure(until_decoded=False),
    "best start by honest test score": Procedure(chosen_by="test"),
    "best start by training likelihood": Procedure(chosen_by="training"),
    "one start, not ten": Procedure(n_starts=1),
    "weighted, pseudo-count 0.01": Procedure(sampled=False, floor=None, pseudo_count=0.01),
    "weighted, pseudo-count 0.1": Procedure(sampled=False, floor=None, pseudo_count=0.1),
    "weighted, pseudo-count 1": Procedure(sampled=False, floor=None, pseudo_count=1.0),
}
"""What the rows of the ablation differ in from the first."""
