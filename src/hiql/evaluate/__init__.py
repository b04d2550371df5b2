"""Judging fits: alignment of intentions, scores, cross-validation."""

from hiql.evaluate.alignment import Matching, align, decoding_agreement, match_policies
from hiql.evaluate.selection import Candidate, Selection, select_n_intentions

__all__ = [
    "Candidate",
    "Matching",
    "Selection",
    "align",
    "decoding_agreement",
    "match_policies",
    "select_n_intentions",
]
