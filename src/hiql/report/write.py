"""The report: one self-contained HTML file about a fitted model and its data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

import pandas as pd

from hiql.data.sizes import check_sizes
from hiql.data.trajectories import Trajectories
from hiql.evaluate.words.verdict import Verdict, agreement_in, judge
from hiql.files import write_whole
from hiql.models import IntentionModel
from hiql.report import sections, words
from hiql.report.browser_panel import browser_section
from hiql.report.findings import find
from hiql.report.foreseen_section import foreseen_section
from hiql.report.intention_cards import intentions_section
from hiql.report.leaving_section import leaving_section
from hiql.report.page import Page
from hiql.report.subjects_section import subjects_section
from hiql.sweep.answer import Said
from hiql.worlds.mdp import MDP


class SelectionLike(Protocol):
    """What the report reads of a model selection (:mod:`hiql.sweep`).

    ``table`` has one row a candidate; ``chosen`` and ``best`` are positions in it; ``explanation`` is a sentence;
    ``failures`` have a ``unit`` (settings) and an ``error``.
    """

    @property
    def table(self) -> pd.DataFrame: ...
    @property
    def chosen(self) -> int: ...
    @property
    def best(self) -> int: ...
    @property
    def explanation(self) -> str: ...
    @property
    def failures(self) -> Sequence[Any]: ...


def write_report(
    path: str | PathLike[str],
    model: IntentionModel,
    data: Trajectories,
    *,
    world: MDP | None = None,
    selection: SelectionLike | None = None,
    names: Sequence[str] | None = None,
    about: Mapping[str, str] | None = None,
    said: Sequence[Said] = (),
) -> Path:
    """Write an interactive page that works offline and can be mailed; returns its path.

    Parameters
    ----------
    model : a fitted model
    data : what to look at; not necessarily what the model was fitted to
    world : where to draw the intentions; the model's own by default, tables where there is none
    selection : how K was chosen, shown if given
    names : K names of intentions; by default those in the model's file, or after the named places of the world or, in a
        choice task, after strategies, else by number
    said : the recommendation of a sweep (:func:`hiql.sweep.answer.answer`), shown first if given
    about : anything worth telling about how the results were made: the command, the data file, the seed, …

    Large data are included as far as they fit into 15 MB: the first sessions of every subject.
    """
    place = model.world_ if world is None else world
    if place is not None:
        check_sizes(place, data.n_states, data.n_actions)
    findings = find(model, data, place, names)
    verdict = _verdict(model, selection)
    page = Page(words.headline(findings, verdict), words.summary(findings))
    sections.verdict_block(page, verdict)
    truth = words.truth_sentence(findings)
    if truth is not None:
        page.text(truth)
    if said:
        sections.answer_section(page, said)
    sections.data_section(page, findings)
    if selection is not None:
        sections.selection_section(page, selection)
    intentions_section(page, findings)
    sections.dynamics_section(page, findings)
    leaving_section(page, findings)
    subjects_section(page, findings)
    browser_section(page, findings)
    foreseen_section(page, findings)
    sections.trust_section(page, findings, selection, verdict)
    sections.origin_section(page, about)
    return write_whole(path, page.html())


def _verdict(model: IntentionModel, selection: SelectionLike | None) -> Verdict:
    if selection is None:
        return judge(model)
    return judge(model, agreement_in(selection.table.iloc[selection.chosen].to_dict()), len(selection.failures))
