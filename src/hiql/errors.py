"""The named exceptions. Each says what was wrong, where, with which value, and what to do about it.

All of them derive from ``ValueError`` and are raised before any work is done. They are built from keywords, which
stay readable on the exception and survive the trip through a worker process::

    raise ActionOutOfRange(action=7, session="m3/12", step=41, n_actions=4)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches
from typing import Any


class HiqlError(ValueError):
    """Base of all errors about input. ``details`` holds the keywords it was raised with."""

    describe: Callable[..., str]

    def __init__(self, **details: Any) -> None:
        self.details = details
        super().__init__(_readable(type(self).describe(**details)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.details)


def _readable(message: str, most: int = 1000) -> str:
    """A message whose values from a file are not longer than anyone reads; what it says is at its two ends."""
    return message if len(message) <= most else f"{message[: most // 2]} […] {message[-most // 2 :]}"


def _rebuild(kind: type[HiqlError], details: dict[str, Any]) -> HiqlError:
    return kind(**details)


# --- trajectories ---------------------------------------------------------------------------------------------


class StateOutOfRange(HiqlError):
    """A state code that is negative or not below ``n_states``."""

    @staticmethod
    def describe(state: int, session: str, step: int, n_states: int, field: str = "state") -> str:
        return (
            f"{field} {state} at session {session!r}, step {step}, is outside 0…{n_states - 1}; "
            f"recode states to 0…n_states-1 (-1 marks a missing one) or pass a larger n_states"
        )


class ActionOutOfRange(HiqlError):
    """An action code that is negative or not below ``n_actions``."""

    @staticmethod
    def describe(action: int, session: str, step: int, n_actions: int) -> str:
        return (
            f"action {action} at session {session!r}, step {step}, is outside 0…{n_actions - 1}; "
            f"recode actions to 0…n_actions-1 (-1 marks a missing one) or pass a larger n_actions"
        )


class NotAnInteger(HiqlError):
    """A code that is not a whole number."""

    @staticmethod
    def describe(field: str, value: object, session: str, step: int) -> str:
        return (
            f"{field} {value!r} at session {session!r}, step {step}, is not a whole number; "
            f"codes are integers 0…n-1 (NaN or -1 marks a missing one); round them, or code labels with "
            f"Trajectories.from_dataframe"
        )


class InputNotFinite(HiqlError):
    """An input that is NaN or infinite."""

    @staticmethod
    def describe(column: str, value: float, session: str, step: int) -> str:
        return (
            f"input {column!r} is {value} at session {session!r}, step {step}; correct it, or let steps with a missing "
            f'input carry no evidence (missing_inputs="skip"; --missing-inputs skip on the command line)'
        )


class BadColumns(HiqlError):
    """Columns of inputs or contexts that cannot be told apart or found."""

    @staticmethod
    def describe(what: str, remedy: str) -> str:
        return f"{what}; {remedy}"


class UnknownLabel(HiqlError):
    """A state or action that the model has never heard of."""

    @staticmethod
    def describe(field: str, label: str, session: str, step: int, known: str) -> str:
        return (
            f"{field} {label!r} at session {session!r}, step {step}, is not among those of the model: {known}; "
            f"correct it, fit a model to data that show it, or treat it as not observed (unknown_is_missing=True; "
            f"--unknown-is-missing on the command line)"
        )


class NotInWorld(UnknownLabel):
    """A state or action of a table that the world does not have."""

    @staticmethod
    def describe(field: str, label: str, session: str, step: int, known: str) -> str:
        return (
            f"{field} {label!r} at session {session!r}, step {step}, is not among those of the world: {known}; "
            f"correct it, name the {field}s of the world as your table does (np.savez(FILE, transitions=P, "
            f"{field}s=[…])), or, if it means not observed, say so (--missing {field}={label})"
        )


class DifferentLabels(HiqlError):
    """The same code means different things to the data and to the model."""

    @staticmethod
    def describe(field: str, code: int, data: object, model: object) -> str:
        return (
            f"{field} {code} is called {data!r} in the data but {model!r} in the model; "
            f"put the data into the model's codes: model.coding_.recode(data)"
        )


class UnequalLengths(HiqlError):
    """Two things that belong together, step by step or session by session, differ in length."""

    @staticmethod
    def describe(field: str, length: int, other: str, other_length: int, session: str | None = None) -> str:
        where = "" if session is None else f" in session {session!r}"
        return f"{field} has length {length} but {other} has length {other_length}{where}; give one for each"


class EmptyData(HiqlError):
    """There is nothing to work on."""

    @staticmethod
    def describe(what: str, remedy: str) -> str:
        return f"{what}; {remedy}"


class ColumnNotFound(HiqlError):
    """The table has no such column; near names are offered."""

    @staticmethod
    def describe(field: str, column: str, available: Sequence[str], remedy: str = "") -> str:
        names = {name.casefold(): name for name in map(str, available) if name}
        near = get_close_matches(str(column).strip().casefold(), names, n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(repr(names[name][:40]) for name in near)}? " if near else ""
        listing = ", ".join(" ".join(name.split())[:40] for name in list(names.values())[:20]) or "none that has a name"
        return f"no column {column!r} for {field}; {hint}the table has: {listing}{'; ' if remedy else ''}{remedy}"


class BadTable(HiqlError):
    """A table that cannot be read, or can be read in two ways."""

    @staticmethod
    def describe(what: str, remedy: str) -> str:
        return f"{what}; {remedy}"


class TableWarning(UserWarning):
    """Something about a table that may have been misread, although nothing in it is wrong."""


class DataFolderError(HiqlError):
    """A folder that does not hold trajectories, or cannot take them."""

    @staticmethod
    def describe(path: object, problem: str, remedy: str) -> str:
        return f"{path} as a folder of trajectories: {problem}; {remedy}"


class BadSessionFile(HiqlError):
    """A session file that cannot be imported; ``row`` counts its trials from 1."""

    @staticmethod
    def describe(path: str, problem: str, remedy: str, row: int | None = None) -> str:
        where = "" if row is None else f", row {row}"
        return f"{path}{where}: {problem}; {remedy}"


# --- worlds ---------------------------------------------------------------------------------------------------


class InvalidTransitions(HiqlError):
    """Transitions that are not probabilities of next states."""

    @staticmethod
    def describe(what: str, remedy: str = "make every P(s, a, ·) non-negative with sum 1") -> str:
        return f"transitions: {what}; {remedy}"


class InvalidDiscount(HiqlError):
    """A discount outside [0, 1)."""

    @staticmethod
    def describe(discount: object) -> str:
        return f"discount is {discount!r}; choose a number in [0, 1), for example 0.99 (with 1, values have no bound)"


class InvalidParameter(HiqlError):
    """An argument with a value that makes no sense."""

    @staticmethod
    def describe(parameter: str, value: object, remedy: str) -> str:
        return f"{parameter} is {value!r}; {remedy}"


class ShapeMismatch(HiqlError):
    """An array of the wrong shape."""

    @staticmethod
    def describe(field: str, shape: object, expected: object, remedy: str) -> str:
        return f"{field} has shape {shape} where {expected} is expected; {remedy}"


# --- models ---------------------------------------------------------------------------------------------------


class InvalidNumberOfIntentions(HiqlError):
    """A number of intentions that cannot be fitted to these data."""

    @staticmethod
    def describe(n_intentions: object, remedy: str) -> str:
        return f"n_intentions is {n_intentions!r}; {remedy}"


class DataDoesNotFitModel(HiqlError):
    """Data with other numbers of states or actions than the model's."""

    @staticmethod
    def describe(field: str, data: int, model: int) -> str:
        return (
            f"the data have {field} = {data} but the model was made for {field} = {model}; "
            f"build the data with {field}={model} (codes must mean the same in both) or fit a new model"
        )


class MissingExtra(HiqlError):
    """A feature whose optional packages are not installed."""

    @staticmethod
    def describe(what: str, extra: str) -> str:
        return f'{what} needs packages that are not installed; install them with: pip install "hiql[{extra}]"'


class BadWorldFile(HiqlError):
    """A file that does not hold a world."""

    @staticmethod
    def describe(path: object, problem: str) -> str:
        return (
            f"cannot read a world from {path}: {problem}; write it with np.savez(path, transitions=P), P of shape "
            f"(states, actions, states)"
        )


class ModelFileError(HiqlError):
    """A file that does not hold a model."""

    @staticmethod
    def describe(path: object, problem: str, remedy: str = "save the model again with model.save(path)") -> str:
        return f"{path} cannot be read as a hiql model: {problem}; {remedy}"


class DatasetUnavailable(HiqlError):
    """A published data set that is neither here nor to be had."""

    @staticmethod
    def describe(name: str, problem: str, remedy: str) -> str:
        return f"data set {name!r} is not available: {problem}; {remedy}"


class ParametersNotCounted(HiqlError):
    """A criterion that counts free parameters, asked of a model whose rows are pooled."""

    @staticmethod
    def describe(criterion: str) -> str:
        return (
            f"there is no {criterion} where rows are pooled: the learned prior ties them, and nobody can say how many "
            f'are free; compare held-out likelihoods (hiql.select(…, by="held-out"), --by held-out)'
        )


class ImpossibleSession(UserWarning):
    """A session that a model rules out: its log-likelihood is −inf. A warning, as that is a number like any other."""


class NoIntervals(HiqlError):
    """A part of the model that cannot draw its parameters, so that there are no intervals."""

    @staticmethod
    def describe(part: str) -> str:
        return (
            f"{part} cannot draw its parameters, so there are no intervals; choose parts whose M-step is counting, or "
            f"LinearChoice, or give {part} a method drawn(params, path, rng)"
        )


class NoDraws(HiqlError):
    """Intervals or draws were asked for, and there are neither draws nor data to draw with."""

    @staticmethod
    def describe(name: str) -> str:
        return (
            f"{name} has no draws, as this model was neither fitted here nor saved with any; "
            f"call sample_posterior(data) with the data of the fit"
        )


class ChainsNotMixed(UserWarning):
    """Draws of a posterior that do not tell it well enough: chains disagree, or are worth few independent draws."""


# --- sweeps ---------------------------------------------------------------------------------------------------


class ClusterUnavailable(HiqlError):
    """A Dask cluster that cannot be reached or used."""

    @staticmethod
    def describe(cluster: object, problem: str, remedy: str) -> str:
        return f"cluster {cluster!r} cannot be used: {problem}; {remedy}"
