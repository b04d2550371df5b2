"""Other people's pickles: arrays and plain containers come in, nothing that could run code does."""

from __future__ import annotations

import builtins
import os
import pickle
import subprocess
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from hiql.datasets.unpickling import load_arrays
from hiql.errors import DatasetUnavailable


class Call:
    """Pickles as a call of a function: what an attacker would write."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


class Custom:
    pass


@pytest.fixture
def load(tmp_path):
    def write_and_load(content):
        path = tmp_path / "file.pickle"
        path.write_bytes(content)
        return load_arrays(path)

    return write_and_load


@pytest.mark.parametrize("protocol", range(3, pickle.HIGHEST_PROTOCOL + 1))
def test_arrays_in_plain_containers_come_through(load, protocol):
    trips = [{"states": np.arange(5), "actions": np.array([0.5, 1.5])}, ("text", 3, None, np.float64(2.5), True)]
    again = load(pickle.dumps(trips, protocol=protocol))
    assert_array_equal(again[0]["states"], trips[0]["states"])
    assert_array_equal(again[0]["actions"], trips[0]["actions"])
    assert again[1] == trips[1]


def test_pickles_of_old_numpy_come_through(load):
    content = pickle.dumps(np.arange(3), protocol=3).replace(b"numpy._core.multiarray", b"numpy.core.multiarray")
    assert_array_equal(load(content), [0, 1, 2])


@pytest.mark.parametrize(
    "attack",
    [
        Call(os.system, "touch {mark}"),
        Call(eval, "open({mark!r}, 'w')"),
        Call(exec, "open({mark!r}, 'w')"),
        Call(builtins.open, "{mark}", "w"),
        Call(getattr, np.ndarray, "tofile"),
        Call(subprocess.call, ["touch", "{mark}"]),
        Call(np.save, "{mark}", 1),
        Call(np.fromfile, "/etc/hostname"),
        Call(np.load, "{mark}"),
        Call(np.memmap, "{mark}", "u1", "w+", 0, 1),
        Custom(),
        np.random.default_rng(0),
        np.sin,
        np.ma.masked_array([1], [True]),
    ],
    ids=lambda attack: getattr(getattr(attack, "call", [attack])[0], "__name__", type(attack).__name__),
)
@pytest.mark.parametrize("protocol", [0, 2, 4])
def test_whatever_is_not_a_plain_array_is_refused(load, tmp_path, attack, protocol):
    mark = str(tmp_path / "was_here")
    if isinstance(attack, Call):
        function, arguments = attack.call
        filled = [a.format(mark=mark) if isinstance(a, str) else a for a in arguments]
        attack = Call(function, *filled)
    content = pickle.dumps([np.arange(2), attack], protocol=protocol)
    with pytest.raises(DatasetUnavailable, match=r"not admitted.*get the original file"):
        load(content)
    assert not os.path.exists(mark)


@pytest.mark.parametrize("name", ["ndarray.tofile", "dtype.__init__", "f2py", "load"])
def test_dotted_names_do_not_reach_inside_numpy(load, name):
    content = b"\x80\x04\x8c\x05numpy" + b"\x8c" + bytes([len(name)]) + name.encode() + b"\x93."
    with pytest.raises(DatasetUnavailable, match="not admitted"):
        load(content)


@pytest.mark.parametrize("content", [b"", b"junk", b".", b"(", pickle.dumps(np.arange(99))[:-30], b"\x80\x04K"])
def test_broken_files_are_named_errors(load, content):
    with pytest.raises(DatasetUnavailable, match=r"'file\.pickle'.*not a pickle of plain arrays"):
        load(content)


@given(st.binary(max_size=60))
def test_noise_is_either_plain_data_or_the_named_error(tmp_path_factory, noise):
    path = tmp_path_factory.mktemp("noise") / "file.pickle"
    path.write_bytes(noise)
    with suppress(DatasetUnavailable):
        load_arrays(path)
