"""The page in a real browser: it draws, answers, asks nothing of the network and fits a phone."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from hiql.report import write_report
from tests.report.chromium import chromium
from tests.report.problems import EMOJI, HOSTILE, IMAGE, fitted, random_sessions, selection

LONG = 20_000
CURVE = "return Array.from(document.getElementById('browse-plot').data[1].y)"
DRAWN = "return document.getElementById('browse-plot').data !== undefined"
TRACES = "return document.getElementById('browse-plot').data.map((t) => Array.from(t.y))"


@pytest.fixture(scope="module")
def mice(tmp_path_factory):
    """Two subjects, nasty labels, missing steps, a long session; the findings' arrays ride along."""
    labels = (HOSTILE, IMAGE, EMOJI, "d", "e")
    data = random_sessions(
        [30, 40, LONG],
        missing=0.1,
        subjects=(HOSTILE, EMOJI, EMOJI),
        session_names=(IMAGE, HOSTILE, "long"),
        state_labels=labels,
        action_labels=labels[:3],
    )
    model = fitted(data, 2)
    path = tmp_path_factory.mktemp("mice") / "report.html"
    write_report(path, model, data, names=(HOSTILE, IMAGE), selection=selection((1, 2)), about={IMAGE: HOSTILE})
    return path, data, model


@pytest.fixture(scope="module")
def grid(tmp_path_factory, two_goals):
    data = two_goals.data.select(range(60))
    path = tmp_path_factory.mktemp("grid") / "report.html"
    return write_report(path, fitted(data, 2, two_goals.world), data)


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    with chromium(tmp_path_factory.mktemp("profile")) as reader:
        yield reader


@pytest.fixture(scope="module")
def on_mice(reader, mice):
    """The reader, with that page open and nothing chosen yet."""
    reader.open(mice[0])
    see_sessions(reader)
    return reader


@pytest.fixture
def first_session(on_mice):
    on_mice.run("document.getElementById('browse-subject').value = 0")
    on_mice.run("document.getElementById('browse-subject').dispatchEvent(new Event('change'))")
    choose(on_mice, "smoothed")
    return on_mice


def see_sessions(reader):
    """Sessions are unpacked and drawn once a reader comes near them."""
    from selenium.webdriver.support.ui import WebDriverWait

    assert not reader.run(DRAWN)
    reader.run("document.getElementById('browse-panel').scrollIntoView({behavior: 'instant'})")
    WebDriverWait(reader.driver, 30).until(lambda _: reader.run(DRAWN))


def click(reader, name):
    reader.run(f"document.getElementById('browse-{name}').click()")


def choose(reader, value):
    reader.run(f"document.querySelector('input[value=\"{value}\"]').click()")


def text(reader, name):
    return reader.run(f"return document.getElementById('browse-{name}').textContent")


def test_nothing_is_complained_about_requested_or_run_from_a_label(on_mice, mice):
    assert on_mice.console() == []
    assert {url.split(":")[0] for url in on_mice.requests()} <= {"file", "data", "blob"}
    assert on_mice.run("return performance.getEntriesByType('resource').length") == 0
    assert on_mice.run("return window.hacked") is None
    assert on_mice.run("return document.querySelectorAll('main img').length") == 0


def test_charts_wait_until_they_come_into_sight(reader, mice):
    reader.open(mice[0])
    waiting = "return [...document.querySelectorAll('div.chart')].filter((p) => p.data === undefined).length"
    assert reader.run(waiting) > 3
    reader.run("document.querySelector('main').lastElementChild.scrollIntoView({behavior: 'instant'})")
    last = "return [...document.querySelectorAll('div.chart')].at(-1).data"
    reader.run("return new Promise((done) => setTimeout(done, 200))")
    assert reader.run(last) is not None


def test_in_the_dark_ink_is_light_and_on_paper_dark_again(reader, mice):
    reader.emulate_dark(True)
    try:
        reader.open(mice[0])
        ink = "return document.querySelector('div.chart').layout.template.layout.font.color"
        reader.run("dispatchEvent(new Event('beforeprint'))")
        assert reader.run(ink) == "#222222"
        reader.run("dispatchEvent(new Event('afterprint'))")
        assert reader.run(ink) == "#e4e6e9"
        assert reader.run("return getComputedStyle(document.body).color") == "rgb(228, 230, 233)"
        assert reader.console() == []
    finally:
        reader.emulate_dark(False)
        reader.open(mice[0])
        see_sessions(reader)


def test_every_chart_is_drawn_with_data(on_mice):
    on_mice.run("dispatchEvent(new Event('beforeprint'))")  # paper has them all
    drawn = on_mice.run(
        "return [...document.querySelectorAll('div.chart')].map((p) => p.data.length > 0 && !!p.querySelector('svg'))"
    )
    assert len(drawn) >= 9
    assert all(drawn)


def test_no_button_sends_a_chart_away(on_mice):
    on_mice.run("dispatchEvent(new Event('beforeprint'))")
    buttons = on_mice.run("return [...document.querySelectorAll('.modebar-btn')].map((b) => b.dataset.title)")
    assert buttons
    assert all("Download" in title for title in buttons)


def test_labels_are_shown_as_they_are(first_session):
    options = first_session.run("return [...document.getElementById('browse-subject').options].map((o) => o.text)")
    assert options[0] == HOSTILE
    assert text(first_session, "about").startswith(f"Session {IMAGE}: 30 steps")
    ticks = first_session.run(
        "return [...document.querySelectorAll('#browse-plot .y3tick text')].map((t) => t.textContent)"
    )
    assert any(tick.startswith("</script><script>") for tick in ticks)


def test_curves_are_the_posteriors_of_the_chosen_session_and_kind(first_session, mice):
    _, data, model = mice
    for kind, expected in (("causal", model.filter_proba(data)), ("smoothed", model.smooth_proba(data))):
        choose(first_session, kind)
        np.testing.assert_allclose(first_session.run(CURVE), expected[data.session(0), 0], atol=1 / 510 + 1e-9)


def test_missing_steps_are_gaps(first_session, mice):
    _, data, _ = mice
    _, _, _, actions, taken, states = first_session.run(TRACES)
    shown = data.session(0)
    assert [y is None for y in actions] == (data.actions[shown] < 0).tolist()
    assert [y is None for y in states] == (data.states[shown] < 0).tolist()
    assert [y is None for y in taken] == ((data.actions[shown] < 0) | (data.states[shown] < 0)).tolist()
    assert "missing (gaps)" in text(first_session, "about")


def test_buttons_and_arrow_keys_walk_through_the_sessions_of_all_subjects(first_session):
    from selenium.webdriver import Keys

    before = first_session.run(CURVE)
    click(first_session, "next")
    assert text(first_session, "about").startswith(f"Session {HOSTILE}: 40 steps")
    assert first_session.run("return document.getElementById('browse-subject').selectedOptions[0].text") == EMOJI
    assert len(first_session.run(CURVE)) == 40
    first_session.run("document.activeElement.blur(); ")
    first_session.point_at("browse-plot", down=100)
    first_session.press(Keys.ARROW_LEFT)
    assert first_session.run(CURVE) == before


def test_sessions_are_listed_for_the_chosen_subject_only(first_session):
    listed = "return [...document.getElementById('browse-session').options].map((o) => o.text)"
    assert first_session.run(listed) == [IMAGE]
    click(first_session, "next")
    assert first_session.run(listed) == [HOSTILE, "long"]


def test_long_sessions_are_thinned_keep_their_extremes_and_say_so(first_session, mice):
    _, data, model = mice
    click(first_session, "next")
    click(first_session, "next")
    full = model.smooth_proba(data)[data.session(2), 0]
    every = int(np.ceil(LONG / 1000))
    means = [full[start : start + every].mean() for start in range(0, LONG, every)]
    np.testing.assert_allclose(first_session.run(CURVE), means, atol=0.002)
    shade = first_session.run("return document.getElementById('browse-plot').data[6].y")
    assert min(shade) == pytest.approx(full.min(), abs=0.002)
    assert max(shade) == pytest.approx(full.max(), abs=0.002)
    assert "20,000 steps are in sight" in text(first_session, "thinned")
    first_session.run("Plotly.relayout('browse-plot', {'xaxis.range[0]': 100, 'xaxis.range[1]': 400})")
    assert text(first_session, "thinned") == ""
    assert len(first_session.run(CURVE)) == 303  # one step beyond either edge
    click(first_session, "all")
    assert "20,000 steps are in sight" in text(first_session, "thinned")


def test_pointing_at_a_step_reads_it_off(first_session):
    from selenium.webdriver.support.ui import WebDriverWait

    first_session.point_at("browse-plot", down=150)
    WebDriverWait(first_session.driver, 30).until(lambda _: text(first_session, "readout").startswith("Step "))
    assert HOSTILE in text(first_session, "readout")


@pytest.fixture(scope="module")
def animals(tmp_path_factory):
    """Three subjects with policies of their own, one with a nasty name, and draws."""
    data = random_sessions([60] * 6, 2, 2, subjects=("a", "a", HOSTILE, HOSTILE, "c", "c"))
    model = fitted(data, 2, pool="subjects")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.sample_posterior(data, n_draws=16, warm_up=2, thin=1)
    return write_report(tmp_path_factory.mktemp("animals") / "report.html", model, data), model


OWN = "return [...document.querySelectorAll('div.subject-chart')].map((p) => Array.from(p.data[2].x))"


def test_a_subject_is_chosen_by_keyboard_and_shown_beside_the_population(reader, animals):
    from selenium.webdriver import Keys
    from selenium.webdriver.support.ui import WebDriverWait

    page, model = animals
    reader.open(page)
    reader.run("document.getElementById('subject-panel').scrollIntoView({behavior: 'instant'})")
    shown = "return document.querySelector('div.subject-chart').data !== undefined"
    WebDriverWait(reader.driver, 30).until(lambda _: reader.run(shown))
    assert reader.run("return [...document.getElementById('subject-chosen').options].map((o) => o.text)") == [
        "a", HOSTILE, "c",
    ]  # fmt: skip
    reader.run("document.getElementById('subject-chosen').focus()")
    reader.press(Keys.ARROW_DOWN)
    assert reader.run("return document.getElementById('subject-about').textContent").startswith(
        HOSTILE + ": 2 sessions"
    )
    own = reader.run(OWN)
    np.testing.assert_allclose(own[-2], model.policy_of(HOSTILE)[0, :, 1], atol=1e-4)
    np.testing.assert_allclose(own[-1], model.policy_of(HOSTILE)[1, :, 1], atol=1e-4)
    rings = reader.run("return Array.from([...document.querySelectorAll('div.subject-chart')].at(-1).data[1].x)")
    np.testing.assert_allclose(rings, model.policy_[1, :, 1], atol=1e-4)
    reader.press(Keys.ARROW_UP)
    assert reader.run(OWN)[-1] != own[-1]
    assert reader.console() == []
    assert reader.run("return window.hacked") is None


def test_a_map_shows_the_track_and_can_be_recoloured(reader, grid):
    reader.open(grid)
    reader.run("dispatchEvent(new Event('beforeprint'))")
    assert reader.console() == []
    assert reader.run("return document.getElementById('browse-map').data.length") == 4
    shade = (
        "const p = [...document.querySelectorAll('div.chart')].find((p) => p.layout.meta && p.layout.meta.shades);"
        "return [p.data[0].colorbar.title.text, JSON.stringify(Array.from(p.data[0].z, (row) => Array.from(row)))]"
    )
    before = reader.run(shade)
    choose(reader, "visits")
    after = reader.run(shade)
    assert before[0] == "certainty of the policy"
    assert after[0] == "expected visits"
    assert before[1] != after[1]
    assert reader.run("return document.getElementById('browse-subject').parentElement.hidden")


@pytest.mark.parametrize("which", ["mice", "grid", "animals"])
def test_nothing_sticks_out_of_a_phone(reader, mice, grid, animals, which):
    reader.as_phone()
    try:
        reader.open({"mice": mice[0], "grid": grid, "animals": animals[0]}[which])
        reader.run("dispatchEvent(new Event('beforeprint'))")  # draws all charts
        width, screen = reader.run("return [document.documentElement.scrollWidth, innerWidth]")
        assert screen == 390
        assert width <= screen
        assert reader.console() == []
    finally:
        reader.as_desktop()
