"""Model files made to do harm: each is refused by name, in little memory, and nothing is written or run."""

from __future__ import annotations

import io
import json
import stat
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import hiql
from hiql.errors import InvalidNumberOfIntentions, ModelFileError
from tests.problems import switching_data

MEGABYTE = 2**20
QUICK = {"n_init": 1, "patience": 0, "max_iter": 3, "progress": False}


@pytest.fixture(scope="module")
def problem():
    return switching_data(np.random.default_rng(0), n_sessions=3)


@pytest.fixture(scope="module")
def content(problem, tmp_path_factory):
    """The entries of a sound model file, by name."""
    data, mdp, _ = problem
    path = tmp_path_factory.mktemp("sound") / "model.hiql"
    hiql.HIAVI(2, mdp=mdp, **QUICK).fit(data).save(path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(entries, compression=zipfile.ZIP_DEFLATED):
    """A zip of (name or ZipInfo, bytes) pairs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression) as archive:
        for name, data in entries.items() if isinstance(entries, dict) else entries:
            archive.writestr(name, data)
    return buffer.getvalue()


def edited(content, change):
    """The same file with its JSON changed in place."""
    document = json.loads(content["model.json"])
    change(document)
    return packed(content | {"model.json": json.dumps(document)})


def npy(array, **options):
    buffer = io.BytesIO()
    np.save(buffer, array, **options)
    return buffer.getvalue()


def declared(file, name, size):
    """The archive with another unpacked size declared for an entry, in both of its headers."""
    raw = bytearray(file)
    with zipfile.ZipFile(io.BytesIO(file)) as archive:
        entry = archive.getinfo(name)
        start = archive.start_dir
    raw[entry.header_offset + 22 : entry.header_offset + 26] = struct.pack("<I", size)
    at = raw.index(name.encode(), start) - 46  # the central directory's record begins 46 bytes before the name
    raw[at + 24 : at + 28] = struct.pack("<I", size)
    return bytes(raw)


def refused(path, file, match="cannot be read as a hiql model", most=8 * MEGABYTE, **options):
    """``load`` raises the named error, in little memory, and leaves the folder alone."""
    path.write_bytes(file)
    before = sorted(path.parent.rglob("*"))
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=match):
            hiql.load(path, **options)
        assert tracemalloc.get_traced_memory()[1] < most + 2 * len(file)
    finally:
        tracemalloc.stop()
    assert sorted(path.parent.rglob("*")) == before


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path / "model.hiql"


# --- the archive ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["../../x", "/tmp/x", "..\\x", "C:\\x", "array0.npy/../x", "model.json/", "x.py"])
def test_names_that_no_model_has(content, path, name):
    refused(path, packed([*content.items(), (name, b"harm")]), "its entry .* is not one that a model has")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["model.json", "array3.npy"])
def test_a_name_given_twice(content, path, name):
    refused(path, packed([*content.items(), (name, content[name])]), f"its entry '{name}' is not one")


def test_a_link_instead_of_an_array(content, path):
    link = zipfile.ZipInfo("array3.npy")
    link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    others = [(name, data) for name, data in content.items() if name != "array3.npy"]
    refused(path, packed([*others, (link, "/etc/hostname")]), "not what a model holds")


@pytest.mark.parametrize("compression", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_packings_that_cannot_be_unpacked_step_by_step(content, path, compression):
    refused(path, packed(content, compression), "its entry 'model.json' is not one")


@pytest.mark.parametrize("name", ["model.json", "array0.npy"])
def test_encrypted_entries(content, path, name):
    raw = bytearray(packed(content))
    for signature, flag in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := raw.find(signature, at + 1)) >= 0:
            raw[at + flag] |= 1 if name.encode() in raw[at : at + 60] else 0
    refused(path, bytes(raw), "encrypted|password")


def test_sizes_are_refused_before_anything_is_unpacked(content, path, monkeypatch):
    file = declared(packed(content), "array0.npy", 3 * 10**9)
    monkeypatch.setattr(zipfile.ZipFile, "open", lambda *_: pytest.fail("something was unpacked"))
    refused(path, file, "it unpacks to 30000.* bytes; pass max_bytes=")


def test_a_bomb_that_declares_a_small_size(content, path):
    """200 megabytes of zeros under a header that speaks of 300 bytes."""
    for name in ("model.json", "array3.npy"):
        bomb = declared(packed(content | {name: bytes(200 * MEGABYTE)}), name, 300)
        refused(path, bomb, "truncated|not what a model holds")


def test_a_bomb_that_declares_its_size(content, path):
    zeros = packed(content | {"array3.npy": bytes(200 * MEGABYTE)})
    refused(path, zeros, "it unpacks to", max_bytes=100 * MEGABYTE)
    nested = packed(content | {"array3.npy": zeros})
    refused(path, nested, "not what a model holds")


def test_many_entries_over_the_same_bytes(content, path):
    """Overlapping entries, each of which unpacks the same block: the sum of their sizes counts."""
    bomb = packed(content | {"array999.npy": bytes(50 * MEGABYTE)})
    with zipfile.ZipFile(io.BytesIO(bomb)) as archive:
        start, count = archive.start_dir, len(archive.infolist())
    at = bomb.index(b"PK\x01\x02", bomb.index(b"array8.npy", start))
    record = bomb[at : at + 46 + len("array999.npy")]
    copies = b"".join(record.replace(b"array999", f"array{i}".encode()) for i in range(100, 160))
    directory = bomb[start:at] + copies
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count + 59, count + 59, len(directory), start, 0)
    refused(path, bomb[:start] + directory + end, "it unpacks to 31.* bytes")


@pytest.mark.parametrize("text", [b"[[],[],", b'{"tuple":[{},', b"[1.5,1.5,", b'["ab","cd",'])
def test_text_that_would_grow_beyond_bounds_as_objects(content, path, text):
    allowed = 32 * MEGABYTE
    refused(path, packed(content | {"model.json": text * MEGABYTE}), "it unpacks to", max_bytes=allowed)
    filled = text * (allowed // 17 // len(text))
    refused(path, packed(content | {"model.json": filled}), most=3 * allowed, max_bytes=allowed)
    refused(path, packed(content | {"model.json": filled[:-1] + b"]"}), most=3 * allowed, max_bytes=allowed)


def test_a_large_array_cannot_be_copied_many_times(content, path):
    """A thousand worlds that all name one array: each would copy it."""

    def multiply(document):
        world = document["parameters"]["dict"]["mdp"]
        document["fitted"]["dict"]["notes_"] = {"tuple": [world] * 1000}

    large = np.zeros((200, 2, 200))
    large[..., 0] = 1
    refused(path, edited(content | {"array0.npy": npy(large)}, multiply), "array array0 is used twice")


@pytest.mark.parametrize("part", range(50))
def test_a_file_cut_off_anywhere(content, path, part):
    whole = packed(content)
    refused(path, whole[: part * len(whole) // 50], "truncated or not a model file")


def test_flipped_bits_give_the_same_model_or_the_named_error(content, path):
    whole = packed(content)
    path.write_bytes(whole)
    sound = hiql.load(path)
    rng = np.random.default_rng(1)
    outcomes = {"same": 0, "refused": 0}
    for bit in rng.integers(8 * len(whole), size=300):
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << (bit % 8)
        path.write_bytes(bytes(damaged))
        try:
            back = hiql.load(path)
        except ModelFileError:
            outcomes["refused"] += 1
            continue
        outcomes["same"] += 1
        for name in ("policy_", "reward_", "q_", "value_", "transition_", "initial_"):
            np.testing.assert_array_equal(getattr(back, name), getattr(sound, name))
    assert min(outcomes.values()) > 10


# --- the arrays -----------------------------------------------------------------------------------------------

REWARD, LOG_POLICY = "array4.npy", "array3.npy"
SHAPE = (2, 5, 3)
ARRAYS = {
    "pickled objects": npy(np.array([{"a": 1}] * 30, dtype=object).reshape(SHAPE), allow_pickle=True),
    "complex": npy(np.zeros(SHAPE, dtype=complex)),
    "strings": npy(np.full(SHAPE, "1.0")),
    "bytes": npy(np.full(SHAPE, b"1.0")),
    "records": npy(np.zeros(SHAPE, dtype=[("a", float)])),
    "dates": npy(np.zeros(SHAPE, dtype="M8[s]")),
    "big-endian": npy(np.zeros(SHAPE, dtype=">f8")),
    "half": npy(np.zeros(SHAPE, dtype=np.float16)),
    "integers": npy(np.zeros(SHAPE, dtype=np.int64)),
    "shape": npy(np.zeros((2, 3, 5))),
    "rank": npy(np.zeros(30)),
    "no states": npy(np.zeros((2, 0, 3))),
    "nan": npy(np.full(SHAPE, np.nan)),
    "infinity": npy(np.full(SHAPE, np.inf)),
    "empty": b"",
    "text": b"hello",
    "negative shape": npy(np.zeros(SHAPE)).replace(b"(2, 5, 3)", b"(-2,-5,3)"),
    "other shape": npy(np.zeros(SHAPE)).replace(b"(2, 5, 3)", b"(9, 5, 3)"),
    "code in the header": npy(np.zeros(SHAPE)).replace(b"(2, 5, 3), ", b"exit(),    "),
    "endless header": b"\x93NUMPY\x02\x00" + struct.pack("<I", 2**31) + b"{",
    "unknown version": npy(np.zeros(SHAPE)).replace(b"NUMPY\x01", b"NUMPY\x09"),
}


@pytest.mark.parametrize("name", [REWARD, LOG_POLICY])
@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_that_are_not_what_they_should_be(content, path, name, kind):
    refused(path, packed(content | {name: ARRAYS[kind]}))


@pytest.mark.parametrize("value", [0.0, -1.0, 1e308])
def test_policies_that_are_none(content, path, value):
    refused(path, packed(content | {LOG_POLICY: npy(np.full(SHAPE, value))}), "that sum to 1")


@pytest.mark.parametrize(
    ("transitions", "message"),
    [
        (np.zeros((5, 3, 5)), r"P\(s=0, a=0, ·\) sums to 0"),
        (np.full((5, 3, 5), np.nan), "contains NaN"),
        (np.eye(5)[:, None] * np.ones((1, 3, 1)) * 2 - np.eye(5)[::-1][:, None], "below 0"),
        (np.ones((4, 3, 1)), r"is not \(S, A, S\)"),
        (np.ones((1, 3, 1)), "n_states"),
        (np.repeat(np.eye(5)[:, None], 2, axis=1), "n_actions"),
        (np.repeat(np.eye(5)[:, None], 3, axis=1).astype(complex), "complex"),
    ],
)
def test_worlds_that_cannot_be(content, path, transitions, message):
    refused(path, packed(content | {"array0.npy": npy(transitions)}), message)


@pytest.mark.parametrize(
    ("part", "values"),
    [
        ("indices", [10**9, 1, 2, 3, 4]),
        ("indices", [-7, 1, 2, 3, 4]),
        ("indptr", [0, 1, 2, 3, 4, 10**9]),
        ("indptr", [0, 4, 1, 3, 4, 5]),
        ("data", [-1, 1, 1, 1, 1]),
        ("data", [1, 1]),
    ],
)
def test_sparse_worlds_whose_indices_lead_astray(problem, path, part, values):
    """Compiled routines trust these: out of bounds they would read other memory."""
    thin = hiql.MDP([sparse.eye_array(5, format="csr")] * 3, 0.9)
    hiql.HIAVI(2, mdp=thin, **QUICK).fit(problem[0]).save(path)
    with zipfile.ZipFile(path) as archive:
        content = {name: archive.read(name) for name in archive.namelist()}
    places = json.loads(content["model.json"])["parameters"]["dict"]["mdp"]["fields"]["transitions"]["tuple"][0]
    name = places["sparse"][("data", "indices", "indptr").index(part)]["array"]
    dtype = np.float64 if part == "data" else np.int32
    refused(path, packed(content | {f"{name}.npy": npy(np.array(values, dtype))}))


# --- the document ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "value", "message"),
    [
        ("n_intentions", [2], "wrong types|not what"),
        ("n_intentions", 2.0, "n_intentions|not what"),
        ("n_intentions", 10**30, "wrong types"),
        ("n_intentions", None, "wrong types"),
        ("tol", {"dict": {}}, "tol is {}; choose a number"),
        ("tol", {"float": "nan"}, "tol is nan"),
        ("max_iter", "many", "max_iter is 'many'"),
        ("n_init", 1.5, "n_init is 1.5"),
        ("random_state", -1, "random_state is -1"),
        ("n_jobs", "all", "not what a model holds"),
        ("pseudo_count", -1, "pseudo_count is -1"),
        ("pseudo_count", {"tuple": [1, 2]}, "pseudo_count has shape"),
        ("mdp", None, "mdp is 'NoneType'"),
        ("mdp", {"type": "MarkovChain", "fields": {}}, "mdp is 'MarkovChain'"),
        ("dynamics", {"type": "IAVI", "fields": {}}, "not what a model holds"),
        ("dynamics", {"type": "MarkovChain", "fields": {"pseudo_count": -1}}, "pseudo_count is -1"),
        ("dynamics", {"type": "MarkovChain", "fields": {"__class__": 1}}, "not what a model holds"),
        ("dynamics", {"type": "os.system", "fields": {"command": "true"}}, "type of one of its parts is 'os.system'"),
        ("dynamics", {"type": ["a"], "fields": {}}, "not what a model holds"),
        ("dynamics", {"array": "../../x"}, "not what a model holds"),
        ("dynamics", {"array": 7}, "not what a model holds"),
        ("dynamics", {"array": {}}, "not what a model holds"),
        ("dynamics", {"sparse": []}, "not what a model holds"),
        ("dynamics", {}, "not what a model holds"),
        ("__init__", 1, "not what a model holds"),
    ],
)
def test_parameters_of_the_wrong_kind(content, path, place, value, message):
    def change(document):
        document["parameters"]["dict"][place] = value

    refused(path, edited(content, change), message)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("log_likelihood_", "high"),
        ("log_likelihood_", {"float": "nan"}),
        ("n_iter_", None),
        ("converged_", "yes"),
        ("trace_", {"tuple": []}),
        ("share_", 1.0),
        ("notes_", 5),
        ("notes_", {"tuple": [1]}),
        ("coding_", None),
        ("coding_", {"type": "Coding", "fields": {"n_states": 5, "n_actions": 3, "state_labels": {"tuple": ["a"]}}}),
        ("about_", {"tuple": []}),
    ],
)
def test_records_of_the_fit_of_the_wrong_kind(content, path, name, value):
    def change(document):
        document["fitted"]["dict"][name] = value

    refused(path, edited(content, change))


@pytest.mark.parametrize("name", ["parameters", "dynamics_parameters", "preference", "restarts", "fitted", "version"])
@pytest.mark.parametrize("value", ["nothing", None, [], {}, {"tuple": []}, {"dict": {}}, 1e400, "x"])
def test_sections_that_are_missing_or_something_else(content, path, name, value):
    def change(document):
        document[name] = value
        if value == "nothing":
            del document[name]

    refused(path, edited(content, change))


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"hiql model"',
        b"\xff\xfe\x00",
        "{}".encode("utf-16"),
        b"\xe8" * 9,
        b"[" * 100_000,
        b'{"tuple":[' * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"format": "hiql model", "version": ' + b"9" * 5000 + b"}",
        b'{"format": "hiql model", "version": 1e999}',
        b'{"format": "hiql model", "version": 1, "model": "Popen"}',
    ],
    ids=range(14),
)
def test_documents_that_are_none(content, path, text):
    refused(path, packed(content | {"model.json": text}), most=64 * MEGABYTE)


def test_nested_values_within_a_sound_document(content, path):
    nested = '{"tuple":[' * 900 + "]}" * 900
    document = content["model.json"].replace(b'"about_": {\n    "dict": {}\n   }', b'"about_": ' + nested.encode())
    assert nested.encode() in document
    refused(path, packed(content | {"model.json": document}), "RecursionError|wrong types")


def test_entries_that_are_missing(content, path):
    for name in content:
        refused(path, packed({other: data for other, data in content.items() if other != name}), "not what|KeyError")


def test_a_folder_is_called_one(tmp_path):
    with pytest.raises(ModelFileError, match="it is a folder"):
        hiql.load(tmp_path)


# --- nothing is written or run --------------------------------------------------------------------------------

WATCHED = """
import sys
import hiql
from hiql.errors import ModelFileError
sound, *hostile = sys.argv[1:]
hiql.load(sound)  # compiled code may be cached now, not later

def watch(event, details):
    writes = event == "open" and (set(str(details[1])) & set("wax+") or details[2] & 3)
    if writes or event.split(".")[0] in {"subprocess", "socket", "shutil", "tempfile", "exec"} or event in {
        "os.system", "os.mkdir", "os.rename", "os.remove", "os.symlink", "os.link", "os.chmod", "pickle.find_class"
    }:
        print("DID", event, details)

sys.addaudithook(watch)
for path in hostile:
    try:
        hiql.load(path)
    except ModelFileError:
        print("refused")
hiql.load(sound)
"""


def test_loading_writes_nothing_and_runs_nothing(content, tmp_path):
    evil = npy(np.array([{"a": 1}] * 30, dtype=object).reshape(SHAPE), allow_pickle=True)
    files = {
        "sound": packed(content),
        "traversal": packed([*content.items(), ("../../x", b"harm")]),
        "pickle": packed(content | {REWARD: evil}),
        "type": edited(content, lambda d: d["parameters"]["dict"].update(dynamics={"type": "os.system", "fields": {}})),
        "cut": packed(content)[:-30],
    }
    for name, file in files.items():
        (tmp_path / name).write_bytes(file)
    watch = [sys.executable, "-c", WATCHED, *(str(tmp_path / name) for name in files)]
    ran = subprocess.run(watch, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ran.stdout.split("\n") == ["refused"] * 4 + [""]
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(files)
    assert not Path("../../x").exists()


def test_more_intentions_than_the_kernels_hold_are_refused(tmp_path):
    data = hiql.Trajectories.from_arrays([[0] * 200], [[0] * 200])
    with pytest.raises(InvalidNumberOfIntentions, match="at most 100"):
        hiql.HIQL(129).fit(data)
