"""Session files that are none, or were once: the importers name the file and what to do."""

from __future__ import annotations

import numpy as np
import pytest

from hiql.data.importers import read_freibox, read_nwb
from hiql.errors import BadSessionFile
from tests.data.test_importers import CORRECT, HEADER, session, write, write_nwb


def nwb(path):
    return read_nwb(path, "side", "water")


def random_bytes(n_bytes, seed=0):
    return np.random.default_rng(seed).bytes(n_bytes)


HDF5 = b"\x89HDF\r\n\x1a\n"


@pytest.mark.parametrize(("read", "suffix"), [(read_freibox, ".csv"), (nwb, ".nwb")])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        random_bytes(5000),
        b"\x89HDF\r\n\x1a\n",
        b"\x89HDF\r\n\x1a\n" + random_bytes(5000),
        b"PK\x03\x04",
        bytes(4096),
    ],
    ids=["empty", "random", "mark only", "random after the mark", "zip", "zeros"],
)
def test_what_is_no_session_file(tmp_path, read, suffix, content):
    path = tmp_path / f"a{suffix}"
    path.write_bytes(content)
    with pytest.raises(BadSessionFile, match=rf"a\{suffix}: .*; (save the session|write it) again"):
        read(tmp_path)


@pytest.mark.parametrize("share", np.linspace(0.05, 0.95, 10))
def test_an_nwb_file_cut_off_anywhere(tmp_path, share):
    content = write_nwb(tmp_path / "a.nwb").read_bytes()
    (tmp_path / "a.nwb").write_bytes(content[: int(share * len(content))])
    with pytest.raises(BadSessionFile, match="cannot be read as NWB"):
        nwb(tmp_path)


def test_hdf5_that_is_not_nwb(tmp_path):
    h5py = pytest.importorskip("h5py")
    with h5py.File(tmp_path / "a.nwb", "w") as file:
        file["spikes"] = [1, 2, 3]
    with pytest.raises(BadSessionFile, match="cannot be read as NWB"):
        nwb(tmp_path)


@pytest.mark.parametrize("name", ["Lick_result", CORRECT, "Hit"])
def test_a_column_twice(tmp_path, name):
    lines = write(tmp_path / "a.csv", session(), [*HEADER, "Extra"]).read_text().splitlines()
    (tmp_path / "a.csv").write_text("\n".join([lines[0].removesuffix("Extra") + name, *lines[1:]]))
    with pytest.raises(BadSessionFile, match=f"a.csv: the table has 2 columns '{name}'"):
        read_freibox(tmp_path)


def test_a_session_from_a_spreadsheet(tmp_path):
    """Saved again in UTF-16 it is the same session."""
    plain = write(tmp_path / "a.csv", session(), [*HEADER])
    expected = read_freibox(plain)
    text = plain.read_text()
    plain.write_bytes(text.encode("utf-16"))
    assert read_freibox(plain).equals(expected)
