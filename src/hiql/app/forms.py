"""What can be chosen about a table: what its columns mean, and what to try."""

from __future__ import annotations

from typing import Any

from hiql.app.wishes import Wishes
from hiql.dynamics.registry import DYNAMICS
from hiql.models.pooling import PRIORS
from hiql.report.markup import Markup, joined, tag
from hiql.sweep.criteria import CRITERIA

MEANINGS = {
    "": "not used",
    "session": "session",
    "subject": "subject",
    "step": "order of rows",
    "state": "state",
    "action": "action",
    "next_state": "next state",
    "choice": "choice",
    "outcome": "outcome",
    "inputs": "input (known before)",
    "context": "context (known before)",
    "day": "day of the session",
    "order": "order of sessions",
}
"""What a column may mean, in words."""
CHOICES = (
    "intentions",
    "history",
    "dynamics",
    "switch_by",
    "prior",
    "pool",
    "by",
    "world",
    "hold_out",
    "restarts",
    "seed",
)
"""The fields of :func:`tries_form`."""
CLOCKS = {
    "markov": "anywhere, by chance",
    "by-state": "depending on the state",
    "session-wise": "between sessions only",
    "semi-markov": "after a typical time",
    "input-driven": "depending on the inputs",
    "sticky": "anywhere, by chance, but seldom",
}
RULES = {
    "held-out": "best on sessions it was not fitted to",
    "bic": "BIC: simple and good",
    "evidence": "evidence: the most probable given all the data",
}
TILES = {
    "steps": ("step", "steps"),
    "sessions": ("session", "sessions"),
    "subjects": ("subject", "subjects"),
    "states_visited": ("state visited", "states visited"),
    "actions": ("action", "actions"),
    "missing": ("step without evidence", "steps without evidence"),
}


def columns_form(at: str, read: dict[str, Any], wishes: Wishes, busy: bool, closed: bool) -> Markup:
    """What was understood, with every column's meaning to be corrected."""
    facts, error = read.get("facts", {}), read.get("error", "")
    tiles = [
        tag("div", tag("dt", words[facts[name] != 1]), tag("dd", f"{facts[name]:,}"))
        for name, words in TILES.items()
        if name in facts and (facts[name] or name != "missing")
    ]
    form = tag(
        "form",
        tag("div", _columns(read.get("columns", [])), class_="wide", tabindex="0", role="region", aria_label="Columns"),
        _more_columns(read),
        _text("missing", "Values that mean “not observed”, with commas between", wishes.missing, "-1, NA"),
        _text("memory", "Leaky traces of past choices as inputs: time constants in steps", wishes.memory, "1,4,16"),
        tag("p", tag("button", "Read the table again", type="submit", disabled=busy)),
        method="post",
        action=f"{at}/read",
    )
    told = [tag("p", f"{caution.rstrip('.')}.", class_="warning") for caution in facts.get("cautions", [])]
    return joined(
        tag("h2", "What was understood", id="understood"),
        tag("p", error, class_="warning", role="alert") if error else "",
        tag("dl", *tiles, class_="facts") if tiles else "",
        *told,
        tag("details", tag("summary", "The columns, and what each of them means"), form, open=not closed),
    )


def tries_form(at: str, read: dict[str, Any], wishes: Wishes, again: bool, proposed: bool) -> Markup:
    """What to try, as it is proposed; the rest is out of sight until it is wanted."""
    if not read.get("facts"):
        return Markup()
    of_trials = read.get("of_trials")
    several = read["facts"].get("subjects", 1) > 1
    plain = [
        _text("intentions", "How many intentions", wishes.intentions, "as proposed", r"[0-9, \-]+"),
        _text(
            "history",
            "Past trials that make a state",
            wishes.history,
            "as proposed",
            r"[0-9, \-]+",
        )
        if of_trials
        else "",
        _checks("dynamics", "Minds change …", {name: CLOCKS.get(name, name) for name in DYNAMICS}, wishes.dynamics),
    ]
    further = [
        _text("switch_by", "What switching depends on (for “depending on the state”)", wishes.switch_by, "state left"),
        _text("world", "World, if it is known", wishes.world, "labyrinth, or grid:5x5") if not of_trials else "",
        _checks("prior", "Rows of long histories", _named(PRIORS, POOLED), wishes.prior),
        _checks("pool", "Animals", ANIMALS, wishes.pool) if several else "",
        _radios("by", "The best is", _named(CRITERIA, RULES), wishes.by or next(iter(CRITERIA))),
        _radios("hold_out", "Held out are", {"": "as proposed"} | HELD_OUT, wishes.hold_out),
        _text("restarts", "Searches with different seeds", wishes.restarts, "3", "[0-9]+"),
        _text("seed", "Seed", wishes.seed, "0", "[0-9]+"),
    ]
    return joined(
        tag("h2", "What to try", id="try"),
        tag("p", "What you leave open is proposed, from what the table has:") if proposed else "",
        tag("ul", *(tag("li", reason) for reason in read.get("proposed", []))) if proposed else "",
        tag(
            "form",
            tag("div", *plain, class_="fields"),
            tag("details", tag("summary", "More choices"), tag("div", *further, class_="fields")),
            tag("p", tag("button", "Find the intentions" + (" again" if again else ""), type="submit", class_="main")),
            method="post",
            action=f"{at}/run",
        ),
    )


POOLED = {"flat": "as they are", "pooled": "drawn to those of shorter ones"}
HELD_OUT = {"sessions": "sessions", "subjects": "animals", "parts": "parts of sessions"}
ANIMALS = {"none": "are alike", "subjects": "share and differ"}


def _named(known: Any, words: dict[str, str]) -> dict[str, str]:
    return {name: words.get(name, name) for name in known}


def _columns(columns: list[dict[str, Any]]) -> Markup:
    rows = [
        tag(
            "tr",
            tag("th", each["name"], scope="row", id=f"column-{i}"),
            tag("td", _meanings(i, each["role"])),
            tag("td", " · ".join(each["examples"]), class_="examples"),
        )
        for i, each in enumerate(columns)
    ]
    head = tag("tr", *(tag("th", name, scope="col") for name in ("Column", "Means", "First values")))
    return tag("table", tag("thead", head), tag("tbody", *rows), class_="columns")


def _meanings(i: int, chosen: str) -> Markup:
    options = [tag("option", text, value=role, selected=role == chosen) for role, text in MEANINGS.items()]
    return tag("select", *options, name=f"role-{i}", aria_labelledby=f"column-{i}", class_="used" if chosen else None)


def _more_columns(read: dict[str, Any]) -> Markup:
    hidden = read.get("n_columns", 0) - len(read.get("columns", []))
    return tag("p", f"{hidden:,} further columns are not shown.", class_="hint") if hidden > 0 else Markup()


def _text(name: str, label: str, value: str, placeholder: str, pattern: str | None = None) -> Markup:
    field = tag(
        "input", type="text", name=name, value=value, placeholder=placeholder, pattern=pattern, maxlength=500,
        autocomplete="off", spellcheck="false",
    )  # fmt: skip
    return tag("label", tag("span", label), field, class_="field")


def _checks(name: str, title: str, choices: dict[str, str], chosen: str) -> Markup:
    """Any of the choices; none of them leaves it to the command."""
    return _group("checkbox", name, title, choices, chosen.split(","))


def _radios(name: str, title: str, choices: dict[str, str], chosen: str) -> Markup:
    return _group("radio", name, title, choices, [chosen])


def _group(kind: str, name: str, title: str, choices: dict[str, str], chosen: Any) -> Markup:
    boxes = [
        tag("label", tag("input", type=kind, name=name, value=value, checked=value in chosen, autocomplete="off"), text)
        for value, text in choices.items()
    ]
    return tag("fieldset", tag("legend", title), *boxes, class_="field")
