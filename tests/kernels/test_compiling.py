from __future__ import annotations

import pytest
from numba import config, njit
from numba.core.errors import TypingError

from hiql.kernels.compiling import packed


def test_the_option_holds_for_one_compilation_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []

    @packed
    @njit
    def double(x):  # type: ignore[no-untyped-def]
        return 2 * x

    compile_function = double._compiler.compile
    monkeypatch.setattr(
        double._compiler, "compile", lambda *args: seen.append(config.SLP_VECTORIZE) or compile_function(*args)
    )
    before = config.SLP_VECTORIZE
    assert double(21) == 42
    assert seen == [1]
    assert before == config.SLP_VECTORIZE


def test_a_compilation_that_fails_leaves_the_option_as_it_was() -> None:
    @packed
    @njit
    def nonsense(x):  # type: ignore[no-untyped-def]
        return x.no_such_thing

    before = config.SLP_VECTORIZE
    with pytest.raises(TypingError):
        nonsense(1.0)
    assert before == config.SLP_VECTORIZE
