"""Mice in a reversal task (paper, §5.3 and Appendix C.3): two spouts, one of them good until it is mastered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from hiql.data.bandit import bandit_trials
from hiql.data.histories import latest_trial
from hiql.data.trajectories import Trajectories
from hiql.errors import InvalidParameter
from hiql.worlds.draws import pick
from hiql.worlds.reversal_rules import ReversalTask

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

INTENTIONS = ("exploitation", "disengaged", "exploration")
STAY = ((0.0, 1.0), (0.5, 1.0), (0.0, 0.0))
"""P(same choice again) of each strategy after an unrewarded and after a rewarded trial."""
LAPSE = (0.1, 0.4, 0.1)
INITIAL = (0.5, 0.4, 0.1)
TRANSITION = ((0.94, 0.02, 0.04), (0.02, 0.94, 0.04), (0.12, 0.08, 0.8))
"""Our choice of the cohort's chain: "exploration" lasts a few trials, the others persist, and rewards do not matter."""
REACTIVE_TRANSITION = (
    ((0.70, 0.03, 0.27), (0.01, 0.98, 0.01), (0.06, 0.06, 0.88)),
    ((0.975, 0.02, 0.005), (0.02, 0.975, 0.005), (0.10, 0.06, 0.84)),
)
"""Our choice of a chain that reacts to the loss of reward: after an unrewarded trial an exploiting mouse may start to
explore, so that exploration follows changes of blocks; a disengaged one does not care. Of seven chains with about 0.74
of the trials correct, one whose strategies a plain fit recovers from as many trials as the paper had (seeds 101 to
103; the first one tried was given up on seed 0); with exploration after every second loss it takes five times as
many."""


@dataclass(frozen=True)
class ReversalCohort:
    """What was simulated, and the truth behind it.

    Attributes
    ----------
    table : one row a trial: subject, session, trial (from 1), block (from 0), correct_side and choice (0 left,
        1 right), reward (0 or 1), intention; ready for :func:`hiql.bandit_trials`
    stay : (K, 2) P(same choice again) of each strategy after an unrewarded and after a rewarded trial, with lapses
    initial, transition : (M, K) and (M, K, K) the chain of each mouse, in the order of ``subjects``; (M, 2, K, K)
        where it depends on whether the trial before was rewarded
    common_initial, common_transition : (K,) and (K, K) or (2, K, K) the chain they vary about
    """

    table: pd.DataFrame
    stay: FloatArray
    initial: FloatArray
    transition: FloatArray
    common_initial: FloatArray
    common_transition: FloatArray
    subjects: tuple[str, ...]
    intentions: tuple[str, ...] = INTENTIONS

    def trajectories(self, history: int = 3) -> Trajectories:
        """``bandit_trials(table, history)`` with the true intentions in ``.intentions``."""
        # The table lies session by session, so its rows are the steps.
        return replace(bandit_trials(self.table, history), intentions=self.table["intention"].to_numpy())

    def policy(self, data: Trajectories) -> FloatArray:
        """(K, S, 2) π(choice | state) of each strategy, in the history states (ℓ ≥ 1) of ``data``."""
        latest = latest_trial(data)
        stay = self.stay[:, (latest.reward > 0).astype(np.int64)]
        right = np.where(latest.choice == 1, stay, 1.0 - stay)
        right[:, latest.choice < 0] = 0.5
        return np.stack([1.0 - right, right], axis=-1)


def simulate_reversal(
    n_mice: int = 9,
    n_sessions: int = 64,
    n_trials: float = 87.0,
    random_state: int | np.random.Generator = 0,
    *,
    stay: npt.ArrayLike = STAY,
    lapse: float | npt.ArrayLike = LAPSE,
    initial: npt.ArrayLike = INITIAL,
    transition: npt.ArrayLike = TRANSITION,
    concentration: float = 100.0,
    reward_probability: float = 1.0,
    reward_probability_wrong: float = 0.0,
    criterion: float = 0.75,
    window: int = 15,
    min_block: int = 20,
) -> ReversalCohort:
    """Simulate a cohort of mice that switch between three strategies while the good spout switches sides.

    **Task.** Choosing the good spout is correct. It is random in a session's first trial, and changes sides once
    at least ``criterion`` of the last ``window`` trials were correct in a block of at least ``min_block``. A
    correct choice is rewarded with ``reward_probability``, a wrong one with ``reward_probability_wrong``.

    **Mice.** In intention z a mouse repeats its last choice with probability ``stay[z, reward]``; by default
    exploitation is win-stay, lose-switch; disengaged is win-stay, random after an error; exploration switches
    whatever happened. With probability ``lapse[z]`` a choice is a coin flip instead, and so is a session's first.
    Intentions follow a Markov chain from trial to trial, begun anew in each session; with a ``transition`` of shape
    (2, K, K) its first matrix follows an unrewarded trial and its second a rewarded one (``REACTIVE_TRANSITION``: mice
    that explore when a reward stays away). Each mouse has its own chain, every row drawn from
    Dirichlet(``concentration`` · common row): larger is more alike, ``inf`` is the same.

    The ``n_sessions`` are shared out as evenly as possible; each has Poisson(``n_trials``) trials, at least one.
    The paper gives neither chain nor lapses; the defaults and ``REACTIVE_TRANSITION`` are ours, chosen so that about
    0.74 of the trials are correct, as in the paper.
    """
    task = ReversalTask(reward_probability_wrong, reward_probability, criterion, window, min_block)
    tendencies = _tendencies(stay, lapse)
    square, reacts = (len(tendencies),) * 2, np.ndim(transition) == 3
    common = (
        _rows("initial", initial, square[:1]),
        _rows("transition", transition, (2, *square) if reacts else square),
    )
    _check_sizes(n_mice, n_sessions, n_trials, concentration)
    rng = np.random.default_rng(random_state)
    chains = [_near(np.tile(rows, (n_mice, *(1,) * rows.ndim)), concentration, rng) for rows in common]
    owner = np.sort(np.arange(n_sessions) % n_mice)
    lengths = np.maximum(rng.poisson(n_trials, n_sessions), 1)
    by_reward = chains[1] if reacts else np.stack([chains[1]] * 2, axis=1)
    luck = rng.random((int(lengths.max()), n_sessions))
    mice = _Mice(tendencies, chains[0][owner], by_reward[owner], luck)
    subjects = tuple(f"m{i + 1}" for i in range(n_mice))
    return ReversalCohort(
        table=_table(_play(task, mice, rng), lengths, owner, subjects),
        stay=tendencies,
        initial=chains[0],
        transition=chains[1],
        common_initial=common[0],
        common_transition=common[1],
        subjects=subjects,
        intentions=INTENTIONS if len(tendencies) == len(INTENTIONS) else tuple(map(str, range(len(tendencies)))),
    )


@dataclass(frozen=True)
class _Mice:
    """The mice of n sessions: ``stay`` (K, 2), ``initial`` (n, K), ``transition`` (n, 2, K, K) by the last reward.

    ``luck`` (T, n) settles their intentions, so that these are the same whatever the task draws, unless they react.
    """

    stay: FloatArray
    initial: FloatArray
    transition: FloatArray
    luck: FloatArray

    def intend(self, t: int, before: IntArray, reward: IntArray) -> IntArray:
        """(n,) the intentions of trial t after those ``before`` and their rewards."""
        rows = self.transition[np.arange(len(before)), reward, before] if t > 0 else self.initial
        return pick(rows, self.luck[t])


def _play(task: ReversalTask, mice: _Mice, rng: np.random.Generator) -> dict[str, IntArray]:
    """Columns (n, T) of a session of each mouse."""
    n_trials, n = mice.luck.shape
    names = ("block", "correct_side", "choice", "reward", "intention")
    columns = {name: np.zeros((n, n_trials), dtype=np.int64) for name in names}
    side, choice = rng.integers(2, size=(2, n))
    moment = task.opening(side)
    reward, intention = np.zeros((2, n), dtype=np.int64)
    for t in range(n_trials):
        intention = mice.intend(t, intention, reward)
        if t > 0:
            choice = np.where(rng.random(n) < mice.stay[intention, reward], choice, 1 - choice)
        outcomes, following = task.answer(moment, choice, rng)
        reward = outcomes.astype(np.int64)
        trial = (moment.hidden.number, moment.hidden.side, choice, reward, intention)
        for name, values in zip(names, trial, strict=True):
            columns[name][:, t] = values
        moment = following
    return columns


def _tendencies(stay: npt.ArrayLike, lapse: npt.ArrayLike) -> FloatArray:
    """(K, 2) P(same choice again) with lapses: (1 − lapse) · stay + lapse / 2."""
    ideal = np.asarray(stay, dtype=np.float64)
    if ideal.ndim != 2 or ideal.shape[1] != 2 or not ((ideal >= 0) & (ideal <= 1)).all():
        remedy = "give P(stay | no reward), P(stay | reward) for each strategy, (K, 2) numbers in [0, 1]"
        raise InvalidParameter(parameter="stay", value=ideal.tolist(), remedy=remedy)
    share = np.asarray(lapse, dtype=np.float64)
    if share.shape not in {(), (len(ideal),)} or not ((share >= 0) & (share <= 1)).all():
        remedy = f"choose a number in [0, 1], or one for each of {len(ideal)} strategies"
        raise InvalidParameter(parameter="lapse", value=share.tolist(), remedy=remedy)
    shares = np.broadcast_to(share, len(ideal))[:, None]
    return (1.0 - shares) * ideal + shares / 2


def _rows(name: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> FloatArray:
    rows = np.asarray(values, dtype=np.float64)
    if rows.shape != shape or (rows < 0).any() or not np.allclose(rows.sum(axis=-1), 1.0):
        remedy = f"give probabilities of shape {shape}, one for each strategy, whose rows have sum 1"
        raise InvalidParameter(parameter=name, value=rows.tolist(), remedy=remedy)
    return rows


def _check_sizes(n_mice: Any, n_sessions: Any, n_trials: float, concentration: float) -> None:
    for name, value, lowest in (("n_mice", n_mice, 1), ("n_sessions", n_sessions, n_mice)):
        if not isinstance(value, int | np.integer) or value < lowest:
            remedy = f"choose a whole number ≥ {lowest}" + (", one for each mouse" if lowest > 1 else "")
            raise InvalidParameter(parameter=name, value=value, remedy=remedy)
    for name, number in (("n_trials", n_trials), ("concentration", concentration)):
        if not number > 0 or (name == "n_trials" and not np.isfinite(number)):
            raise InvalidParameter(parameter=name, value=number, remedy="choose a number > 0")


def _near(rows: FloatArray, concentration: float, rng: np.random.Generator) -> FloatArray:
    """Each row (…, K) replaced by a draw from Dirichlet(concentration · row); zeros stay zero."""
    if np.isinf(concentration):
        return rows
    drawn = [rng.dirichlet(concentration * row) for row in rows.reshape(-1, rows.shape[-1])]
    return np.reshape(drawn, rows.shape)


def _table(columns: dict[str, IntArray], lengths: IntArray, owner: IntArray, subjects: tuple[str, ...]) -> pd.DataFrame:
    """Columns (n, T), cut to each session's length, as one row a trial."""
    of_session = np.repeat(np.arange(len(lengths)), lengths)
    trial = np.arange(len(of_session)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    number = np.arange(len(owner)) - np.searchsorted(owner, owner)  # of the session among its mouse's
    names = np.array([f"{subjects[mouse]}/{i + 1:02d}" for mouse, i in zip(owner, number, strict=True)], dtype=object)
    return pd.DataFrame(
        {
            "subject": np.array(subjects, dtype=object)[owner[of_session]],
            "session": names[of_session],
            "trial": trial + 1,
            **{name: values[of_session, trial] for name, values in columns.items()},
        }
    )
