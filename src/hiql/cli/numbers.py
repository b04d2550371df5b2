"""Lists of whole numbers as people type them."""

from __future__ import annotations

import re

from hiql.errors import InvalidParameter

PART = re.compile(r"(\d+)(?:-(\d+))?")


def whole_numbers(text: str, parameter: str) -> tuple[int, ...]:
    """(1, 2, 3, 5) from "1-3,5"; sorted, each once."""
    parts = [PART.fullmatch(part.strip()) for part in text.split(",")]
    ranges = [range(int(part[1]), int(part[2] or part[1]) + 1) for part in parts if part]
    numbers = sorted({number for numbers in ranges for number in numbers})
    if not all(parts) or not all(ranges) or len(numbers) > 1000:
        raise InvalidParameter(parameter=parameter, value=text, remedy="write whole numbers such as 1-5 or 1,2,4")
    return tuple(numbers)
