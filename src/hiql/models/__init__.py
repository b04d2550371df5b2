"""The estimators: IntentionModel, any pair of parts, and its named pairs HIAVI (known world) and HIQL (unknown)."""

from hiql.models.intention_model import IntentionModel
from hiql.models.named import GLMHMM, HIAVI, HIQL

__all__ = ["GLMHMM", "HIAVI", "HIQL", "IntentionModel"]
