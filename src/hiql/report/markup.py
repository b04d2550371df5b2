"""HTML from Python, escaped by default: only what :func:`tag` built is taken as markup, all other text is quoted."""

from __future__ import annotations

import html
import json
from typing import Any

VOID = ("br", "hr", "img", "input", "link", "meta")
"""Elements without content, which have no end tag."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def safe(text: object) -> Markup:
    """Text as HTML that shows it, whatever it holds."""
    return text if isinstance(text, Markup) else Markup(html.escape(str(text)))


def joined(*parts: object) -> Markup:
    """Texts and elements, one after another."""
    return Markup("".join(safe(part) for part in parts))


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """The element ``<name …>children</name>``.

    ``class_`` and ``for_`` stand for the reserved words, ``aria_label`` for ``aria-label``; an attribute that is True
    is written bare, and one that is None or False is left out.
    """
    written = "".join(
        f" {key}" if value is True else f' {key}="{safe(value)}"'
        for key, value in ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
        if value is not None and value is not False
    )
    return Markup(f"<{name}{written}>" if name in VOID else f"<{name}{written}>{joined(*children)}</{name}>")


def json_block(identifier: str, content: Any) -> Markup:
    """Data for scripts, as JSON (or as text that is JSON already) in an element that browsers never run.

    Every ``<`` is written ``\\u003c``: JSON reads it back as it was, and no label can end the element.
    """
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, allow_nan=False)
    guarded = text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
    return tag("script", Markup(guarded), type="application/json", id=identifier)


def plotly_text(text: object) -> str:
    """A label as plotly shows it unchanged: plotly reads a little HTML in every text, so that is quoted."""
    return html.escape(str(text), quote=False)


def radios(name: str, title: str, choices: tuple[str, ...]) -> Markup:
    """A group of radio buttons, the first one pressed."""
    buttons = [
        tag("label", tag("input", type="radio", name=name, value=choice, checked=i == 0, autocomplete="off"), choice)
        for i, choice in enumerate(choices)
    ]
    return tag("div", tag("fieldset", tag("legend", title), *buttons), class_="controls")
