"""Published files: found, checked, and refused when they are not what they should be."""

from __future__ import annotations

import hashlib

import pooch
import pytest

from hiql.datasets import labyrinth
from hiql.datasets.fetch import DATA_DIR, fetch
from hiql.errors import DatasetUnavailable, InvalidParameter

CONTENT = b"the published bytes"
SHA256 = hashlib.sha256(CONTENT).hexdigest()
NAME, URL = "maze/file.npy", "https://example.org/file.npy"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(DATA_DIR, str(tmp_path))
    (tmp_path / "maze").mkdir()
    return tmp_path


def test_a_local_file_with_the_right_checksum(folder):
    (folder / NAME).write_bytes(CONTENT)
    assert fetch(NAME, URL, SHA256) == folder / NAME


def test_a_missing_file_says_where_it_was_looked_for(folder):
    with pytest.raises(DatasetUnavailable) as caught:
        fetch(NAME, URL, SHA256)
    for word in (NAME, str(folder / NAME), "does not exist", f"unset {DATA_DIR}"):
        assert word in str(caught.value)


def test_an_altered_file_is_refused(folder):
    (folder / NAME).write_bytes(CONTENT + b"!")
    with pytest.raises(DatasetUnavailable, match=r"maze/file.npy.*sha256 differs.*get it again"):
        fetch(NAME, URL, SHA256)


def test_the_loader_itself_refuses_an_altered_file(folder):
    (folder / "labyrinth").mkdir()
    (folder / "labyrinth" / "water_restricted_mice_trajs.pickle").write_bytes(b"cos\nsystem\n(S'true'\ntR.")
    with pytest.raises(DatasetUnavailable, match="sha256 differs"):
        labyrinth("restricted")


def test_without_a_folder_the_file_is_downloaded_with_its_checksum(monkeypatch, tmp_path):
    asked = {}

    def retrieve(url, known_hash, fname, path):
        asked.update(url=url, known_hash=known_hash)
        return str(path / fname)

    monkeypatch.delenv(DATA_DIR, raising=False)
    monkeypatch.setattr(pooch, "retrieve", retrieve)
    monkeypatch.setattr(pooch, "os_cache", lambda name: tmp_path / name)
    assert fetch(NAME, URL, SHA256) == tmp_path / "hiql" / "maze" / "file.npy"
    assert asked == {"url": URL, "known_hash": f"sha256:{SHA256}"}


@pytest.mark.parametrize("problem", [OSError("no network"), ValueError("SHA256 hash of downloaded file differs")])
def test_a_failed_download_says_what_to_do(monkeypatch, problem):
    def retrieve(*_, **__):
        raise problem

    monkeypatch.delenv(DATA_DIR, raising=False)
    monkeypatch.setattr(pooch, "retrieve", retrieve)
    with pytest.raises(DatasetUnavailable) as caught:
        fetch(NAME, URL, SHA256)
    for word in (NAME, URL, str(problem), f"set {DATA_DIR}"):
        assert word in str(caught.value)


def test_an_unknown_cohort():
    with pytest.raises(InvalidParameter, match="cohort is 'thirsty'; choose one of restricted, unrestricted"):
        labyrinth("thirsty")
