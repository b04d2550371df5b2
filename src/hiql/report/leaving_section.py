"""The section that says where animals switch, for clocks with a matrix for each context."""

from __future__ import annotations

from typing import cast

from hiql.evaluate.measures.leaving import ENOUGH, Leaving, has_leaving, leaving
from hiql.parts.reads import SUBJECT
from hiql.plots.leaving import MOST_BARS
from hiql.report.findings import Findings
from hiql.report.leaving_charts import leaving_bars, leaving_map
from hiql.report.page import Page
from hiql.worlds.mdp import World


def leaving_section(page: Page, findings: Findings) -> None:
    """Where each intention is left: maps where contexts are places of a drawn world, lists elsewhere."""
    if not has_leaving(findings.model):
        return
    found = leaving(findings.model)
    if found.context == SUBJECT:  # an animal is no place; subjects_section has their chains
        return
    on_map = found.of_states and len(getattr(findings.world, "positions", ())) > 0
    page.heading("Where they are left")
    page.text(_introduction(found, on_map))
    page.charts(
        *(
            page.chart(
                leaving_map(found, i, cast(World, findings.world)) if on_map else leaving_bars(found, i),
                "" if found.known[:, i].any() else f"It had nowhere as many as {ENOUGH:.0f} steps.",
                f"Leaving “{name}”",
                spoken=f"Where “{name}” is left",
            )
            for i, name in enumerate(findings.names)
        )
    )
    page.text(
        f"Steps are those of the data of the fit, by the posterior; contexts with fewer than {ENOUGH:.0f} are blank. "
        "Rows of rare contexts are pulled to the average, so what differs little from it may not differ at all.",
        kind="hint",
    )


def _introduction(found: Leaving, on_map: bool) -> str:
    if on_map:
        return (
            "The probability that the next intention is another one, by place "
            f"({found.context}). The colours are the same for all intentions."
        )
    most = f"the {MOST_BARS} with the most departures of " if len(found.labels) > MOST_BARS else ""
    return (
        f"The probability that the next intention is another one, by {found.context} ({most}"
        f"{len(found.labels):,} in all); the dotted line is the average."
    )
