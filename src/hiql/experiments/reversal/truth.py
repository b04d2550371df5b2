"""The simulated cohort against what was simulated: how well intentions are decoded, and their profiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from hiql.choices.table import Policies, TableChoice
from hiql.data.histories import latest_trial
from hiql.data.trajectories import Trajectories
from hiql.dynamics.chain import Timeline
from hiql.dynamics.markov import ChainParameters, MarkovChain
from hiql.engine.inference import smooth
from hiql.engine.problem import Point, Problem
from hiql.evaluate.measures.alignment import decoding_agreement, match_policies
from hiql.evaluate.words.strategies import profile_of_policy, strategy_profile
from hiql.experiments.reversal.behaviour import Animals
from hiql.models import IntentionModel
from hiql.parts.rows import Rows
from hiql.worlds.reversal_task import ReversalCohort

FloatArray = npt.NDArray[np.float64]


class ByReward(MarkovChain):
    """Mice that react have a second matrix, for trials after a reward."""

    def bind(self, data: Trajectories) -> Timeline:
        rewarded = (latest_trial(data).reward > 0)[data.states]  # as the state remembers it; not in a first trial
        return super().bind(data)._replace(moves=Rows.of_steps(2, rewarded, data.offsets))


def oracle_posterior(cohort: ReversalCohort, data: Trajectories) -> FloatArray:
    """(N, K) the posterior under the true parameters of each mouse: nobody decodes better on average."""
    choice = Policies(np.log(cohort.policy(data)))
    posterior = np.empty((data.n_steps, len(cohort.stay)))
    subjects = np.array(data.subjects)[data.session_of_step]
    for mouse, (name, part) in enumerate(data.by_subject().items()):
        bank = cohort.transition[mouse].reshape(-1, *cohort.transition.shape[-2:])
        problem = Problem(part, ByReward() if len(bank) > 1 else MarkovChain(), TableChoice(), len(cohort.stay))
        chain = ChainParameters(np.log(cohort.initial[mouse])[None], np.log(bank))
        posterior[subjects == name] = smooth(problem.read(Point(chain, choice)))
    return posterior


def true_profile(cohort: ReversalCohort, data: Trajectories) -> FloatArray:
    """(K, 3) switch, win-stay and lose-switch of the simulated strategies, over the states they were really in."""
    visits = np.zeros((len(cohort.stay), data.n_states))
    np.add.at(visits, (np.asarray(data.intentions), data.states), 1.0)
    return profile_of_policy(cohort.policy(data), visits, data)


def compare(
    cohort: ReversalCohort, fits: Mapping[str, tuple[IntentionModel, Trajectories]], group: Animals
) -> dict[str, Any]:
    """Decoding accuracy and error of the profile of every fit, beside the oracle.

    A fit comes with the data it is over, whose rows are the cohort's. Its intentions are matched to the simulated ones
    by their policies, never by their names.
    """
    true = cohort.table["intention"].to_numpy()
    known = cohort.trajectories(1)
    found: dict[str, Any] = {"oracle": {"decoded": _agreement(oracle_posterior(cohort, known), true)}}
    truth = true_profile(cohort, known)
    for name, (model, data) in fits.items():
        found[name] = {"decoded": _agreement(model.smooth_proba(data), true)}
        if model.n_intentions == len(truth):
            matched = model.permuted(match_policies(model.policy_, cohort.policy(data)).order)
            found[name]["profile_error"] = float(np.abs(strategy_profile(matched, data) - truth).max())
    found["animals, in one fit"] = {"decoded": _agreement(group.posterior, true)}
    return {"fits": found, "true_profile": truth}


def aligned(models: Mapping[str, IntentionModel], reference: IntentionModel) -> dict[str, bool]:
    """Whether each animal's intentions are still matched, one to one, to those of the same number."""
    identity = np.arange(reference.n_intentions)
    orders = {name: match_policies(model.policy_, reference.policy_).order for name, model in models.items()}
    return {name: bool((order == identity).all()) for name, order in orders.items()}


def _agreement(posterior: FloatArray, true: npt.ArrayLike) -> float:
    return decoding_agreement(posterior.argmax(axis=1), true)
