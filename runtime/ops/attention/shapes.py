"""Shape rules of attention."""

from typing import Any

from ...shapes import Shape


def attended(self: Any, key: Any, value: Any, *rest: Any) -> list[Shape]:
    rows_first = rest[-1]
    batch, first, second = self.shape[:3]
    numbers = (batch, second, first) if rows_first else (batch, first, second)
    return [(batch, first, second, value.shape[3]), numbers]


def attended_to_itself(self: Any, heads: int, *rest: Any) -> list[Shape]:
    batch, rows, features = self.shape
    return [(batch, rows, features // 3), (batch, heads, rows)]
