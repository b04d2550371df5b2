"""Models of every pair come back from their files; files whose parameters the parts could not have made are refused."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

import hiql
from hiql.errors import ModelFileError
from tests.contract.pairs import more_data, pairs
from tests.models.test_hostile_files import npy, packed

PARTS = ("dynamics_parameters", "choice_parameters")


@pytest.fixture(scope="module")
def data():
    return more_data()


@pytest.fixture
def saved(pair, data, tmp_path):
    """A fitted model, its file, and the entries of that by name."""
    model, path = pair.model(max_iter=3).fit(data), tmp_path / "model.hiql"
    model.save(path)
    with zipfile.ZipFile(path) as archive:
        return model, path, {name: archive.read(name) for name in archive.namelist()}


@pairs()
def test_everything_comes_back(saved, data):
    model, path, entries = saved
    path.write_bytes(packed(entries))  # as the tests below do with what they have changed
    back = hiql.load(path)
    assert back.score(data) == model.score(data) == model.log_likelihood_
    np.testing.assert_array_equal(back.smooth_proba(data), model.smooth_proba(data))
    np.testing.assert_array_equal(back.decode(data), model.decode(data))
    for one, other in zip(model._point, back._point, strict=True):
        assert type(one) is type(other)
        for name, array in vars(one).items():
            np.testing.assert_array_equal(getattr(other, name), array)
            assert hasattr(back, f"{name}_") == hasattr(model, f"{name}_")
    assert back._dynamics() == model._dynamics()
    again = back.fit(data)
    assert again.log_likelihood_ == model.log_likelihood_


def refused(path, entries):
    """Sound entries but for one: see ``test_everything_comes_back``."""
    path.write_bytes(packed(entries))
    with pytest.raises(ModelFileError):
        hiql.load(path)


def holes(array):
    """Arrays that look like this one, and that no part would make."""
    broken = {
        "one axis more": array[None],
        "one intention more": np.concatenate([array, array[:1]]),
        "one column less": array[..., :-1],
        "no numbers": array[:0],
        "single precision": array.astype(np.float32),
        "integers": np.zeros(array.shape, dtype=np.int64),
    }
    for number in (np.nan, np.inf):
        broken[str(number)] = np.where(np.arange(array.size).reshape(array.shape) == 0, number, array)
    return broken


@pairs()
def test_arrays_that_the_parts_could_not_have_made_are_refused(saved):
    _, path, entries = saved
    document = json.loads(entries["model.json"])
    for part in PARTS:
        for field in document[part]["fields"].values():
            name = f"{field['array']}.npy"
            for broken in holes(np.load(io.BytesIO(entries[name]))).values():
                refused(path, entries | {name: npy(broken)})


@pairs()
def test_rows_that_do_not_sum_to_one_are_refused(saved, pair):
    _, path, entries = saved
    document = json.loads(entries["model.json"])
    rows = [field for part in PARTS for name, field in document[part]["fields"].items() if name.startswith("log_")]
    assert rows
    for field in rows:
        name = f"{field['array']}.npy"
        array = np.load(io.BytesIO(entries[name]))
        for wrong in (array + 0.01, np.zeros_like(array), np.full_like(array, -np.inf)):
            refused(path, entries | {name: npy(wrong)})


@pairs()
def test_parameters_of_another_part_are_refused(saved):
    _, path, entries = saved
    document = json.loads(entries["model.json"])

    def changed(**parts):
        return entries | {"model.json": json.dumps(document | parts)}

    first, second = (document[part] for part in PARTS)
    refused(path, changed(dynamics_parameters=second, choice_parameters=first))
    for part, own in zip(PARTS, (first, second), strict=True):
        alike = {"MarkovChain", "Slopes", "Policies", "ChainParameters"} - {own["type"]}
        for kind in alike:
            refused(path, changed(**{part: own | {"type": kind}}))
        refused(path, changed(**{part: own | {"fields": dict(list(own["fields"].items())[1:])}}))
        refused(path, changed(**{part: None}))
        refused(path, changed(**{part: {"tuple": list(own["fields"].values())}}))
        refused(path, changed(**{part: {"dict": own["fields"]}}))


@pairs()
def test_settings_that_do_not_fit_the_parameters_are_refused(saved):
    """A clock with other tables than the parameters have, a choice of another kind."""
    _, path, entries = saved
    document = json.loads(entries["model.json"])
    others = {
        "dynamics": {"type": "BeginsBySubject", "fields": {"pseudo_count": 0.1, "subjects": {"tuple": ["x"]}}},
        "choice": {"type": "NoSuchChoice", "fields": {}},
        "n_intentions": 3,
    }
    for name, value in others.items():
        parameters = {"dict": document["parameters"]["dict"] | {name: value}}
        refused(path, entries | {"model.json": json.dumps(document | {"parameters": parameters})})
