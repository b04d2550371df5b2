"""A compiler option that numba has only for the whole process, for single functions."""

from __future__ import annotations

from typing import Any

import numba
from numba.core.compiler_lock import global_compiler_lock

config: Any = numba.config


def packed(function: Any) -> Any:
    """Let the compiler do several steps of unrolled arithmetic in one instruction ("superword-level parallelism").

    numba leaves this off unless ``NUMBA_SLP_VECTORIZE`` asks for it everywhere. In the smoother it saves a tenth of the
    time for K = 2 and nearly half for K = 5 (``benchmarks/estep.py`` compares with C, whose compiler does it, too).
    """
    compile_plainly = function.compile

    def compile_packed(signature: Any) -> Any:
        with global_compiler_lock:
            before = config.SLP_VECTORIZE
            config.SLP_VECTORIZE = 1
            try:
                return compile_plainly(signature)
            finally:
                config.SLP_VECTORIZE = before

    function.compile = compile_packed
    return function
