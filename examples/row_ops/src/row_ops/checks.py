"""What the spec names under `check`: normalised arguments, or an error that says what was expected."""

from typing import Any

from specgrad.runtime.dispatch.argument_checks import wrap_dim


def rows_of_some(name: str, rows: Any, power: float, dim: int) -> tuple[Any, float, int]:
    """Rows of one number at least, and a power that is not 0."""
    _demand_rows(name, rows)
    dim = wrap_dim(name, dim, rows.ndim)
    if not rows.shape[dim] or not power:
        raise RuntimeError(f"{name}(): expected rows of numbers and a power, but got {rows.shape[dim]} and {power}")
    return rows, power, dim


def weighted_rows(name: str, rows: Any, weight: Any, dim: int) -> tuple[Any, Any, int]:
    """A weight for each place along `dim`."""
    _demand_rows(name, rows)
    dim = wrap_dim(name, dim, rows.ndim)
    _demand_one_each(name, rows.shape[dim], weight)
    return rows, weight, dim


def rows_and_gain(name: str, rows: Any, gain: Any, eps: float) -> tuple[Any, Any, float]:
    """A gain for each place in a row."""
    _demand_rows(name, rows)
    _demand_one_each(name, rows.shape[-1], gain)
    return rows, gain, eps


def _demand_rows(name: str, rows: Any) -> None:
    if not rows.ndim:
        raise RuntimeError(f"{name}(): expected rows, but got a single number")


def _demand_one_each(name: str, length: int, numbers: Any) -> None:
    if tuple(numbers.shape) != (length,) or not length:
        found = tuple(numbers.shape)
        raise RuntimeError(f"{name}(): expected one number for each place of rows of {length}, but got shape {found}")
