"""Files are written whole or not at all, and what keeps one from being written is said with a remedy."""

from __future__ import annotations

import errno
import os

import pytest

from hiql.files import write_whole


def test_a_full_disk_is_said_with_the_file_and_a_remedy_and_leaves_the_old_file(tmp_path, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    path = write_whole(tmp_path / "report.html", "old")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"disk is full; make room .* Not written: .*report\.html") as caught:
        write_whole(path, "new")
    assert caught.value.errno == errno.ENOSPC
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]
