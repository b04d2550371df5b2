"""Four numbers at a time, for compiled loops: what a processor does in one instruction, said so that it must.

Left to itself the compiler joins sums and products into such instructions here and not there, and may not reorder a
sum to do so. A ``Four`` lives in a register; arrays are read and written at a place counted through all their numbers,
and must be contiguous. On processors that take two or eight at a time the answers have the same bits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.extending import intrinsic, register_model

VECTOR = ir.VectorType(ir.DoubleType(), 4)
LANE = ir.IntType(32)
FENCE = "llvm.arithmetic.fence.v4f64"
"""No instruction, but keeps two fours from being read as one eight: of two that were just written one by one, the
processor would have to wait for both to reach its cache."""


class FourType(types.Type):
    """The type of four numbers."""

    def __init__(self) -> None:
        super().__init__("Four")


four_type = FourType()


@register_model(FourType)
class FourModel(models.PrimitiveModel):
    """To the compiler, a vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, VECTOR)


def _place(context: Any, builder: Any, array_type: Any, array: Any, at: Any) -> Any:
    """Where four numbers of an array lie."""
    data = context.make_array(array_type)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), VECTOR.as_pointer())


@intrinsic
def _read(typing_context: Any, array: Any, at: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        loaded = builder.load(_place(context, builder, signature.args[0], *arguments))
        loaded.align = 8
        fence = ir.FunctionType(VECTOR, [VECTOR])
        return builder.call(cgutils.get_or_insert_function(builder.module, fence, FENCE), [loaded])

    return four_type(array, types.intp), generate


@intrinsic
def _write(typing_context: Any, array: Any, at: Any, x: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, at, x = arguments
        builder.store(x, _place(context, builder, signature.args[0], array, at)).align = 8
        return context.get_dummy_value()

    return types.void(array, types.intp, four_type), generate


@intrinsic
def _all(typing_context: Any, number: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        one = builder.insert_element(ir.Constant(VECTOR, ir.Undefined), arguments[0], LANE(0))
        return builder.shuffle_vector(
            one, ir.Constant(VECTOR, ir.Undefined), ir.Constant(ir.VectorType(LANE, 4), [0] * 4)
        )

    return four_type(types.float64), generate


@intrinsic
def _times(typing_context: Any, x: Any, y: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.fmul(*arguments)

    return four_type(four_type, four_type), generate


@intrinsic
def _plus(typing_context: Any, x: Any, y: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.fadd(*arguments)

    return four_type(four_type, four_type), generate


@intrinsic
def _fused(typing_context: Any, x: Any, y: Any, z: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(VECTOR, [VECTOR] * 3), "llvm.fma.v4f64"
        ) and builder.call(builder.module.globals["llvm.fma.v4f64"], arguments)

    return four_type(four_type, four_type, four_type), generate


@intrinsic
def _moved_on(typing_context: Any, before: Any, x: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.shuffle_vector(*arguments, ir.Constant(ir.VectorType(LANE, 4), [3, 4, 5, 6]))

    return four_type(four_type, four_type), generate


@intrinsic
def _moved_back(typing_context: Any, x: Any, after: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        return builder.shuffle_vector(*arguments, ir.Constant(ir.VectorType(LANE, 4), [1, 2, 3, 4]))

    return four_type(four_type, four_type), generate


@intrinsic
def _sum(typing_context: Any, x: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
        a, b, c, d = (builder.extract_element(arguments[0], LANE(n)) for n in range(4))
        return builder.fadd(builder.fadd(a, b), builder.fadd(c, d))

    return types.float64(four_type), generate


def _lane(number: int) -> Any:
    """A function that gives one of the four numbers."""

    @intrinsic
    def lane(typing_context: Any, x: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            return builder.extract_element(arguments[0], LANE(number))

        return types.float64(four_type), generate

    return lane


third, fourth = _lane(2), _lane(3)
read: Any = _read
write: Any = _write
everywhere: Any = _all
times: Any = _times
plus: Any = _plus
fused: Any = _fused
moved_on: Any = _moved_on
moved_back: Any = _moved_back
total: Any = _sum
