"""What the spec names under `check`: normalised arguments, or an error that says what was expected."""

from typing import Any


def rods(name: str, rods: Any, conductivity: Any) -> tuple[Any, Any]:
    """Rods of n points, and n - 1 conductivities, between neighbours."""
    expected = (rods.shape[-1] - 1,) if rods.ndim else None
    if tuple(conductivity.shape) != expected:
        shapes = f"{tuple(rods.shape)} and {tuple(conductivity.shape)}"
        raise RuntimeError(f"{name}(): expected rods (..., n) and conductivities (n - 1,), but got {shapes}")
    return rods, conductivity
