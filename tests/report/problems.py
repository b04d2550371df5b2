"""Small fits to report on, a stand-in for a model selection, and a reader of packed sessions."""

from __future__ import annotations

import base64
import json
import re
from types import SimpleNamespace

import numpy as np
import pandas as pd

import hiql
from hiql.report.findings import find

HOSTILE = "</script><script>window.hacked = 1</script>"
IMAGE = '<img src=x onerror="window.hacked = 1">'
EMOJI = "mouse 🐭 \"quoted\" & 'so' \u2028 <b>bold</b>"


def fitted(data, n_intentions=2, mdp=None, **options):
    """A quick fit; what it finds does not matter."""
    options = {"n_init": 1, "patience": 0, "max_iter": 20, "progress": False} | options
    model = hiql.HIQL(n_intentions, **options) if mdp is None else hiql.HIAVI(n_intentions, mdp=mdp, **options)
    return model.fit(data)


def findings(data, n_intentions=2, world=None, names=None):
    return find(fitted(data, n_intentions, world), data, world, names)


def random_sessions(lengths, n_states=5, n_actions=3, seed=0, missing=0.0, **options):
    rng = np.random.default_rng(seed)

    def codes(size, n):
        return np.where(rng.random(n) < missing, -1, rng.integers(size, size=n))

    return hiql.Trajectories.from_arrays(
        [codes(n_states, n) for n in lengths],
        [codes(n_actions, n) for n in lengths],
        n_states=n_states,
        n_actions=n_actions,
        **options,
    )


def selection(histories=(None,), n_intentions=(1, 2, 3), failures=()):
    """What the report reads of a selection; the second row is chosen, the last one is best."""
    rows = [
        {
            "family": "HIQL",
            "history": history,
            "pseudo_count": 0.1,
            "n_intentions": k,
            "n_free": 10 * k,
            "train": -0.9 + 0.01 * k,
            "held_out": -1.0 + 0.02 * k + 0.001 * (history or 0),
            "held_out_se": 0.01,
            "bic": 1000.0 - 10 * k,
            "restart_agreement": np.nan if k == 1 else 0.9,
            "fold_agreement": np.nan,
        }
        for history in histories
        for k in n_intentions
    ]
    table = pd.DataFrame(rows)
    table["gap"] = table["held_out"] - table["held_out"].max()
    table["gap_se"] = 0.005
    return SimpleNamespace(
        table=table, chosen=1, best=len(table) - 1, explanation="Two are enough & simple.", failures=failures
    )


def blocks(page):
    """Every block of JSON in a page, by the id of its element."""
    found = re.findall(r'<script type="application/json" id="([^"]+)">(.*?)</script>', page, flags=re.DOTALL)
    return {name: json.loads(text) for name, text in found}


def visible(page):
    """The page without its scripts and styles."""
    return re.sub(r"<(script|style)\b.*?</\1>", "", page, flags=re.DOTALL)


def unpacked(book, index):
    """The columns of one packed session, read as the script does, but in numpy."""
    session = book["sessions"][index]
    content = base64.b64decode(session["data"])
    columns, at = {}, 0
    for column in book["columns"]:
        kind = {"Uint8Array": "<u1", "Uint16Array": "<u2", "Uint32Array": "<u4"}[column["array"]]
        count = session["steps"] * column["perStep"]
        columns[column["name"]] = np.frombuffer(content, kind, count, at)
        at += columns[column["name"]].nbytes
    assert at == len(content)
    return columns
