"""Sessions, packed small enough to travel inside the page: bytes in base64, unpacked one session at a time.

Each step takes 2K + 3 bytes and those of its state and action: codes as the narrowest unsigned integers that hold
them (the largest value means "missing"), probabilities as bytes 0…255, so they are kept to within 1/510 ≈ 0.002.
``session_browser.js`` reads what this writes; ``COLUMNS`` of the header tells it in which order.
"""

from __future__ import annotations

import base64
import json
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hiql.data.trajectories import Trajectories
from hiql.plots.maze import shortest_corridor
from hiql.plots.style import intention_colour
from hiql.report.findings import Findings
from hiql.report.maps import ground_map

MOST_BYTES = 15_000_000
"""Room for packed sessions in the page, in characters of base64."""
ARRAYS = {1: "Uint8Array", 2: "Uint16Array", 4: "Uint32Array"}
"""What JavaScript calls unsigned integers of so many bytes."""


class Column(NamedTuple):
    """One kind of number: its name in the script, (N,) or (N, K) packed values, all of one unsigned type."""

    name: str
    values: npt.NDArray[Any]

    @property
    def per_step(self) -> int:
        return 1 if self.values.ndim == 1 else self.values.shape[1]

    @property
    def bytes_per_step(self) -> int:
        return self.per_step * self.values.itemsize

    @property
    def header(self) -> dict[str, Any]:
        return {"name": self.name, "array": ARRAYS[self.values.itemsize], "perStep": self.per_step}


def columns(findings: Findings) -> tuple[Column, ...]:
    """Everything the browser shows of a step, packed."""
    data, n = findings.data, findings.n_intentions
    truth = () if findings.truth is None else (Column("truth", codes(findings.truth, n)),)
    return (
        Column("state", codes(data.states, data.n_states)),
        Column("action", codes(data.actions, data.n_actions)),
        Column("decoded", codes(findings.decoded, n)),
        *truth,
        Column("taken", bytes_of(np.nan_to_num(findings.taken))),
        Column("smoothed", bytes_of(findings.smoothed)),
        Column("causal", bytes_of(findings.causal)),
    )


def codes(values: npt.ArrayLike, size: int) -> npt.NDArray[Any]:
    """Codes −1, 0…size-1 as the narrowest unsigned integers; −1 (missing) becomes the largest of them."""
    kind = next(kind for kind in (np.uint8, np.uint16, np.uint32) if size <= np.iinfo(kind).max)
    array = np.asarray(values)
    return np.where(array < 0, np.iinfo(kind).max, array).astype(f"<u{np.dtype(kind).itemsize}")


def bytes_of(probability: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Probabilities as bytes, 255 for certainty."""
    return np.rint(np.clip(np.asarray(probability), 0.0, 1.0) * 255).astype(np.uint8)


class Shown(NamedTuple):
    """Which part of the data is in the page: ``sessions`` (indices), and how many ``steps`` of each."""

    sessions: npt.NDArray[np.int64]
    steps: npt.NDArray[np.int64]

    def is_all_of(self, data: Trajectories) -> bool:
        return int(self.steps.sum()) == data.n_steps


def choose_sessions(data: Trajectories, bytes_per_step: int, most_bytes: int = MOST_BYTES) -> Shown:
    """As many sessions as there is room for: the first of every subject, then the second of every subject, …

    A session that is longer than all the room is cut to its first steps.
    """
    room = max(1, most_bytes * 3 // 4 // bytes_per_step)
    met: dict[str, int] = {}
    turn = np.empty(data.n_sessions, dtype=np.int64)
    for i, subject in enumerate(data.subjects):
        turn[i] = met[subject] = met.get(subject, -1) + 1
    order = np.argsort(turn, kind="stable")
    fits = int(np.searchsorted(np.cumsum(data.lengths[order]), room, side="right"))
    sessions = np.sort(order[: max(fits, 1)])
    return Shown(sessions, np.minimum(data.lengths[sessions], room))


def pack(findings: Findings, most_bytes: int = MOST_BYTES) -> tuple[dict[str, Any], Shown]:
    """The header and sessions for ``session_browser.js``, subject by subject, and which part of the data they are."""
    data = findings.data
    packed = columns(findings)
    shown = choose_sessions(data, sum(column.bytes_per_step for column in packed), most_bytes)
    subjects = list(dict.fromkeys(data.subjects[i] for i in shown.sessions))
    number = {name: i for i, name in enumerate(subjects)}
    sessions = [
        {
            "name": data.session_names[i],
            "subject": number[data.subjects[i]],
            "steps": int(n),
            "cut": bool(n < data.lengths[i]),
            "data": _encoded(packed, int(data.offsets[i]), int(n)),
        }
        for i, n in sorted(
            zip(shown.sessions, shown.steps, strict=True), key=lambda pair: number[data.subjects[pair[0]]]
        )
    ]
    names = [{"name": name, "colour": intention_colour(i)} for i, name in enumerate(findings.names)]
    header = {
        "intentions": names,
        "actions": findings.action_names,
        "states": _state_labels(data, shown),
        "subjects": subjects,
        "columns": [column.header for column in packed],
        "map": _map(findings),
    }
    return header | {"sessions": sessions}, shown


def _encoded(packed: tuple[Column, ...], start: int, n_steps: int) -> str:
    """One session: its columns one after another, each step by step."""
    parts = (column.values[start : start + n_steps].tobytes() for column in packed)
    return base64.b64encode(b"".join(parts)).decode()


def _state_labels(data: Trajectories, shown: Shown) -> dict[int, str] | None:
    """What the codes of states mean, for those that occur; None where they are their own labels."""
    if data.state_labels is None:
        return None
    steps = [data.states[data.offsets[i] :][:n] for i, n in zip(shown.sessions, shown.steps, strict=True)]
    return {int(s): str(data.state_labels[s]) for s in np.unique(np.concatenate(steps)) if s >= 0}


def _map(findings: Findings) -> dict[str, Any] | None:
    """The floor of the world and where its states lie, for the track of a session."""
    world: Any = findings.world
    if not len(getattr(world, "positions", ())):
        return None
    places = {int(state): name for name, state in world.places.items()}
    x, y = np.round(world.positions, 4).T.tolist()
    unit = shortest_corridor(world) if len(world.links) else 1.0
    return {"figure": json.loads(ground_map(world).to_json()), "x": x, "y": y, "unit": unit, "places": places}
