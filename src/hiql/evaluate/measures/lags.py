r"""Choice kernels: how much a choice some trials ago weighs now, put together from traces of several time constants.

A trace of time constant τ holds (1 − e^{−1/τ}) e^{−(ℓ−1)/τ} of what happened ℓ steps ago, so the kernel is

.. math:: \kappa_i(\ell) = \sum_\tau w_{i\tau}\,(1 - e^{-1/\tau})\, e^{-(\ell - 1)/\tau}.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hiql.errors import InvalidParameter
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]
KERNELS = ("choice", "choice_reward")
"""Traces that have a kernel: of a choice, and of what a reward of 1 adds to it."""


def choice_kernels(model: IntentionModel, n_lags: int = 20) -> dict[str, FloatArray]:
    """(K, n_lags) for each trace of choices: how it changes the log-odds of choosing the same, 1, 2, … steps later.

    Log-odds against the mean of all other options; with more than two options, the mean over options.
    """
    memory = model.coding_.memory
    if memory is None or not has_kernels(model):
        remedy = "fit to data with memory= of choices (bandit_trials, read_table), and let choices depend on it"
        raise InvalidParameter(parameter="memory", value=memory, remedy=remedy)
    columns = np.array([list(model.inputs_).index(name) for name in memory.names])
    by_time = columns.reshape(len(memory.time_constants), -1)
    lags = np.arange(n_lags)
    kept = (1.0 - memory.decay)[:, None] * memory.decay[:, None] ** lags  # (T, n_lags)
    found, first = {}, 0
    for kind in memory.of:
        width = memory.n_states if kind == "place" else 1 if memory.n_actions == 2 else memory.n_actions
        if kind in KERNELS:
            traces = np.asarray(model.weights_)[:, :, by_time[:, first : first + width]]  # (K, A, T, width)
            found[kind] = np.einsum("kt,tl->kl", _of_the_same(traces), kept)
        first += width
    return found


def has_kernels(model: IntentionModel) -> bool:
    """Whether its choices depend on traces of past choices."""
    memory = model.coding_.memory
    return memory is not None and bool(set(memory.of) & set(KERNELS)) and set(memory.names) <= set(model.inputs_)


def _of_the_same(weights: FloatArray) -> FloatArray:
    """(K, T) the log-odds of an option for one unit of its own trace; ``weights`` (K, A, T, options)."""
    n_actions, n_options = weights.shape[1], weights.shape[3]
    if n_options == 1:  # two options, one signed trace: + for the second
        return np.asarray(weights[:, 1, :, 0] - weights[:, 0, :, 0])
    own = np.stack([weights[:, a, :, a] for a in range(n_actions)])
    others = (weights.sum(axis=1).transpose(2, 0, 1) - own) / (n_actions - 1)
    return np.asarray((own - others).mean(axis=0))
