"""Complex numbers put together on a device, element by element."""

from __future__ import annotations

from typing import Any


def complex_number(real: Any, imag: Any) -> Any:
    """real + imag i."""
    return complex(real, imag)
