"""Judging fits: alignment of intentions, scores, cross-validation."""

from hiql.evaluate.alignment import Matching, align, decoding_agreement, match_policies
from hiql.evaluate.courses import Course, mean_course
from hiql.evaluate.selection import Candidate, Selection, select_n_intentions
from hiql.evaluate.value_difference import expected_value_difference, matched_value_differences

__all__ = [
    "Candidate",
    "Course",
    "Matching",
    "Selection",
    "align",
    "decoding_agreement",
    "expected_value_difference",
    "match_policies",
    "matched_value_differences",
    "mean_course",
    "select_n_intentions",
]
