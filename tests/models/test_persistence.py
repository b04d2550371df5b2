"""Model files: what is saved comes back; what is not a model is refused with a reason."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse

import hiql
from hiql.errors import InvalidNumberOfIntentions, InvalidParameter, ModelFileError
from hiql.models.persistence import FITTED, register
from hiql.rewards import ExpectedIQL
from tests.problems import switching_data


@pytest.fixture(scope="module")
def problem():
    return switching_data(np.random.default_rng(0), n_sessions=5)


@pytest.fixture
def saved(problem, tmp_path):
    data, mdp, _ = problem
    path = tmp_path / "model.hiql"
    hiql.HIAVI(2, mdp=mdp).fit(data).save(path)
    return path


def models(problem):
    data, mdp, _ = problem
    thin = hiql.MDP([sparse.csr_array(mdp.transitions[:, a]) for a in range(mdp.n_actions)], mdp.discount)
    grid = hiql.worlds.simulate_two_goals(20)
    return {
        "dense": hiql.HIAVI(2, mdp=mdp).fit(data),
        "sparse": hiql.HIAVI(2, mdp=thin).fit(data),
        "world": hiql.HIAVI(1, mdp=grid.world).fit(grid.data),
        "free": hiql.HIQL(2, pseudo_count=np.full((5, 3), 0.2)).fit(data),
        "stochastic": hiql.HIQL(2, method="stochastic", n_init=1, max_iter=3).fit(data),
        "pair": hiql.IntentionModel(2, solver=ExpectedIQL(0.1), dynamics=hiql.dynamics.MarkovChain(1.0)).fit(data),
    }


@pytest.mark.parametrize("name", ["dense", "sparse", "world", "free", "stochastic", "pair"])
def test_everything_comes_back(problem, tmp_path, name):
    model = models(problem)[name]
    model.save(tmp_path / "m.hiql")
    back = hiql.load(tmp_path / "m.hiql")
    assert type(back) is type(model)
    for attribute in ("initial_", "transition_", "policy_", "reward_", "q_", "value_", *FITTED):
        np.testing.assert_array_equal(getattr(back, attribute), getattr(model, attribute))
    assert back.restarts_ == model.restarts_
    if name != "world":
        data = problem[0]
        assert back.score(data) == model.score(data)
        np.testing.assert_array_equal(back.decode(data), model.decode(data))
        np.testing.assert_array_equal(back.fit(data).policy_, model.policy_)
    else:
        assert dict(back.mdp.places) == dict(model.mdp.places)
        assert back.mdp.action_names == model.mdp.action_names


def test_saving_leaves_no_other_file_and_replaces_whole(problem, tmp_path, monkeypatch):
    data, mdp, _ = problem
    model = hiql.HIAVI(1, mdp=mdp).fit(data)
    path = tmp_path / "m.hiql"
    model.save(path)
    before = path.read_bytes()

    def full_disk(descriptor):
        raise OSError("disk full")

    monkeypatch.setattr("os.fsync", full_disk)
    with pytest.raises(OSError, match="disk full"):
        model.save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["m.hiql"]


def rewrite(path, change_json=lambda document: document, arrays=None):
    """The same archive with another JSON document or other arrays."""
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    content["model.json"] = json.dumps(change_json(json.loads(content["model.json"]))).encode()
    content |= arrays or {}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def test_a_newer_file_is_refused_with_the_advice_to_upgrade(saved):
    rewrite(saved, lambda document: document | {"version": 99})
    with pytest.raises(ModelFileError, match="newer hiql .format 99.*upgrade"):
        hiql.load(saved)


def test_truncated_files_are_refused(saved):
    whole = saved.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 5):
        saved.write_bytes(whole[:length])
        with pytest.raises(ModelFileError, match="cannot be read as a hiql model"):
            hiql.load(saved)


def test_foreign_files_are_refused(tmp_path):
    path = tmp_path / "x.hiql"
    with pytest.raises(ModelFileError, match="no such file"):
        hiql.load(path)
    path.write_bytes(b"subject,session\n1,2\n")
    with pytest.raises(ModelFileError, match="not a model file"):
        hiql.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", "{}")
    with pytest.raises(ModelFileError, match="some other kind of file"):
        hiql.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("other.txt", "hello")
    with pytest.raises(ModelFileError):
        hiql.load(path)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((2, 4, 3)),
        np.zeros((2, 5, 3), dtype=np.int64),
        np.full((2, 5, 3), np.nan),
        np.zeros((2, 5, 3)),
    ],
    ids=["shape", "type", "nan", "sum"],
)
def test_arrays_that_do_not_fit_are_refused(saved, array):
    with zipfile.ZipFile(saved) as archive:
        name = json.loads(archive.read("model.json"))["choice_parameters"]["fields"]["log_policy"]["array"]
    rewrite(saved, arrays={f"{name}.npy": npy(array)})
    with pytest.raises(ModelFileError, match="log_policy.*that sum to 1"):
        hiql.load(saved)


def test_pickles_inside_the_file_are_refused(saved):
    rewrite(saved, arrays={"array0.npy": npy(np.array([{"a": 1}], dtype=object), allow_pickle=True)})
    with pytest.raises(ModelFileError):
        hiql.load(saved)


def test_an_array_whose_header_lies_about_its_size_is_refused(saved):
    lie = npy(np.zeros(3)).replace(b"(3,)", b"(9,)")
    rewrite(saved, arrays={"array0.npy": lie})
    with pytest.raises(ModelFileError):
        hiql.load(saved)


def test_files_that_unpack_to_too_much_are_refused(saved):
    with pytest.raises(ModelFileError, match="unpacks to .* bytes; pass max_bytes="):
        hiql.load(saved, max_bytes=1000)


def test_only_registered_types_come_back(saved):
    def smuggle(document):
        document["parameters"]["dict"]["dynamics"] = {"type": "Popen", "fields": {"args": "true"}}
        return document

    rewrite(saved, smuggle)
    with pytest.raises(ModelFileError, match="Popen"):
        hiql.load(saved)


def test_own_classes_can_be_saved_once_registered(problem, tmp_path):
    data, _, _ = problem

    @dataclass(frozen=True)
    class MySolver(ExpectedIQL):
        pass

    model = hiql.IntentionModel(1, solver=MySolver()).fit(data)
    with pytest.raises(InvalidParameter, match="MySolver.*register"):
        model.save(tmp_path / "m.hiql")
    register(MySolver)
    model.save(tmp_path / "m.hiql")
    assert type(hiql.load(tmp_path / "m.hiql").solver) is MySolver


def test_a_transition_matrix_of_the_wrong_shape_is_refused_before_any_kernel_sees_it(saved):
    """Rows of (K, 1) zeros sum to 1 in probability, and compiled loops do not check bounds."""
    for options in ({}, {"dynamics": {"type": "MarkovChain", "fields": {"pseudo_count": 0.1}}}):
        with zipfile.ZipFile(saved) as archive:
            name = json.loads(archive.read("model.json"))["dynamics_parameters"]["fields"]["log_transition"]["array"]

        def set_dynamics(document, options=options):
            document["parameters"]["dict"] |= options
            return document

        rewrite(saved, set_dynamics, arrays={f"{name}.npy": npy(np.zeros((2, 1)))})
        with pytest.raises(ModelFileError):
            hiql.load(saved)


def test_flipped_bytes_never_give_anything_but_a_model_or_the_named_error(saved):
    whole = saved.read_bytes()
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        damaged = bytearray(whole)
        for position in rng.integers(len(whole), size=rng.integers(1, 4)):
            damaged[position] ^= int(rng.integers(1, 256))
        saved.write_bytes(bytes(damaged))
        try:
            hiql.load(saved)
        except ModelFileError:
            refused += 1
    assert refused > 100


def test_a_model_changed_after_its_fit_is_not_saved(problem, tmp_path):
    data, mdp, _ = problem
    model = hiql.HIAVI(2, mdp=mdp).fit(data).set_params(n_intentions=5)
    with pytest.raises(InvalidNumberOfIntentions, match="fit again before saving"):
        model.save(tmp_path / "m.hiql")
    assert not list(tmp_path.iterdir())
