from __future__ import annotations

import threading

import pytest

from hiql.engine.threads import map_in_threads


@pytest.mark.parametrize("n_threads", [1, 2, 3, 50])
@pytest.mark.parametrize("n_items", [0, 1, 2, 20])
def test_results_come_in_the_order_of_the_items(n_threads: int, n_items: int) -> None:
    assert map_in_threads(lambda x: x**2, range(n_items), n_threads) == [x**2 for x in range(n_items)]


def test_all_threads_work_and_the_caller_is_one_of_them() -> None:
    together = threading.Barrier(2, timeout=30)

    def meet(item: int) -> int:
        together.wait()
        return threading.get_ident()

    workers = map_in_threads(meet, range(2), 2)
    assert len(set(workers)) == 2
    assert threading.get_ident() in workers


@pytest.mark.parametrize("fails_at_home", [True, False])
def test_an_error_in_any_thread_reaches_the_caller(fails_at_home: bool) -> None:
    home, together = threading.get_ident(), threading.Barrier(2, timeout=30)

    def work(item: int) -> int:
        together.wait()
        if (threading.get_ident() == home) == fails_at_home:
            raise ValueError("no luck")
        return item

    with pytest.raises(ValueError, match="no luck"):
        map_in_threads(work, range(2), 2)
