"""The natural logarithm as plain arithmetic, which the compiler does for several numbers at once.

The library's own is called for one number after another, and took most of the time of a pass over few data.
"""

from __future__ import annotations

from typing import Any

from numba import types
from numba.extending import intrinsic

from hiql.kernels.registers import fma, inlined

LN2_HIGH, LN2_LOW = 0.693147180369123816490, 1.90821492927058770002e-10
"""log 2 in two parts; whole multiples of the first are exact."""
SQRT2 = 1.4142135623730951
FRACTION, ONE = (1 << 52) - 1, 1023 << 52
"""The bits of a number's fraction, and those of 1.0."""


def _same_bits(source: Any, target: Any) -> Any:
    """A function that reads the bits of one type as another."""

    @intrinsic
    def cast(typing_context: Any, x: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            return builder.bitcast(arguments[0], context.get_value_type(target))

        return target(source), generate

    return cast


_bits, _number = _same_bits(types.float64, types.int64), _same_bits(types.int64, types.float64)


@inlined
def log(x):  # type: ignore[no-untyped-def]
    """log x of a positive number above 1e-300, to the last bit or two; some finite number for 0.

    With x = 2ⁿ m, √½ < m ≤ √2 and s = (m − 1)/(m + 1): log x = n log 2 + 2 (s + s³/3 + s⁵/5 + …), |s| < 0.172.
    """
    bits = _bits(x)
    n = (bits >> 52) - 1023
    m = _number((bits & FRACTION) | ONE)
    above = m > SQRT2
    m = 0.5 * m if above else m
    n = n + 1 if above else n
    s = (m - 1.0) / (m + 1.0)
    z = s * s
    tail = fma(z, 1 / 21, 1 / 19)
    tail = fma(z, tail, 1 / 17)
    tail = fma(z, tail, 1 / 15)
    tail = fma(z, tail, 1 / 13)
    tail = fma(z, tail, 1 / 11)
    tail = fma(z, tail, 1 / 9)
    tail = fma(z, tail, 1 / 7)
    tail = fma(z, tail, 1 / 5)
    tail = fma(z, tail, 1 / 3)
    twice = 2.0 * s
    return n * LN2_HIGH + (twice + fma(twice * z, tail, n * LN2_LOW))
