"""What inputs do to choices, on one scale: the change of log-odds for one standard deviation of an input.

:mod:`hiql.evaluate.measures.errors_of_weights` says where errors come from. Learned ridges count as known, and the
clock is held as fitted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.evaluate.measures.errors_of_weights import CHOICE, DYNAMICS, Curvature, Errors
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]


class Effects(NamedTuple):
    """``size`` and ``error`` (K, C, D + 1) of D inputs, ``names``, and of the bias, on C ``contrasts`` of ``actions``.

    With two actions there is one contrast, the log-odds of the second; with more, one for each action, against the
    mean of all. The bias is that at the mean of all inputs. Errors are NaN where the data cannot tell. Of an animal
    around a population ``error`` has two parts: ``from_common``, as the population is not known for sure, and the rest,
    √(error² − from_common²), as its own steps are few. Of a population all is the former.
    """

    size: FloatArray
    error: FloatArray
    names: tuple[str, ...]
    contrasts: tuple[str, ...]
    actions: tuple[str, ...]
    from_common: FloatArray

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
    """What each input does to the choices of each intention of a model with ``weights_``, on one scale.

    Where animals (states, contexts) have weights of their own, those in common: :func:`effects_by_group` has theirs.
    """
    size = on_one_scale(model, model.weights_)

    def of(shown: dict[str, FloatArray]) -> FloatArray:
        return on_one_scale(model, shown["weights"])[None]

    found = Curvature(model, data).errors(of) if errors else _unknown(size[None])
    return _effects(model, data, size, *(each[0] for each in found))


def effects_by_group(model: IntentionModel, data: Trajectories, *, errors: bool = True) -> dict[str, Effects]:
    """The same for each animal (state, context) of a model with ``weights_by_group_``, by name.

    How much they differ, which is learned, counts as known. Errors of animals, or of what lasts for a session, cost as
    many E-steps as those of one; of states and contexts that change within a session, two for each weight of each.
    """

    def of(shown: dict[str, FloatArray]) -> FloatArray:
        return np.swapaxes(on_one_scale(model, shown["weights_by_group"]), 0, 1)

    sizes = of({"weights_by_group": model.weights_by_group_})
    found = Curvature(model, data).errors(of) if errors else _unknown(sizes)
    part: Any = model._parts()[CHOICE]
    each = zip(part.labels(), sizes, *found, strict=True)
    return {name: _effects(model, data, *its) for name, *its in each}


def _effects(
    model: IntentionModel, data: Trajectories, size: FloatArray, error: FloatArray, from_common: FloatArray
) -> Effects:
    labels = tuple(str(label) for label in data.action_labels or range(data.n_actions))
    return Effects(size, error, tuple(model.inputs_), labels[1:] if len(labels) == 2 else labels, labels, from_common)


def _unknown(size: FloatArray) -> Errors:
    return Errors(np.full_like(size, np.nan), np.full_like(size, np.nan))


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
        return (slopes[:, 1:] - slopes[:, :1] if len(slopes) == 2 else slopes)[None]

    size = on_one_scale({"switch_weights": model.switch_weights_})
    error = (Curvature(model, data, DYNAMICS).errors(on_one_scale) if errors else _unknown(size)).all
    return Drives(size[0], error[0], names)
