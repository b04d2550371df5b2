"""Work shared among threads: for compiled loops, which release the interpreter's lock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_in_threads(function: Callable[[Item], Result], items: Sequence[Item], n_threads: int) -> list[Result]:
    """``function`` of every item, in the order of the items; each thread takes the next one that is left.

    The calling thread works, too, instead of waiting: it is awake already, and the others have a core each.
    """
    n_helpers = min(n_threads, len(items)) - 1
    if n_helpers < 1:
        return [function(item) for item in items]
    results: dict[int, Result] = {}
    left = iter(enumerate(items))

    def work() -> None:
        for index, item in left:
            results[index] = function(item)

    with ThreadPoolExecutor(n_helpers) as pool:
        helpers = [pool.submit(work) for _ in range(n_helpers)]
        work()
        for helper in helpers:
            helper.result()
    return [results[index] for index in range(len(items))]
