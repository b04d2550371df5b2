"""The named pairs: HIAVI (known world), HIQL (unknown world) and GLMHMM (choices linear in inputs)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hiql.choices.choice import Choice
from hiql.choices.linear import LinearChoice
from hiql.choices.pooled_weights import PooledWeights
from hiql.data.codes import label_text
from hiql.dynamics.chain import IntentionDynamics
from hiql.models.pooling import SUBJECTS, PooledModel, WithSubjects
from hiql.parts.part import FloatArray
from hiql.parts.reads import STATE_ENTERED, SUBJECT
from hiql.rewards.iavi import IAVI
from hiql.rewards.iql import iql_solver
from hiql.rewards.preference import Reward
from hiql.worlds.mdp import MDP

POOLED_BY = {SUBJECTS: SUBJECT, "states": STATE_ENTERED}
"""What weights are pooled by, in the words of a model."""


class HIAVI(PooledModel):
    """Hierarchical inverse action-value iteration: multi-intention IRL in a known world (paper, Algorithms 1 and 3).

    Softmax(Q) is exactly the policy IAVI was given, so the EM loop works on policies alone, is exact and climbs;
    the rewards are solved in closed form at the end. See :class:`IntentionModel` for the other parameters.

    Parameters
    ----------
    mdp : the world: an :class:`hiql.MDP` or one of :mod:`hiql.worlds`
    pseudo_count : added to every expected count of an action in a state; a number, or an array that broadcasts
        to (K, S, A) (a base policy times a strength for each state). With ``sampled=True``, ``1e-6`` comes near what
        the paper's authors ran.
    prior : "flat", or "pooled": policies in long histories are pulled to those in shorter ones, with strengths that are
        learned (``policy_strength_``); ``pseudo_count`` is then that of the shortest
    pool : None, or "subjects": animals share and differ. Each has policies, a chain and beginnings of its own around
        the population's: ``policy_of(subject)``, ``transition_of(subject)``; one never met has the population's, and
        ``adapt(data)`` gives it its own. "days": policies change, too, each day's around those of the day before:
        ``policy_of(subject, day)``, ``drift_of(subject)``; ``data.session_days`` says which day it was
    """

    def __init__(
        self,
        n_intentions: int | str = 2,
        *,
        mdp: MDP,
        pseudo_count: float | FloatArray = 0.1,
        prior: str = "flat",
        pool: str | None = None,
        choice: Choice | None = None,
        dynamics: str | IntentionDynamics | None = None,
        n_init: int = 4,
        patience: int | None = None,
        max_iter: int = 1000,
        tol: float = 1e-7,
        estimate: str = "mode",
        sampled: bool = False,
        random_state: int = 0,
        n_jobs: int | None = None,
        progress: bool = True,
    ) -> None:
        self.n_intentions = n_intentions
        self.mdp = mdp
        self.pseudo_count = pseudo_count
        self.prior = prior
        self.pool = pool
        self.choice = choice
        self.dynamics = dynamics
        self.n_init = n_init
        self.patience = patience
        self.max_iter = max_iter
        self.tol = tol
        self.estimate = estimate
        self.sampled = sampled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _reward(self) -> Reward:
        return IAVI(self.pseudo_count, mdp=self.mdp)


class HIQL(PooledModel):
    """Hierarchical inverse Q-learning: multi-intention IRL in an unknown world (paper, Algorithms 2 and 3).

    See :class:`IntentionModel` for the other parameters.

    Parameters
    ----------
    discount : γ
    method : "expected" (the fixed point of Algorithm 2, deterministic) or "stochastic" (Algorithm 2 as printed)
    pseudo_count, prior, pool : as in :class:`HIAVI`
    learning_rates, epochs : (α_r, α_Q, α_Sh) and passes of the stochastic method
    """

    def __init__(
        self,
        n_intentions: int | str = 2,
        *,
        discount: float = 0.99,
        method: str = "expected",
        pseudo_count: float | FloatArray = 0.1,
        learning_rates: tuple[float, float, float] = (0.05, 0.05, 0.05),
        epochs: int = 20,
        prior: str = "flat",
        pool: str | None = None,
        choice: Choice | None = None,
        dynamics: str | IntentionDynamics | None = None,
        n_init: int = 4,
        patience: int | None = None,
        max_iter: int = 1000,
        tol: float = 1e-7,
        estimate: str = "mode",
        sampled: bool = False,
        random_state: int = 0,
        n_jobs: int | None = None,
        progress: bool = True,
    ) -> None:
        self.n_intentions = n_intentions
        self.discount = discount
        self.method = method
        self.pseudo_count = pseudo_count
        self.learning_rates = learning_rates
        self.epochs = epochs
        self.prior = prior
        self.pool = pool
        self.choice = choice
        self.dynamics = dynamics
        self.n_init = n_init
        self.patience = patience
        self.max_iter = max_iter
        self.tol = tol
        self.estimate = estimate
        self.sampled = sampled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _reward(self) -> Reward:
        options: dict[str, Any] = {"discount": self.discount, "pseudo_count": self.pseudo_count}
        if self.method == "stochastic":
            options |= {
                "learning_rates": self.learning_rates,
                "epochs": self.epochs,
                "random_state": self.random_state,
            }
        return iql_solver(self.method, **options)


class GLMHMM(WithSubjects):
    """Choices linear in the inputs: p(a_t | u_t, z_t = i) = softmax_a(W_i u_t), for any number of actions.

    The GLM-HMM (Ashwood et al. 2022): an intention whose reward is linear in the inputs and whose discount is 0. See
    :class:`IntentionModel` for the other parameters and :class:`hiql.choices.LinearChoice` for prior and M-step.

    Parameters
    ----------
    ridge : "learned" for each input, or the precision of the weights of standardised inputs
    lapse : whether each intention also does anything at all, at a rate that is learned (``lapse_``)
    inputs : the names of the inputs that choices depend on, by default all; ``dynamics=InputDriven(inputs=…)`` may have
        others
    pool : None; "subjects": each animal has weights, a chain and beginnings of its own around the population's, and
        ``adapt(data)`` gives them to one never met; or "states", or the name of a context of the data: weights of its
        own in each (:class:`hiql.choices.PooledWeights`)

    Attributes
    ----------
    weights_ : (K, A, D + 1) in the units of the inputs, the bias last; they sum to 0 over actions
    inputs_ : (D,) the names of these inputs
    weights_by_group_ : (K, G, A, D + 1) with ``pool``: those of single animals, states or contexts
    ridge_ : (D,) the precisions, of standardised inputs
    """

    choice = reward = solver = None

    def __init__(
        self,
        n_intentions: int | str = 2,
        *,
        ridge: str | float | FloatArray = "learned",
        lapse: bool = False,
        inputs: tuple[str, ...] | None = None,
        pool: str | None = None,
        dynamics: str | IntentionDynamics | None = None,
        n_init: int = 4,
        patience: int | None = None,
        max_iter: int = 1000,
        tol: float = 1e-7,
        estimate: str = "mode",
        sampled: bool = False,
        random_state: int = 0,
        n_jobs: int | None = None,
        progress: bool = True,
    ) -> None:
        self.n_intentions = n_intentions
        self.ridge = ridge
        self.lapse = lapse
        self.inputs = inputs
        self.pool = pool
        self.dynamics = dynamics
        self.n_init = n_init
        self.patience = patience
        self.max_iter = max_iter
        self.tol = tol
        self.estimate = estimate
        self.sampled = sampled
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def _choice(self) -> Choice:
        if self.pool is None:
            return LinearChoice(self.ridge, lapse=self.lapse, inputs=self.inputs)
        by = POOLED_BY.get(self.pool, self.pool)
        return PooledWeights(self.ridge, lapse=self.lapse, inputs=self.inputs, by=by)

    def weights_of(self, group: object) -> FloatArray:
        """(K, A, D + 1) the weights of a subject (or state, or context: as ``pool`` says), in the units of the inputs.

        Those in common, ``weights_``, for one that the model has never met.
        """
        check_is_fitted(self)
        if self.pool is None:
            return np.asarray(self.weights_)
        choice: Any = self._parts()[1]
        labels = choice.labels()
        known = label_text(group) in labels
        return np.asarray(self.weights_by_group_[:, labels.index(label_text(group))] if known else self.weights_)
