"""What was understood of a table, as plain values: what the command line prints and the page shows."""

from __future__ import annotations

from os import PathLike
from typing import Any

import pandas as pd

from hiql.data.columns import together
from hiql.data.layout import Layout
from hiql.data.summary import cautions, summarise
from hiql.data.table_columns import Extra
from hiql.data.trajectories import Trajectories


def understood(
    path: str | PathLike[str], table: pd.DataFrame, layout: Layout, data: Trajectories, world: object = None
) -> dict[str, Any]:
    """Which columns mean what, what is not used, what the data hold (:func:`summarise`) and what may be misread."""
    columns = {role: value for role, value in layout.to_dict().items() if role not in {"kind", "missing", "extra"}}
    columns = {role: together(name) if isinstance(name, tuple) else name for role, name in columns.items()}
    return {
        "file": str(path),
        "columns": columns | described(layout.extra),
        "unused_columns": layout.unused(table),
        "world": "unknown" if world is None else repr(world),
        "cautions": [*layout.cautions(table), *cautions(data)],
    } | summarise(data)


def described(extra: Extra) -> dict[str, str]:
    """The further columns, as they are told to the user."""
    told = {role: ", ".join(names) for role, names in extra.names.items()}
    return told | ({"memory": ", ".join(f"{tau:g}" for tau in extra.memory)} if extra.memory else {})
