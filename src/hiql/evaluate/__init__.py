"""Judging fits: alignment, names and occupancy of intentions, scores, selection of K, uncertainty, recovery, checks."""

from hiql.evaluate.alignment import Matching, align, decoding_agreement, match_policies
from hiql.evaluate.bootstrap import Bootstrap, bootstrap
from hiql.evaluate.courses import Course, mean_course
from hiql.evaluate.naming import directedness, name_intentions
from hiql.evaluate.occupancy import expected_occupancy
from hiql.evaluate.predictive import predictive_check
from hiql.evaluate.recovery import Recovery, recovery
from hiql.evaluate.selection import Candidate, Selection, select_n_intentions
from hiql.evaluate.value_difference import expected_value_difference, matched_value_differences

__all__ = [
    "Bootstrap",
    "Candidate",
    "Course",
    "Matching",
    "Recovery",
    "Selection",
    "align",
    "bootstrap",
    "decoding_agreement",
    "directedness",
    "expected_occupancy",
    "expected_value_difference",
    "match_policies",
    "matched_value_differences",
    "mean_course",
    "name_intentions",
    "predictive_check",
    "recovery",
    "select_n_intentions",
]
