"""Judging fits: alignment, names and occupancy of intentions, scores, uncertainty, recovery, checks."""

from hiql.evaluate.animals.stages import fit_individuals, fit_together, score_history, score_intentions
from hiql.evaluate.checks.bootstrap import Bootstrap, bootstrap
from hiql.evaluate.checks.predictive import predictive_check
from hiql.evaluate.checks.recovery import Recovery, recovery
from hiql.evaluate.measures.accuracy import Accuracy, accuracy
from hiql.evaluate.measures.alignment import Matching, align, decoding_agreement, match_policies
from hiql.evaluate.measures.courses import Course, mean_course
from hiql.evaluate.measures.effects import Drives, Effects, drives, effects, effects_by_group
from hiql.evaluate.measures.lags import choice_kernels
from hiql.evaluate.measures.leaking import leaking_score
from hiql.evaluate.measures.occupancy import expected_occupancy, expected_visits
from hiql.evaluate.measures.psychometric import PsychometricCurves, psychometric_curves
from hiql.evaluate.measures.value_difference import expected_value_difference, matched_value_differences
from hiql.evaluate.words.naming import directedness, name_intentions, suggest_names
from hiql.evaluate.words.strategies import name_strategies, strategy_profile
from hiql.evaluate.words.verdict import Verdict, judge

__all__ = [
    "Accuracy",
    "Bootstrap",
    "Course",
    "Drives",
    "Effects",
    "Matching",
    "PsychometricCurves",
    "Recovery",
    "Verdict",
    "accuracy",
    "align",
    "bootstrap",
    "choice_kernels",
    "decoding_agreement",
    "directedness",
    "drives",
    "effects",
    "effects_by_group",
    "expected_occupancy",
    "expected_value_difference",
    "expected_visits",
    "fit_individuals",
    "fit_together",
    "judge",
    "leaking_score",
    "match_policies",
    "matched_value_differences",
    "mean_course",
    "name_intentions",
    "name_strategies",
    "predictive_check",
    "psychometric_curves",
    "recovery",
    "score_history",
    "score_intentions",
    "strategy_profile",
    "suggest_names",
]
