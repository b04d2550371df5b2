"""Every named error says what was wrong, where and what to do; and survives the trip from a worker."""

from __future__ import annotations

import inspect
import pickle

import pytest
from joblib import Parallel, delayed

from hiql import errors
from hiql.errors import ActionOutOfRange, ColumnNotFound, HiqlError

KINDS = [kind for kind in vars(errors).values() if inspect.isclass(kind) and issubclass(kind, HiqlError)]
KINDS.remove(HiqlError)
SAMPLES = {"available": ["state", "action"], "shape": (3, 2), "expected": (2, 3)}


def details_of(kind):
    """A value for every keyword of an error, strings that can be found again in the message."""
    names = inspect.signature(kind.describe).parameters
    numbers = {"state", "action", "step", "n_states", "n_actions", "length", "other_length", "data", "model"}
    return {name: SAMPLES.get(name, 40 + i if name in numbers else f"<{name}>") for i, name in enumerate(names)}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_survives_pickling_with_its_details(kind):
    error = kind(**details_of(kind))
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert isinstance(again, ValueError)
    assert again.details == error.details
    assert str(again) == str(error)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_message_mentions_every_detail(kind):
    details = details_of(kind)
    message = str(kind(**details))
    for name, value in details.items():
        if name in {"n_states", "n_actions"}:
            value = value - 1  # messages give the range 0…n-1
        if name != "available":
            assert str(value) in message, name


def fail():
    raise ActionOutOfRange(action=7, session="m3/12", step=41, n_actions=4)


def test_returns_from_a_joblib_worker():
    with pytest.raises(ActionOutOfRange, match=r"action 7 at session 'm3/12', step 41, is outside 0…3") as caught:
        Parallel(n_jobs=2, backend="multiprocessing")(delayed(fail)() for _ in range(2))
    assert caught.value.details == {"action": 7, "session": "m3/12", "step": 41, "n_actions": 4}


def test_wrong_column_offers_the_nearest_names():
    error = ColumnNotFound(field="choice", column="chioce", available=["trial", "choice", "reward"])
    assert "did you mean 'choice'?" in str(error)
    assert "trial, choice, reward" in str(error)
