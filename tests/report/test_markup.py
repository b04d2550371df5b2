"""Whatever a label holds, it is shown and never run."""

from __future__ import annotations

import json

import pytest

from hiql.report.markup import Markup, joined, json_block, plotly_text, radios, tag
from hiql.report.page import Page
from tests.report.problems import EMOJI, HOSTILE, IMAGE, blocks


def test_text_and_attributes_are_escaped_and_markup_is_not():
    assert tag("p", "a < b", tag("b", "&"), title='"') == '<p title="&quot;">a &lt; b<b>&amp;</b></p>'
    assert joined("<", Markup("<hr>")) == "&lt;<hr>"


def test_attributes_without_a_value():
    assert tag("input", checked=True, disabled=False, id=None, class_="x") == '<input checked class="x">'


@pytest.mark.parametrize("text", [HOSTILE, IMAGE, EMOJI, "<!--", "\u2029", "a\\u003cb"])
def test_json_comes_back_unchanged_and_cannot_end_its_element(text):
    block = json_block("x", {"label": text})
    assert block.count("<") == 2  # its own start and end tags
    assert blocks(block) == {"x": {"label": text}}


def test_json_that_is_text_already_is_taken_as_it_is():
    assert blocks(json_block("x", json.dumps([1, "<"]))) == {"x": [1, "<"]}


def test_plotly_labels_lose_their_meaning_as_html():
    assert plotly_text("<b>&</b>") == "&lt;b&gt;&amp;&lt;/b&gt;"


def test_the_first_radio_button_is_pressed():
    assert radios("n", "t", ("a", "b")).count("checked") == 1


def test_headings_titles_and_cells_of_a_page_are_escaped():
    import pandas as pd

    page = Page(HOSTILE, HOSTILE)
    page.heading(HOSTILE)
    page.text(HOSTILE, kind=IMAGE)
    page.table(pd.DataFrame({HOSTILE: [IMAGE]}), chosen=[0])
    page.facts({HOSTILE: IMAGE})
    assert "<script>window" not in page.html()
    assert "<img" not in page.html()
