"""Worlds by name or from a file, as the command line takes them; and how data in labels fit a world in codes."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Hashable
from os import PathLike
from typing import Any

import numpy as np
from scipy import sparse

from hiql.data.coding import Coding, Labels, has_words
from hiql.data.trajectories import Trajectories
from hiql.errors import BadWorldFile, InvalidParameter, NotInWorld, UnknownLabel
from hiql.worlds.gridworld import gridworld
from hiql.worlds.labyrinth import labyrinth
from hiql.worlds.mdp import MDP, World

DRAWING = {"positions", "links", "place_names"}
GRID = re.compile(r"grid:(\d+)x(\d+)")


def named_world(name: str, discount: float | None = None) -> World:
    """The world "labyrinth", or "grid:5x5" for an open grid of width × height cells."""
    options: dict[str, Any] = {} if discount is None else {"discount": discount}
    if name == "labyrinth":
        return labyrinth(**options)
    if sides := GRID.fullmatch(name):
        return gridworld((int(sides[1]), int(sides[2])), **options)
    raise InvalidParameter(
        parameter="world", value=name, remedy="choose labyrinth or grid:WIDTHxHEIGHT, or give a file of transitions"
    )


def load_world(path: str | PathLike[str], discount: float | None = None) -> tuple[MDP, Coding]:
    """Transitions from an .npz file, and what its states and actions are called.

    The file is made by ``np.savez(path, transitions=P)`` with P (S, A, S); it may also hold ``discount``, ``states``
    and ``actions`` (labels as they stand in your table, in the order of P); and for maps and names ``positions``
    (S, 2), ``links`` (L, 2) if it is a maze, ``place_names`` and ``place_states``. Large worlds:
    ``scipy.sparse.save_npz(path, scipy.sparse.vstack(matrices))`` with one (S, S) matrix an action.
    """
    arrays = _arrays(path)
    try:
        transitions = _transitions(arrays)
        gamma = discount if discount is not None else float(arrays.get("discount", 0.99))
        drawing = _drawing(arrays)
    except (KeyError, ValueError, IndexError, TypeError) as error:
        raise BadWorldFile(path=path, problem=f"it does not hold a world ({error})") from error
    mdp = World(transitions, gamma, **drawing) if DRAWING & set(arrays) else MDP(transitions, gamma)
    labels = {name: _labels(arrays, name, size, path) for name, size in _sizes(mdp).items()}
    return mdp, Coding(mdp.n_states, mdp.n_actions, labels["states"], labels["actions"])


def coding_of(world: MDP) -> Coding:
    """The labels of a world: its actions may have names."""
    names = getattr(world, "action_names", ()) or None
    return Coding(world.n_states, world.n_actions, None, names)


def in_codes_of(world: Coding, data: Trajectories) -> Trajectories:
    """The data in the codes of a world, by label; where the world has words and the table numbers, these are codes."""
    states = _labels_for("states", data.state_labels, world.state_labels)
    actions = _labels_for("actions", data.action_labels, world.action_labels)
    try:
        return Coding(world.n_states, world.n_actions, states, actions).recode(data)
    except UnknownLabel as error:
        raise NotInWorld(**error.details) from error


def _labels_for(what: str, data: Labels, world: Labels) -> Labels:
    if has_words(data) and world is None:
        remedy = f"tell which is which: np.savez(FILE, transitions=P, {what}=[…]), in the order of P"
        raise InvalidParameter(
            parameter=f"the table has names of {what}; labels of the world", value=None, remedy=remedy
        )
    return world if has_words(data) or not has_words(world) else None


def _arrays(path: str | PathLike[str]) -> dict[str, Any]:
    try:
        content = np.load(path, allow_pickle=False)
        if isinstance(content, np.ndarray):
            return {"transitions": content}
        with content:
            return {name: content[name] for name in content.files}
    except FileNotFoundError:
        raise BadWorldFile(path=path, problem="there is no such file") from None
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, KeyError) as error:
        raise BadWorldFile(path=path, problem=f"it is not an .npz file of plain arrays ({error})") from error


def _transitions(arrays: dict[str, Any]) -> Any:
    if "indptr" in arrays:
        kind = {b"csr": sparse.csr_array, b"csc": sparse.csc_array}[bytes(arrays["format"])]
        stacked = kind((arrays["data"], arrays["indices"], arrays["indptr"]), tuple(arrays["shape"]))
        stacked.check_format(full_check=True)
        stacked = sparse.csr_array(stacked)
        n_states = stacked.shape[1]
        if stacked.shape[0] % n_states:
            raise ValueError(f"shape {stacked.shape} is not (actions · states, states)")
        return [stacked[first : first + n_states] for first in range(0, stacked.shape[0], n_states)]
    return arrays["transitions"]


def _drawing(arrays: dict[str, Any]) -> dict[str, Any]:
    """What a world needs to be drawn and its intentions to be named."""
    places = zip(arrays.get("place_names", ()), arrays.get("place_states", ()), strict=True)
    return {
        "positions": arrays.get("positions", np.zeros((0, 2))),
        "links": arrays.get("links", np.zeros((0, 2), dtype=np.int64)),
        "action_names": tuple(str(name) for name in arrays.get("actions", ())),
        "places": {str(name): int(state) for name, state in places},
    }


def _sizes(mdp: MDP) -> dict[str, int]:
    return {"states": mdp.n_states, "actions": mdp.n_actions}


def _labels(arrays: dict[str, Any], name: str, size: int, path: object) -> tuple[Hashable, ...] | None:
    if name not in arrays:
        return None
    labels = tuple(arrays[name].ravel().tolist())
    if len(labels) != size or len(set(labels)) != size:
        raise BadWorldFile(path=path, problem=f"it has {len(set(labels))} different {name}, its transitions {size}")
    return labels
