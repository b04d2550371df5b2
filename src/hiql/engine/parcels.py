"""How a fit and a sweep send things to the workers of a Dask client, which may die at any moment."""

from __future__ import annotations

import pickle
import warnings
from dataclasses import dataclass
from typing import Any

from hiql.errors import InvalidParameter


@dataclass(frozen=True)
class Parcel:
    """A value that travels as one string of bytes, from the caller to a worker and from worker to worker.

    Left to Dask, its arrays would arrive as views at odd addresses of a message: slower to compute with, and the last
    bits of a result may change. ``n_bytes``, known after a journey, tells Dask what moving it costs.
    """

    value: Any
    n_bytes: int = 0

    def __reduce__(self) -> tuple[Any, ...]:
        import cloudpickle

        return _unpack, (cloudpickle.dumps(self.value),)

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.n_bytes


def _unpack(content: bytes) -> Parcel:
    """Called by Dask as it unpickles its own message, so this trusts no one whom Dask does not trust already."""
    return Parcel(pickle.loads(content), len(content))


def send_once(client: Any, value: Any) -> Any:
    """A future of a :class:`Parcel`, sent to the cluster once, which hands it on to the workers that need it.

    It is sent as a task rather than scattered. Dask cannot bring scattered data back when the worker that holds them
    dies; a task it runs again elsewhere. The price is that the scheduler remembers the parcel too.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph")  # large, but only once: that is the point
        return client.submit(_itself, Parcel(value), pure=False)


def _itself(parcel: Parcel) -> Parcel:
    return parcel


def check_client(client: Any) -> None:
    """Refuse what is not a connected, synchronous ``distributed.Client``."""
    has_methods = all(callable(getattr(client, name, None)) for name in ("submit", "gather"))
    if not has_methods or client.asynchronous or client.status != "running":
        raise InvalidParameter(
            parameter="client",
            value=type(client).__name__,
            remedy='give an open distributed.Client, for example Client("tcp://…"), made without asynchronous=True',
        )
