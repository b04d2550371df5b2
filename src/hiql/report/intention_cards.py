"""The section of the intentions: one card each, with its name, some numbers in words, and its portrait."""

from __future__ import annotations

from typing import Any

import numpy as np

from hiql.plots.style import intention_colour
from hiql.report import policy_portraits, weight_portraits, words
from hiql.report.findings import Findings
from hiql.report.markup import Markup, tag
from hiql.report.page import Page

PORTRAITS: dict[str, Any] = {"weights_": weight_portraits, "policy_": policy_portraits}
"""By what a model shows of its choices: how to introduce, draw and conclude."""


def intentions_section(page: Page, findings: Findings) -> None:
    """What each intention wants and does."""
    page.heading("The intentions")
    kind = next(portraits for shown, portraits in PORTRAITS.items() if hasattr(findings.model, shown))
    kind.introduce(page, findings)
    cards = (_card(page, findings, i, kind.portrait(findings, i)) for i in range(findings.n_intentions))
    page.block(tag("div", *cards, class_="intentions"))
    kind.conclude(page, findings)


def _card(page: Page, findings: Findings, i: int, figure: Any) -> Markup:
    """One intention: its name, some numbers in words, and its portrait."""
    return tag(
        "section",
        tag("h3", findings.names[i]),
        tag("p", _in_words(findings, i)),
        page.chart(figure, "", spoken=f"What “{findings.names[i]}” wants and does"),
        class_="intention",
        style=f"--colour: {intention_colour(i)}",
    )


def _in_words(findings: Findings, i: int) -> str:
    """Numbers about one intention, in words."""
    share, begins = (words.between(findings.bounds[name], i, words.percent) for name in ("share_", "initial_"))
    lasts = words.between(findings.bounds["durations"], i, words.rounded)
    text = (
        f"{words.percent(findings.share[i])} of the steps{share}, "
        f"{words.lasting(findings.dwell[i], findings.data)}{lasts}; "
        f"begins {words.percent(float(findings.model.initial_[i]))} of sessions{begins}."
    )
    if findings.profile is not None and not np.isnan(findings.profile[i]).any():
        _, win_stay, lose_switch = findings.profile[i]
        text += f" Stays after a win: {words.percent(win_stay)}; switches after a loss: {words.percent(lose_switch)}."
    return text
