"""Small vectors and matrices for compiled loops that live in processor registers.

numba's own arrays lie on the heap, where every write might change every other array, so that each value is stored and
loaded anew at each step. These lie on the stack, in a size known to the compiler, which then keeps them in registers.
They must not outlive the function that makes them.
"""

from __future__ import annotations

from typing import Any

from numba import carray, njit, types
from numba.core import cgutils
from numba.extending import intrinsic

inlined = njit(nogil=True, error_model="numpy", forceinline=True)
"""For the small parts of a loop: they become part of their caller."""


@intrinsic
def _fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    """a b + c, rounded once.

    Left to itself the compiler would fuse products and sums here and not there, as it happens to inline; then the last
    bits of a result would depend on what had been compiled before. So we say where, and allow it nothing else.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.fma(*arguments)

    return types.float64(types.float64, types.float64, types.float64), generate


fma: Any = _fma


def _floats_on_stack(power: int) -> Any:
    """A function that gives a pointer to K^power floats on the stack of its caller, of a tuple of K numbers."""

    @intrinsic
    def room(typing_context: Any, like: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            return cgutils.alloca_once(builder, context.get_value_type(types.float64), size=like.count**power)

        return types.CPointer(types.float64)(like), generate

    return room


_vector_room, _matrix_room = _floats_on_stack(1), _floats_on_stack(2)


@njit(inline="always")  # unlike ``inlined``, this copies the source, so that the stack is indeed the caller's
def vector(like):  # type: ignore[no-untyped-def]
    """(K,) zeros; ``like`` is a tuple of K numbers."""
    room = carray(_vector_room(like), (len(like),))
    for k in range(len(like)):
        room[k] = 0.0
    return room


@njit(inline="always")
def matrix(like):  # type: ignore[no-untyped-def]
    """(1, K, K) zeros: a bank of one matrix; ``like`` is a tuple of K numbers."""
    room = carray(_matrix_room(like), (1, len(like), len(like)))
    for i in range(len(like)):
        for j in range(len(like)):
            room[0, i, j] = 0.0
    return room
