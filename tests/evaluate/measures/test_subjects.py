"""Shares of intentions by subject, and who ever switches."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from hiql.evaluate.measures.subjects import subject_shares
from hiql.report.page import Page
from hiql.report.subjects_section import shares_chart, subjects_section, who_switches
from tests.report.problems import HOSTILE, findings, random_sessions, visible

PATHS = ([0, 1, 1, 1], [0, 0], [1, 1], [0, 0], [0, 0])  # "a" switches, "b" only between sessions, the last never
LENGTHS = [len(path) for path in PATHS]
OWNERS = ("a", "b", "b", HOSTILE, HOSTILE)


def found(subjects=OWNERS):
    data = random_sessions(LENGTHS, subjects=subjects)
    decoded = np.concatenate(PATHS)
    return SimpleNamespace(
        data=data, decoded=decoded, smoothed=np.eye(2)[decoded], names=("one", "two"), n_intentions=2
    )


def test_shares_and_switches_by_subject():
    told = subject_shares(found().data, found().smoothed, found().decoded)
    assert told.subjects == ("a", "b", HOSTILE)
    np.testing.assert_allclose(told.share, [[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]])
    assert told.switches.tolist() == [True, False, False]
    assert told.changes.tolist() == [True, True, False]
    assert "1 of 3 subjects ever switch within a session, 1 more only between" in who_switches(told)
    np.testing.assert_allclose(shares_chart(told, ("one", "two")).data[1].x, told.share[:, 1])


def test_the_section_is_for_several_subjects():
    page, alone = Page(""), Page("")
    subjects_section(page, findings(random_sessions(LENGTHS, subjects=OWNERS)))
    subjects_section(alone, findings(random_sessions(LENGTHS, subjects=["a"] * 5)))
    assert "How subjects differ" in visible(page.html())
    assert "<script>window" not in page.html()
    assert "How subjects differ" not in alone.html()
