"""What products on a device compute of each element."""

from typing import Any


def product(x: Any, y: Any) -> Any:
    return x * y
