"""The whole page, without a browser: what it says, what it holds, how large it is."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import hiql
from hiql.errors import HiqlError
from hiql.evaluate import effects_by_group
from hiql.evaluate.words.strategies import ARCHETYPES
from hiql.report import write_report
from hiql.report.page import Page
from hiql.report.provenance import BIBTEX, PAPER_URL
from hiql.report.sections import selection_section
from hiql.worlds import simulate_psychophysics
from tests.problems import random_mdp
from tests.report.problems import EMOJI, HOSTILE, blocks, fitted, random_sessions, selection, visible


def report(tmp_path, data, n_intentions=2, mdp=None, **options):
    path = write_report(tmp_path / "new" / "report.html", fitted(data, n_intentions, mdp), data, **options)
    return path.read_text(encoding="utf-8")


def test_a_known_world_gives_names_maps_and_truth(tmp_path, two_goals):
    data = two_goals.data.select(range(200))
    page = report(tmp_path, data, mdp=two_goals.world)
    text = visible(page)
    assert "Two intentions behind 200 sessions" in text
    assert "“to goal”" in text
    assert "the truth is known" in text
    assert blocks(page)["session_browser-data"]["map"] is not None
    assert "How many intentions?" not in text


def test_choice_tasks_are_named_by_strategy(tmp_path):
    table = hiql.worlds.simulate_reversal(n_mice=2, n_sessions=6, random_state=0).table
    text = visible(report(tmp_path, hiql.bandit_trials(table, history=1), 3))
    assert "Stays after a win" in text
    assert any(f"“{name}" in text for name in ARCHETYPES)
    assert "2 subjects" in text


def test_intentions_that_weigh_inputs_have_weights_curves_and_kernels(tmp_path):
    data = simulate_psychophysics(2, 2, 100, random_state=0).data
    model = hiql.GLMHMM(2, n_init=1, patience=0, max_iter=20, progress=False).fit(data)
    page = write_report(tmp_path / "report.html", model, data).read_text()
    assert "for one standard deviation" in page
    assert "mean outcome" in page
    charts = [block for name, block in blocks(page).items() if name.startswith("chart-")]
    titles = [str(chart["layout"]["xaxis"].get("title", {}).get("text")) for chart in charts]
    assert titles.count("log-odds of right for 1 s.d.") == 2
    assert titles.count("stimulus") == 2  # the curves, and the check of all intentions together
    assert "95\u00a0%:" not in page


def test_with_draws_numbers_bars_and_curves_have_intervals(tmp_path):
    data = simulate_psychophysics(2, 2, 100, random_state=0).data
    model = hiql.GLMHMM(2, n_init=1, patience=0, max_iter=20, progress=False).fit(data)
    plain = blocks(write_report(tmp_path / "plain.html", model, data).read_text())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.sample_posterior(data, n_draws=16, warm_up=2, thin=1)
    page = write_report(tmp_path / "report.html", model, data).read_text()
    low, high = model.interval("durations")[:, 0]
    assert f"(95\u00a0%: {low:.1f} to {high:.1f})" in visible(page)
    drawn = blocks(page)
    bars = [chart["data"][0]["error_x"] for chart in drawn.values() if chart.get("data", [{}])[0].get("error_x")]
    assert len(bars) == 2
    assert all(bar["symmetric"] is False for bar in bars)
    curves = {name: len(chart["data"]) for name, chart in drawn.items() if name.startswith("chart")}
    assert sum(curves.values()) == sum(len(c["data"]) for n, c in plain.items() if n.startswith("chart")) + 2
    cells = next(c["data"][0] for c in drawn.values() if c.get("data", [{}])[0].get("texttemplate") == "%{text}")
    bounds = model.interval("transition_")[:, 0, 0]
    assert cells["text"][0][0].endswith(f"<br>{bounds[0]:.2f} – {bounds[1]:.2f}")


def test_animals_that_differ_and_never_switch_are_shown_one_by_one(tmp_path):
    data = random_sessions([60] * 6, 2, 2, subjects=("a", "a", "b", "b", "c", "c"))
    model = fitted(data, 1, pool="subjects")
    page = write_report(tmp_path / "report.html", model, data).read_text()
    assert "How subjects differ" in page
    shown = blocks(page)["subject_browser-data"]
    assert [each["title"] for each in shown["charts"]] == ["What “intention 1” does"]
    np.testing.assert_allclose(shown["charts"][0]["subjects"][1], model.policy_of("b")[0, :, 1], atol=1e-4)
    assert shown["subjects"][0]["about"] == "a: 2 sessions, 120 steps."
    alike = fitted(data, 1)
    assert "How subjects differ" not in write_report(tmp_path / "alike.html", alike, data).read_text()


def test_weights_of_animals_are_shown_with_their_errors(tmp_path):
    data = hiql.worlds.simulate_psychophysics(3, 2, 60, random_state=0).data
    model = hiql.GLMHMM(2, pool="subjects", n_init=1, patience=0, max_iter=20, progress=False).fit(data)
    page = write_report(tmp_path / "report.html", model, data).read_text()
    shown = blocks(page)["subject_browser-data"]["charts"][-1]
    found = effects_by_group(model, data)
    assert "Bars of weights are standard errors" in page
    assert shown["sure"] == "± 1 standard error"
    low, high = np.array(shown["bounds"])
    for own, below, above, name in zip(shown["subjects"], low, high, found, strict=True):
        np.testing.assert_allclose(own, found[name].size[1, 0], atol=1e-4)
        np.testing.assert_allclose((above - below) / 2, found[name].error[1, 0], atol=1e-4)


def test_memories_of_choices_are_shown_by_lag(tmp_path):
    rng = np.random.default_rng(0)
    trials = pd.DataFrame({"session": np.repeat(range(4), 50), "choice": rng.choice(list("abc"), size=200)})
    trials["reward"] = rng.integers(2, size=200)
    data = hiql.bandit_trials(trials, 1, subject=None, memory=(1, 8))
    model = hiql.GLMHMM(2, n_init=1, patience=0, max_iter=20, progress=False).fit(data)
    page = write_report(tmp_path / "report.html", model, data).read_text()
    assert "What a reward of 1 adds" in page
    assert "steps ago" in page


def test_policies_that_nobody_asked_the_rewards_of_can_be_reported(tmp_path, two_goals):
    data = two_goals.data
    model = hiql.IntentionModel(2, n_init=1, patience=0, max_iter=20, progress=False).fit(data)
    page = write_report(tmp_path / "report.html", model, data, world=two_goals.world).read_text()
    assert 'value="certainty"' in page
    assert 'value="reward"' not in page


def test_abstract_states_without_labels_or_names_are_numbered(tmp_path):
    page = report(tmp_path, random_sessions([20, 30]))
    assert "“intention 1”" in visible(page)
    assert blocks(page)["session_browser-data"]["states"] is None


def test_a_world_without_a_map_gives_tables(tmp_path):
    rng = np.random.default_rng(0)
    world = random_mdp(rng, n_states=5, n_actions=3)
    page = report(tmp_path, random_sessions([20, 30]), mdp=world)
    assert "rows are states" in page
    assert blocks(page)["session_browser-data"]["map"] is None


def test_one_intention_in_one_session_of_one_step(tmp_path):
    page = report(tmp_path, random_sessions([1], n_states=1, n_actions=1), 1)
    assert "One intention behind 1 session" in visible(page)
    assert "no turns to take" in page


def test_ten_thousand_states(tmp_path):
    data = random_sessions([200, 200], n_states=10_000)
    page = report(tmp_path, data)
    assert f"The 60 most visited of {10_000:,} states" in page


def test_everything_missing_but_one_step(tmp_path):
    states, actions = np.full(30, -1), np.full(30, -1)
    states[3] = actions[3] = 0
    data = hiql.Trajectories.from_arrays([states], [actions], n_states=2, n_actions=2)
    assert "29</dd>" in report(tmp_path, data, 1)


def test_a_selection_is_explained_with_its_failures(tmp_path):
    failures = [SimpleNamespace(unit={"n_intentions": 4, "fold": 1}, error=f"Boom: {HOSTILE}")]
    page = report(tmp_path, random_sessions([20, 30]), selection=selection(failures=failures))
    text = visible(page)
    assert "Two are enough &amp; simple." in text
    assert "A fit failed (n_intentions 4, fold 1): Boom: &lt;/script&gt;" in text
    assert text.count('class="chosen"') == 1
    assert "Row 3 has the best held-out score" in text


def test_whether_animals_differ_or_switch_stands_below_the_choice():
    page, chosen = Page(""), selection()
    chosen.traits = "Such intentions are kinds of animals & nothing else."
    selection_section(page, chosen)
    assert "Such intentions are kinds of animals &amp; nothing else." in visible(page.html())


def test_notes_of_the_model_are_warnings(tmp_path):
    data = random_sessions([40])
    model = fitted(data, max_iter=1)
    path = write_report(tmp_path / "r.html", model, data)
    assert "before it converged" in visible(path.read_text(encoding="utf-8"))


def test_models_that_were_renumbered_or_loaded_can_be_reported(tmp_path):
    data = random_sessions([40])
    model = fitted(data)
    model.permuted([1, 0]).save(tmp_path / "m.hiql")
    write_report(tmp_path / "r.html", hiql.load(tmp_path / "m.hiql"), data)


def test_names_about_and_labels_are_shown_and_never_run(tmp_path):
    labels = (HOSTILE, EMOJI, "c")
    data = random_sessions(
        [20, 30], 3, 3, subjects=(HOSTILE, EMOJI), state_labels=labels, action_labels=labels,
        session_names=(EMOJI, HOSTILE),
    )  # fmt: skip
    page = report(tmp_path, data, names=(HOSTILE, "b"), about={HOSTILE: HOSTILE}, selection=selection())
    assert "<script>window" not in page
    assert "<b>bold" not in visible(page)
    book = blocks(page)["session_browser-data"]
    assert book["actions"] == list(labels)
    assert book["subjects"] == [HOSTILE, EMOJI]


def test_the_wrong_number_of_names_or_another_world_is_refused(tmp_path):
    data = random_sessions([20])
    with pytest.raises(HiqlError):
        report(tmp_path, data, names=("only one",))
    with pytest.raises(HiqlError):
        report(tmp_path, data, world=hiql.worlds.gridworld(3))


def test_the_page_fetches_nothing_and_may_fetch_nothing(tmp_path):
    page = report(tmp_path, random_sessions([20, 30]), selection=selection())
    assert re.findall(r'\b(?:src|href)="([^"#][^"]*)"', visible(page)) == ["data:,", PAPER_URL]
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert "default-src &#x27;none&#x27;" in policy
    assert "form-action &#x27;none&#x27;" in policy
    assert page.count("plotly.js (cartesian") == 1


def test_half_a_thousand_long_sessions_make_a_page_one_can_mail(tmp_path):
    data = random_sessions([500] * 500, n_states=50, n_actions=4)
    path = write_report(tmp_path / "r.html", fitted(data, 3, max_iter=2), data)
    assert path.stat().st_size < 10e6
    assert "too large to travel" not in path.read_text(encoding="utf-8")


def test_data_beyond_the_limit_are_cut_and_said_to_be(tmp_path, monkeypatch):
    monkeypatch.setattr("hiql.report.browser_panel.MOST_BYTES", 2000)
    data = random_sessions([50] * 20, subjects=[f"m{i % 3}" for i in range(20)])
    page = report(tmp_path, data)
    book = blocks(page)["session_browser-data"]
    assert book["subjects"] == ["m0", "m1", "m2"]
    assert f"{len(book['sessions'])} of 20" in visible(page)
    assert len(book["sessions"]) < 20


def test_the_citation_is_that_of_the_citation_file():
    text = (Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8")
    title = re.search(r'preferred-citation:.*?title: "([^"]+)"', text, flags=re.DOTALL)[1]
    assert title in BIBTEX
    assert re.search(r'url: "([^"]+)"', text)[1] == PAPER_URL
    flat = " ".join(BIBTEX.split())
    for family, given in re.findall(r"family-names: ([^,]+), given-names: ([^}]+)}", text):
        assert f"{family}, {given}" in flat
