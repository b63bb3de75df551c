"""Compares arrays up to rounding, and shows the element that differs most with as many digits as that takes."""

from __future__ import annotations

from typing import Any

import numpy as np


def largest(array: np.ndarray) -> float:
    """The largest finite magnitude; 0 in an array without any."""
    return float(np.abs(array[np.isfinite(array)]).astype(np.float64).max(initial=0.0))


def close(a: np.ndarray, b: np.ndarray, relative: float, absolute: float) -> bool:
    """Whether the elements of two arrays of any dtypes differ by no more than that; nan equals nan."""
    wide = np.complex128
    return bool(np.allclose(a.astype(wide), b.astype(wide), rtol=relative, atol=absolute, equal_nan=True))


def worst(a: np.ndarray, b: np.ndarray) -> tuple[tuple[int, ...], str, str]:
    """The index of the element in which two arrays differ most, and both values there."""
    wide, other = a.astype(np.complex128), b.astype(np.complex128)
    error = np.where(wide == other, 0, np.nan_to_num(np.abs(wide - other), nan=np.inf))
    error = np.where(np.isnan(wide) & np.isnan(other), 0, error)
    index = tuple(map(int, np.unravel_index(int(np.argmax(error)), a.shape)))
    return index, *both(a[index], b[index])


def relative_error(a: Any, b: Any) -> float:
    """|a - b| of |a| + |b|, in [0, 1]; infinite where one is not finite."""
    size = float(abs(a - b) / (abs(a) + abs(b) + 1e-300))
    return size if np.isfinite(size) else float("inf")


def both(a: Any, b: Any) -> tuple[str, str]:
    """Two numbers with as many digits as it takes to tell them apart."""
    for digits in range(3, 18):
        shown = number(a, digits), number(b, digits)
        if shown[0] != shown[1]:
            break
    return shown


def number(value: Any, digits: int = 4) -> str:
    """A number to so many digits; complex numbers as Python writes them."""
    value = complex(value)
    if value.imag == 0:
        return f"{value.real:.{digits}g}"
    return f"({value.real:.{digits}g}{value.imag:+.{digits}g}j)"
