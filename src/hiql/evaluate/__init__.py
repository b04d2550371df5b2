"""Judging fits: alignment, names and occupancy of intentions, scores, uncertainty, recovery, checks."""

from hiql.evaluate.alignment import Matching, align, decoding_agreement, match_policies
from hiql.evaluate.bootstrap import Bootstrap, bootstrap
from hiql.evaluate.coarse_to_fine import Level, choose_strength, fit_coarse_to_fine
from hiql.evaluate.courses import Course, mean_course
from hiql.evaluate.leaking import leaking_score
from hiql.evaluate.naming import directedness, name_intentions, suggest_names
from hiql.evaluate.occupancy import expected_occupancy, expected_visits
from hiql.evaluate.predictive import predictive_check
from hiql.evaluate.recovery import Recovery, recovery
from hiql.evaluate.stages import fit_individuals, history_levels, score_history, score_intentions
from hiql.evaluate.strategies import name_strategies, strategy_profile
from hiql.evaluate.value_difference import expected_value_difference, matched_value_differences
from hiql.evaluate.verdict import Verdict, judge

__all__ = [
    "Bootstrap",
    "Course",
    "Level",
    "Matching",
    "Recovery",
    "Verdict",
    "align",
    "bootstrap",
    "choose_strength",
    "decoding_agreement",
    "directedness",
    "expected_occupancy",
    "expected_value_difference",
    "expected_visits",
    "fit_coarse_to_fine",
    "fit_individuals",
    "history_levels",
    "judge",
    "leaking_score",
    "match_policies",
    "matched_value_differences",
    "mean_course",
    "name_intentions",
    "name_strategies",
    "predictive_check",
    "recovery",
    "score_history",
    "score_intentions",
    "strategy_profile",
    "suggest_names",
]
