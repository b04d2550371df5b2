"""``hiql live``: a model in a running experiment, over a pipe. One line of JSON in, one line of JSON out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Annotated, Any, BinaryIO

import typer

from hiql.cli.inputs import ModelFile
from hiql.errors import HiqlError, InvalidParameter
from hiql.models.intention_model import IntentionModel
from hiql.models.live import Live
from hiql.models.persistence import load

LONGEST = 1 << 20
"""Bytes of a line. What is longer is no step, and is not kept in memory."""
STEP, MOMENT = {"state", "action", "inputs", "contexts", "outcome"}, {"state", "inputs", "contexts"}


def live(
    model: ModelFile,
    subject: Annotated[str | None, typer.Option(help="The animal; one the model never met is the population.")] = None,
) -> None:
    """Follow an animal while it behaves: steps from standard input, what it wants to standard output.

    Every line is a JSON object, and has one line in answer, which is flushed at once. A step: {"state": 3, "action": 1}
    gives {"step": 1, "posterior": [0.9, 0.1]}, the probability of each intention given the steps so far. inputs,
    contexts and outcome may be given, too; null is not observed. What comes next: {"predict": {"state": 4}} gives
    {"prediction": [0.2, 0.8]}, the probability of each action, and changes nothing. {"reset": true} begins a session;
    with "subject": "m2" that of another animal. A line that cannot be understood gives {"error": …, "line": …} and
    changes nothing.

    Example: hiql live model.hiql --subject m1
    """
    for answer in Conversation(load(model), subject).answers(sys.stdin.buffer):
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


class Conversation:
    """A model, whom it follows, and the steps of this session so far."""

    def __init__(self, model: IntentionModel, subject: str | None = None) -> None:
        self._model = model
        self._live: Live = model.live(subject)
        self._n_steps = 0

    def answers(self, lines: BinaryIO) -> Iterator[dict[str, Any]]:
        """The answer to each line, one by one."""
        for number, line in enumerate(_lines(lines), 1):
            try:
                yield self._answer(_understood(line))
            except HiqlError as error:
                yield {"error": str(error), "line": number}

    def _answer(self, told: dict[str, Any]) -> dict[str, Any]:
        if "predict" in told:
            _only("predict", told, {"predict"})
            return {"prediction": self._live.predict(**_only("predict", told["predict"], MOMENT)).tolist()}
        if "reset" in told:
            return self._reset(_only("reset", told, {"reset", "subject"}))
        posterior = self._live.step(**_only("a step", told, STEP))
        self._n_steps += 1
        return {"step": self._n_steps, "posterior": posterior.tolist()}

    def _reset(self, told: dict[str, Any]) -> dict[str, Any]:
        if told["reset"] is not True:
            raise InvalidParameter(parameter="reset", value=told["reset"], remedy="write true")
        if "subject" in told:
            if not isinstance(told["subject"], str | None):
                raise InvalidParameter(parameter="subject", value=told["subject"], remedy="write its name, or null")
            self._live = self._model.live(told["subject"])
        self._live.reset()
        self._n_steps = 0
        return {"reset": True}


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Line by line, as each arrives; of one that is too long only the beginning."""
    while line := stream.readline(LONGEST + 1):
        rest = line
        while len(rest) > LONGEST and not rest.endswith(b"\n"):
            rest = stream.readline(LONGEST + 1)
        yield line


def _understood(line: bytes) -> dict[str, Any]:
    """A line as a JSON object."""
    try:
        told = json.loads(line.decode()) if len(line) <= LONGEST else None
    except (ValueError, RecursionError):  # no UTF-8, no JSON, too deep, too many digits
        told = None
    if not isinstance(told, dict):
        shown = line[:60].decode(errors="replace").rstrip("\n")
        remedy = 'write an object of JSON in one line, such as {"state": 3, "action": 1}'
        raise InvalidParameter(parameter="the line", value=shown, remedy=remedy)
    return told


def _only(what: str, told: Any, known: set[str]) -> dict[str, Any]:
    """The object, if it has no other fields than these: a misspelt one would be missed in silence."""
    if not isinstance(told, dict) or not set(told) <= known:
        shown = sorted(set(told) - known) if isinstance(told, dict) else told
        raise InvalidParameter(parameter=what, value=shown, remedy=f"write only {', '.join(sorted(known))}")
    return told
