"""Do data, world and model speak of the same states and actions?"""

from __future__ import annotations

from typing import Protocol

from hiql.data.trajectories import Trajectories
from hiql.errors import DataDoesNotFitModel, InvalidParameter


class _Sized(Protocol):
    @property
    def n_states(self) -> int: ...
    @property
    def n_actions(self) -> int: ...


def check_sizes(data: _Sized, n_states: int, n_actions: int) -> None:
    """Raise unless the data (or the world) have these numbers of states and actions."""
    for field, size in (("n_states", n_states), ("n_actions", n_actions)):
        if getattr(data, field) != size:
            raise DataDoesNotFitModel(field=field, data=getattr(data, field), model=size)


def check_trajectories(data: object) -> None:
    """Raise unless this is a ``Trajectories``, saying how to make one."""
    if not isinstance(data, Trajectories):
        raise InvalidParameter(
            parameter="data",
            value=type(data).__name__,
            remedy="give hiql.Trajectories: from_arrays(states, actions), from_dataframe(table), hiql.read_table(path)",
        )
