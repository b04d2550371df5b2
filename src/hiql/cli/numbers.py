"""Lists of whole numbers as people type them."""

from __future__ import annotations

import re

from hiql.engine.how_many import AUTO
from hiql.errors import InvalidNumberOfIntentions, InvalidParameter

PART = re.compile(r"(\d+)(?:-(\d+))?")


def whole_numbers(text: str, parameter: str) -> tuple[int, ...]:
    """(1, 2, 3, 5) from "1-3,5"; sorted, each once."""
    parts = [PART.fullmatch(part.strip()) for part in text.split(",")]
    ranges = [range(int(part[1]), int(part[2] or part[1]) + 1) for part in parts if part]
    numbers = sorted({number for numbers in ranges for number in numbers})
    if not all(parts) or not all(ranges) or len(numbers) > 1000:
        raise InvalidParameter(parameter=parameter, value=text, remedy="write whole numbers such as 1-5 or 1,2,4")
    return tuple(numbers)


def number_or_auto(text: str) -> int | str:
    """3 from "3", and "auto" from itself."""
    if not text.strip().isdecimal() and text != AUTO:
        raise InvalidNumberOfIntentions(n_intentions=text, remedy=f'choose a whole number ≥ 1, or "{AUTO}"')
    return AUTO if text == AUTO else int(text)
