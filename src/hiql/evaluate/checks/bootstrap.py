"""How sure are we? Intervals from sessions drawn anew with replacement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter, UnequalLengths
from hiql.evaluate.checks.repeats import repeat, unfitted
from hiql.evaluate.measures.alignment import align
from hiql.models import IntentionModel

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """What n refits found: ``transition`` (n, K, K), ``initial`` (n, K); and ``held_out`` (n,), the log-likelihood per
    step (nats) of the model itself on held-out sessions drawn anew, or None without held-out data."""

    transition: FloatArray
    initial: FloatArray
    held_out: FloatArray | None = None

    def interval(self, name: str, level: float = 0.95) -> tuple[FloatArray, FloatArray]:
        """(low, high), each in the shape of the quantity: the percentiles that leave (1 − level) / 2 on either side."""
        draws = getattr(self, name) if name in {field.name for field in fields(self)} else None
        if draws is None:
            remedy = "choose 'transition', 'initial', or 'held_out' where held-out data were given"
            raise InvalidParameter(parameter="name", value=name, remedy=remedy)
        if not 0.0 < level < 1.0:
            raise InvalidParameter(parameter="level", value=level, remedy="choose a number between 0 and 1")
        low, high = np.quantile(draws, [(1.0 - level) / 2.0, (1.0 + level) / 2.0], axis=0)
        return low, high


def bootstrap(
    model: IntentionModel,
    data: Trajectories,
    n_samples: int = 200,
    held_out: Trajectories | None = None,
    random_state: int = 0,
    n_jobs: int | None = None,
    progress: bool = True,
    *,
    groups: Sequence[object] | None = None,
    held_out_groups: Sequence[object] | None = None,
) -> Bootstrap:
    """Draw the sessions with replacement, refit from the solution, align; ``n_samples`` times.

    **Parameters Λ, Π.** ``model`` was fitted to ``data``. Refits start from it, so the intervals are about this
    optimum; whether there is a better one is a question for restarts. Steps of a session depend on each other, so
    whole sessions are drawn, never steps.

    **Held-out log-likelihood.** The interval is for the mean log-likelihood per step that *this* model would have
    on new sessions: the model stays, the held-out sessions are drawn anew. Scoring the refits instead would not be
    honest: a refit sees only about 63 % of the different sessions and predicts worse than the model it stands for,
    so its interval lies too low. The price: the variation over training sets, usually much smaller, is left out.

    **Groups** (one label a session) are drawn whole, with all their sessions: use them for sessions that depend on
    each other, such as those of one subject. Equal sessions are no such case by themselves: animals may do the same
    independently, and then drawing them one by one is right. Where preprocessing made the copies, groups of
    :func:`hiql.data.folds.identical_sessions` give the wider, cautious interval.

    The same ``random_state`` gives the same result, whatever ``n_jobs`` (threads).
    """
    check_is_fitted(model)
    units = _units(data, groups, "groups")
    held_out_units = None if held_out is None else _units(held_out, held_out_groups, "held_out_groups")

    def one(rng: np.random.Generator) -> tuple[IntentionModel, float]:
        refit = unfitted(model, rng).fit(data.select(_drawn(units, rng)), init=model)
        if held_out is None or held_out_units is None:
            return align(refit, model), np.nan
        return align(refit, model), model.score(held_out.select(_drawn(held_out_units, rng)), per="step")

    refits, scores = zip(
        *repeat(one, n_samples, random_state, label="Bootstrap", n_jobs=n_jobs, progress=progress), strict=True
    )
    return Bootstrap(
        transition=np.stack([refit.transition_ for refit in refits]),
        initial=np.stack([refit.initial_ for refit in refits]),
        held_out=None if held_out is None else np.array(scores),
    )


def _units(data: Trajectories, groups: Sequence[object] | None, what: str) -> list[IntArray]:
    """The session indices of each unit that is drawn whole, in order of appearance."""
    labels = data.unit_of_session.tolist() if groups is None else groups
    if len(labels) != data.n_sessions:
        raise UnequalLengths(field=what, length=len(labels), other="sessions", other_length=data.n_sessions)
    members: dict[object, list[int]] = {}
    for session, label in enumerate(labels):
        members.setdefault(label, []).append(session)
    return [np.array(sessions) for sessions in members.values()]


def _drawn(units: list[IntArray], rng: np.random.Generator) -> IntArray:
    """Session indices of as many units as there are, drawn with replacement."""
    return np.concatenate([units[i] for i in rng.integers(len(units), size=len(units))])
