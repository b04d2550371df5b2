"""One self-contained HTML page: headings, text, tables and figures, readable offline and when mailed."""

from __future__ import annotations

import base64
import html
import io
from collections.abc import Sequence

import pandas as pd
from matplotlib.figure import Figure

STYLE = """
:root { color-scheme: light; }
body { font: 16px/1.55 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; margin-bottom: .2rem; } h2 { font-size: 1.2rem; margin-top: 2.2rem; }
p.lead { color: #555; margin-top: 0; }
figure { margin: 1rem 0; } figure img { width: 100%; height: auto; } figcaption { color: #555; font-size: .9rem; }
div.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .9rem; text-align: right; border-bottom: 1px solid #ddd; } th { border-bottom-color: #888; }
tr.chosen { background: #eef4fb; font-weight: 600; } code { background: #f3f3f3; padding: .1rem .3rem; }
"""


class Page:
    """Collects blocks in order; ``html()`` is the whole document."""

    def __init__(self, title: str, lead: str = "") -> None:
        self.title = title
        self._blocks = [f"<h1>{html.escape(title)}</h1>", f'<p class="lead">{html.escape(lead)}</p>']

    def heading(self, text: str) -> None:
        self._blocks.append(f"<h2>{html.escape(text)}</h2>")

    def text(self, text: str) -> None:
        self._blocks.append(f"<p>{html.escape(text)}</p>")

    def code(self, text: str) -> None:
        self._blocks.append(f"<pre><code>{html.escape(text)}</code></pre>")

    def table(self, table: pd.DataFrame, chosen: Sequence[int] = ()) -> None:
        """A table as it is, already rounded; rows at the positions ``chosen`` stand out."""
        head = "".join(f"<th>{html.escape(str(name))}</th>" for name in table.columns)
        rows = []
        for i, row in enumerate(table.itertuples(index=False)):
            mark = "chosen" if i in chosen else "other"
            cells = "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row)
            rows.append(f'<tr class="{mark}">{cells}</tr>')
        self._blocks.append(f'<div class="wide"><table><tr>{head}</tr>{"".join(rows)}</table></div>')

    def figure(self, figure: Figure, caption: str) -> None:
        buffer = io.BytesIO()
        figure.savefig(buffer, format="png", dpi=160)
        data = base64.b64encode(buffer.getvalue()).decode()
        self._blocks.append(
            f'<figure><img src="data:image/png;base64,{data}" alt="{html.escape(caption)}">'
            f"<figcaption>{html.escape(caption)}</figcaption></figure>"
        )

    def html(self) -> str:
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{html.escape(self.title)}</title>'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{STYLE}</style></head>'
            f"<body>{''.join(self._blocks)}</body></html>"
        )
