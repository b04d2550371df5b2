r"""What inputs do to choices, on one scale: the change of log-odds for one standard deviation of an input.

Errors come from the curvature of what was maximised, H, in the coordinates of the weights: their covariance is H⁻¹
(Laplace). The slope of the log-likelihood is that of the *expected* one (Fisher's identity), so one E-step gives it,
and differences of slopes give H: which intention ruled when is not taken as known, as it would be if H were that of
the regressions alone. The clock is held as fitted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]
NEAR = 1e-4
"""How far apart slopes are taken, in standardised units."""


class Effects(NamedTuple):
    """``size`` and ``error`` (K, C, D + 1) of D inputs, ``names``, and of the bias, on C ``contrasts`` of ``actions``.

    With two actions there is one contrast, the log-odds of the second; with more, one for each action, against the
    mean of all. The bias is that at the mean of all inputs. Errors are NaN where the data cannot tell.
    """

    size: FloatArray
    error: FloatArray
    names: tuple[str, ...]
    contrasts: tuple[str, ...]
    actions: tuple[str, ...]

    @property
    def reach(self) -> FloatArray:
        """(K, D + 1) how far apart each input, and the bias, moves actions."""
        return np.asarray(np.ptp(self.by_action, axis=1))

    @property
    def by_action(self) -> FloatArray:
        """(K, A, D + 1) the size for every action; against the first one where there are two."""
        one = len(self.contrasts) == 1
        return np.concatenate([np.zeros_like(self.size), self.size], axis=1) if one else self.size


def effects(model: IntentionModel, data: Trajectories, *, errors: bool = True) -> Effects:
    """What each input does to the choices of each intention of a model with ``weights_``, on one scale."""
    names = tuple(model.inputs_)
    own = [model.coding_.input_names.index(name) for name in names]
    scales, means = np.array(model.coding_.input_scales)[own], np.array(model.coding_.input_means)[own]
    labels = tuple(str(label) for label in data.action_labels or range(data.n_actions))

    def on_one_scale(weights: FloatArray) -> FloatArray:
        slopes, bias = weights[..., :-1], weights[..., -1:] + weights[..., :-1] @ means[:, None]
        apart = np.concatenate([slopes * scales, bias], axis=-1)
        return apart[:, 1:] - apart[:, :1] if len(labels) == 2 else apart

    size = on_one_scale(model.weights_)
    error = (
        standard_errors(model, data, lambda shown: on_one_scale(shown["weights"]))
        if errors
        else np.full_like(size, np.nan)
    )
    return Effects(size, error, names, labels[1:] if len(labels) == 2 else labels, labels)


def standard_errors(
    model: IntentionModel, data: Trajectories, of: Callable[[dict[str, FloatArray]], FloatArray]
) -> FloatArray:
    """The standard errors of ``of(what the choice shows)``, a linear function of the weights; NaN if unknown."""
    problem = model._problem(data)
    point, choice = model._point, problem.choice
    vector = choice.vector(point.choice)
    shown = of(choice.summary(point.choice))

    def slope(at: FloatArray) -> FloatArray:
        params = choice.from_vector(at, point.choice)
        found = choice.gradient(params, problem.expect(point._replace(choice=params)).choice)
        return np.full(len(vector), np.nan) if found is None else found

    if np.isnan(slope(vector)).any():
        return np.full(shown.shape, np.nan)

    directions = NEAR * np.eye(len(vector))
    bent = np.stack([(slope(vector - e) - slope(vector + e)) / (2 * NEAR) for e in directions])
    told = np.abs(bent).sum(axis=0) > 0  # a parameter that is held fixed has no slope
    bent = 0.5 * (bent + bent.T)[np.ix_(told, told)]
    rows = [(of(choice.summary(choice.from_vector(vector + e, point.choice))) - shown) / NEAR for e in directions[told]]
    if np.linalg.eigvalsh(bent).min() <= 0:
        return np.full(shown.shape, np.nan)
    change = np.stack(rows).reshape(len(rows), -1)
    variance = np.einsum("pi,pi->i", change, np.linalg.solve(bent, change))
    return np.sqrt(variance).reshape(shown.shape)
