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
from hiql.engine.problem import Point
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]
NEAR = 1e-4
"""How far apart slopes are taken, in standardised units."""
FLAT = 1e-6
"""A curvature below this is that of a direction in which parameters mean the same, such as a common factor of odds."""
DYNAMICS, CHOICE = 0, 1


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
    labels = tuple(str(label) for label in data.action_labels or range(data.n_actions))
    size = on_one_scale(model, model.weights_)
    error = (
        standard_errors(model, data, lambda shown: on_one_scale(model, shown["weights"]))
        if errors
        else np.full_like(size, np.nan)
    )
    return Effects(size, error, tuple(model.inputs_), labels[1:] if len(labels) == 2 else labels, labels)


def on_one_scale(model: IntentionModel, weights: FloatArray) -> FloatArray:
    """(…, C, D + 1) weights (…, A, D + 1) for one standard deviation of each input, with the bias at their means."""
    own = [model.coding_.input_names.index(name) for name in model.inputs_]
    scales, means = np.array(model.coding_.input_scales)[own], np.array(model.coding_.input_means)[own]
    slopes, bias = weights[..., :-1], weights[..., -1:] + weights[..., :-1] @ means[:, None]
    apart = np.concatenate([slopes * scales, bias], axis=-1)
    return apart[..., 1:, :] - apart[..., :1, :] if apart.shape[-2] == 2 else apart


class Drives(NamedTuple):
    """What one standard deviation of each input, ``names``, adds to the log-odds of the next intention.

    ``size`` and ``error`` (K, K, D), from and to, against the mean of all; with two, of the second alone, (K, 1, D).
    """

    size: FloatArray
    error: FloatArray
    names: tuple[str, ...]

    @property
    def is_shared(self) -> bool:
        """Whether inputs do the same wherever one comes from."""
        return bool(np.allclose(self.size, self.size[:1]))


def drives(model: IntentionModel, data: Trajectories, *, errors: bool = True) -> Drives:
    """What each input does to switching, in a model with ``switch_weights_``; the choices are held as fitted."""
    names = tuple(model.switch_inputs_)
    scales = np.array(model.coding_.input_scales)[[model.coding_.input_names.index(name) for name in names]]

    def on_one_scale(shown: dict[str, FloatArray]) -> FloatArray:
        slopes = shown["switch_weights"][..., :-1] * scales
        return slopes[:, 1:] - slopes[:, :1] if len(slopes) == 2 else slopes

    size = on_one_scale({"switch_weights": model.switch_weights_})
    error = standard_errors(model, data, on_one_scale, DYNAMICS) if errors else np.full_like(size, np.nan)
    return Drives(size, error, names)


def standard_errors(
    model: IntentionModel,
    data: Trajectories,
    of: Callable[[dict[str, FloatArray]], FloatArray],
    which: int = CHOICE,
) -> FloatArray:
    """The standard errors of ``of(what a part shows)``, a linear function of its weights; NaN if unknown."""
    problem = model._problem(data)
    part, own = problem.parts[which], model._point[which]
    vector = part.vector(own)
    shown = of(part.summary(own))

    def slope(at: FloatArray) -> FloatArray:
        params = part.from_vector(at, own)
        here = Point(*(params if n == which else other for n, other in enumerate(model._point)))
        found = part.gradient(params, problem.expect(here)[1 + which])
        return np.full(len(vector), np.nan) if found is None else found

    if np.isnan(slope(vector)).any():
        return np.full(shown.shape, np.nan)

    directions = NEAR * np.eye(len(vector))
    bent = np.stack([(slope(vector - e) - slope(vector + e)) / (2 * NEAR) for e in directions])
    told = np.abs(bent).sum(axis=0) > 0  # a parameter that is held fixed has no slope
    bent = 0.5 * (bent + bent.T)[np.ix_(told, told)]
    rows = [(of(part.summary(part.from_vector(vector + e, own))) - shown) / NEAR for e in directions[told]]
    curvature, axes = np.linalg.eigh(bent)
    if not rows or curvature.min() < -FLAT:
        return np.full(shown.shape, np.nan)
    change = axes.T[curvature > FLAT] @ np.stack(rows).reshape(len(rows), -1)
    variance = np.einsum("pi,pi->i", change, change / curvature[curvature > FLAT, None])
    return np.sqrt(variance).reshape(shown.shape)
