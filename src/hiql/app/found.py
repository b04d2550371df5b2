"""What was found in a table, in words and files: the answer first, then why, then what to take away."""

from __future__ import annotations

from typing import Any

from hiql.app.keeper import FOUND
from hiql.app.workspace import Place, read_json
from hiql.evaluate.words.verdict import Verdict
from hiql.report.markup import Markup, joined, tag

SHOWN = {
    "n_intentions": ("K", "{:.0f}"),
    "history": ("history", "{:g}"),
    "dynamics": ("minds change", "{}"),
    "prior": ("prior", "{}"),
    "pool": ("pool", "{}"),
    "held_out": ("held out", "{:.4f}"),
    "gap": ("gap to the best", "{:+.4f}"),
    "gap_se": ("± its error", "{:.4f}"),
    "evidence": ("evidence", "{:.1f}"),
    "bic": ("BIC", "{:.0f}"),
}
"""Columns of the candidates that are shown where they say anything: their title and how a value is written."""
CALM = ("n_intentions", "held_out", "bic")
TITLES = {
    "model.hiql": "The model",
    "decoded.csv": "The decoded table, one row a step",
    "selection.csv": "The candidates",
    "report.html": "The report, one page to mail",
}


def found_blocks(at: str, place: Place) -> list[Markup]:
    """The answer, the candidates, and the files."""
    found = read_json(place.folder / FOUND)
    verdict = Verdict(**found["verdict"]) if found.get("verdict") else None
    return [
        tag("h2", "What was found", id="found"),
        *_answer(found),
        tag("p", verdict.sentence, class_="warning" if verdict.headline else "verdict") if verdict else Markup(),
        _failures(found.get("failures", [])),
        tag(
            "p",
            tag("a", "Read the report", href=f"{at}/report", class_="main button", target="_blank", rel="noopener"),
            " ",
            tag("a", "Take everything away", href=f"{at}/everything.zip", class_="button"),
        ),
        tag("details", tag("summary", "The candidates"), _candidates(found)),
        tag("details", tag("summary", "The files, one by one"), _files(at, place)),
    ]


def _answer(found: dict[str, Any]) -> list[Markup]:
    """Question by question, if the command answers so; else why this candidate, and whether animals differ."""
    told = found.get("answer") or []
    if told:
        return [joined(tag("h3", each["question"]), tag("p", each["text"]), _numbers(each)) for each in told]
    first, second = found.get("explanation"), found.get("traits")
    return [tag("p", text, class_=kind) for text, kind in ((first, "lead"), (second, None)) if text]


def _numbers(said: dict[str, Any]) -> Markup:
    """The numbers behind a sentence, out of sight until they are wanted."""
    rows = said.get("numbers") or []
    if not rows:
        return Markup()
    head = tag("tr", *(tag("th", name, scope="col") for name in rows[0]))
    body = [tag("tr", *(tag("td", "–" if value is None else value) for value in row.values())) for row in rows]
    table = tag("table", tag("thead", head), tag("tbody", *body))
    wide = tag("div", table, class_="wide", tabindex="0", role="region", aria_label="Numbers")
    return tag("details", tag("summary", "Its numbers"), wide)


def _candidates(found: dict[str, Any]) -> Markup:
    """The table of candidates; a column in which nothing differs is left out."""
    rows, chosen = found.get("candidates", []), found.get("chosen")
    names = [name for name in SHOWN if _says_something(name, rows)]
    head = tag("tr", *(tag("th", SHOWN[name][0], scope="col") for name in names))
    body = [
        tag(
            "tr",
            *(tag("td", _written(name, row.get(name))) for name in names),
            class_="chosen" if row == chosen else None,
        )
        for row in rows
    ]
    hint = "Log-likelihoods are in nats a step; the gap is to the best held-out one. The chosen row is shaded."
    table = tag("table", tag("thead", head), tag("tbody", *body))
    wide = tag("div", table, class_="wide", tabindex="0", role="region", aria_label="Candidates")
    return joined(wide, tag("p", hint, class_="hint"))


def _says_something(name: str, rows: list[dict[str, Any]]) -> bool:
    values = [row.get(name) for row in rows]
    return any(value is not None for value in values) and (name in CALM or len(set(map(str, values))) > 1)


def _written(name: str, value: Any) -> str:
    return "–" if value is None else SHOWN[name][1].format(value)


def _failures(failures: list[dict[str, Any]]) -> Markup:
    if not failures:
        return Markup()
    first = f"The first said: {failures[0].get('error', '')}"
    return tag("p", f"{len(failures)} fits failed, and the others were compared. {first}", class_="warning")


def _files(at: str, place: Place) -> Markup:
    items = [
        tag(
            "li",
            tag("a", TITLES.get(path.name, path.name), href=f"{at}/files/{path.name}", download=path.name),
            tag("span", f"{path.name}, {_size(path.stat().st_size)}", class_="hint"),
        )
        for path in place.files()
    ]
    return tag("ul", *items, class_="files")


def _size(n_bytes: int) -> str:
    return f"{n_bytes / 1e6:.1f} MB" if n_bytes >= 1e6 else f"{max(n_bytes / 1e3, 0.1):.1f} kB"
