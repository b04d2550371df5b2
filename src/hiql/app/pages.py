"""The pages: where tables come in, and one for each table. Text from users goes through :func:`~hiql.report.markup.tag`
only, which quotes it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hiql.app.examples import EXAMPLES
from hiql.app.forms import CHOICES, columns_form, tries_form
from hiql.app.found import found_blocks
from hiql.app.uploads import MEGABYTE
from hiql.app.wishes import as_typed, commands, wishes_in
from hiql.app.workspace import READ, Place, read_json
from hiql.report.markup import Markup, joined, tag

__all__ = ["CHOICES", "commands_of", "home", "sorry", "table", "told"]

STAGES = {
    "new": "not started",
    "waiting": "waits for its turn",
    "running": "at work",
    "done": "done",
    "stopped": "stopped",
    "failed": "needs a look",
}


def home(root: str, places: Sequence[tuple[Place, dict[str, Any]]], most: int) -> str:
    """Drop a table, choose an example, or go on with what is there."""
    return _page(
        root,
        "What does the animal want?",
        tag("h1", "What does the animal want?"),
        tag(
            "p",
            "Give a table of behaviour. You see what was understood of it, choose what to try, and read how many "
            "intentions are behind it, what each of them does, and when the animal changes its mind.",
            class_="lead",
        ),
        _drop(root, most),
        tag("h2", "Or try an example"),
        tag("div", *(_example(root, name) for name in EXAMPLES), class_="cards"),
        _tables(root, places) if places else "",
    )


def table(root: str, place: Place, state: dict[str, Any]) -> str:
    """One table: what was found, how far it is, what to try, what was understood."""
    about, read = place.about, read_json(place.folder / READ)
    stage = state["stage"]
    at = f"{root}/tables/{place.key}"
    wishes = wishes_in(about.get("wishes", {}))
    busy = stage in {"running", "waiting"}
    fresh = stage == "new"
    blocks = [columns_form(at, read, wishes, busy, closed=not fresh)]
    blocks += [] if busy else [tries_form(at, read, wishes, not fresh, proposed="made" not in about)]
    return _page(
        root,
        str(about.get("name", "")),
        tag("p", tag("a", "← All tables", href=f"{root}/"), class_="hint"),
        tag("h1", about.get("name", "")),
        _standing(at, state),
        *(found_blocks(at, place) if stage == "done" else ()),
        *(blocks if fresh else reversed(blocks)),
        _by_hand(place) if read.get("facts") else "",
        _remove(at),
    )


def told(state: dict[str, Any]) -> str:
    """Where a table stands, in a sentence."""
    went_on = "It was interrupted and went on by itself: what was finished was kept. " if state.get("resumed") else ""
    if state["stage"] == "waiting":
        return f"{went_on}Waiting for other tables to be finished."
    if state["stage"] == "running":
        return went_on + _progress(state.get("done", 0), state.get("total", 0), state.get("left"))
    if state["stage"] == "stopped":
        return "Stopped. What was finished is kept, and going on repeats nothing."
    return str(state.get("problem", ""))


def commands_of(place: Place) -> list[str]:
    """What anyone may type in a terminal to get the same."""
    about = place.about
    made = [about["made"]] if "made" in about else []
    return [as_typed(each) for each in [*made, *commands(place.table.name, wishes_in(about["wishes"]), -1)]]


def sorry(root: str, text: str) -> str:
    """An error, and the way back."""
    return _page(
        root,
        "That did not work",
        tag("h1", "That did not work"),
        tag("p", text, class_="warning", role="alert"),
        tag("p", tag("a", "← All tables", href=f"{root}/")),
    )


# --- parts of the first page ----------------------------------------------------------------------------------------


def _drop(root: str, most: int) -> Markup:
    return tag(
        "section",
        tag(
            "label",
            tag("span", "Drop a table here, or choose one", class_="big"),
            tag("input", type="file", id="file", data_to=f"{root}/tables", data_most=most, aria_describedby="kinds"),
            for_="file",
        ),
        tag(
            "p",
            f"CSV, TSV or Parquet, also gzipped; one row a step or a trial, and a header; up to {most // MEGABYTE} MB. "
            "It stays on this computer.",
            class_="hint",
            id="kinds",
        ),
        tag("progress", id="sent", max="1", value="0", hidden=True, aria_label="How much of the table was sent"),
        tag("p", id="said", role="alert"),
        tag("noscript", "Sending a table needs JavaScript."),
        class_="drop",
        id="drop",
        aria_label="Your table",
    )


def _example(root: str, name: str) -> Markup:
    example = EXAMPLES[name]
    return tag(
        "form",
        tag("h3", example.title),
        tag("p", example.text),
        tag("button", "Open this example", type="submit", name="name", value=name, aria_label=f"Open {example.title}"),
        method="post",
        action=f"{root}/examples",
        class_="card",
    )


def _tables(root: str, places: Sequence[tuple[Place, dict[str, Any]]]) -> Markup:
    items = [
        tag(
            "li",
            tag("a", place.about.get("name", ""), href=f"{root}/tables/{place.key}"),
            tag("span", STAGES[state["stage"]], class_=f"stage {state['stage']}"),
            tag("span", str(place.about.get("came", ""))[:16].replace("T", " "), class_="hint"),
        )
        for place, state in places
    ]
    return joined(tag("h2", "Your tables"), tag("ul", *items, class_="tables"))


# --- parts of a table's page ----------------------------------------------------------------------------------------


def _standing(at: str, state: dict[str, Any]) -> Markup:
    """How far it is; the script asks again and again."""
    stage, text = state["stage"], told(state)
    busy = stage in {"running", "waiting"}
    if not busy and not text:
        return Markup()
    bar = {"value": state["done"], "max": state["total"]} if state.get("total") else {}
    stop = tag("form", tag("button", "Stop", type="submit"), method="post", action=f"{at}/stop")
    go_on = tag("form", tag("button", "Go on", type="submit", class_="main"), method="post", action=f"{at}/run")
    return tag(
        "section",
        tag("p", text, id="told", class_="warning" if stage == "failed" else None, aria_live="polite"),
        tag("progress", id="bar", aria_label="Fits that are done", **bar) if busy else "",
        stop if busy else go_on if stage in {"stopped", "failed"} else "",
        tag("p", "You may close this page: the work goes on, and the page can be opened again.", class_="hint")
        if busy
        else "",
        class_="standing",
        id="standing",
        data_stage=stage,
        data_state=f"{at}/state",
    )


def _progress(done: int, total: int, left: float | None) -> str:
    if not total:
        return "Getting ready …"
    if done >= total:
        return "All fits are done; decoding and writing the report …"
    return f"{done} of {total} fits are done" + (f"; about {_time(left)} left." if left is not None else ".")


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{max(5, 5 * round(seconds / 5))} seconds"
    return f"{round(seconds / 60)} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def _by_hand(place: Place) -> Markup:
    return joined(
        tag("h2", "The same from a terminal", id="commands"),
        tag("p", "These are the commands that the page runs; in a folder with the table, they give the same files."),
        tag("pre", "\n".join(commands_of(place)), tabindex="0"),
    )


def _remove(at: str) -> Markup:
    warning = "Remove this table and everything that was found in it from this computer?"
    button = tag("button", "Remove this table", type="submit", data_confirm=warning, class_="quiet")
    return tag("form", button, method="post", action=f"{at}/remove", class_="remove")


def _page(root: str, title: str, *blocks: object) -> str:
    """A whole document: nothing in it is inline but text."""
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("link", rel="icon", href="data:,"),
        tag("link", rel="stylesheet", href=f"{root}/look.css"),
        tag("title", f"{title} · hiql"),
    )
    banner = tag("header", tag("a", "hiql", href=f"{root}/"))
    script = tag("script", src=f"{root}/page.js")
    body = tag("body", banner, tag("main", *blocks), script, class_="app")
    return f"<!doctype html>{tag('html', head, body, lang='en')}"
