"""The words of row programs on NumPy: what a program means. A program over rows x of shape (..., n) is the same
function of Python, given these words: folds keep their dimension as 1, so that numbers of a row stand beside its
elements."""

from typing import Any

import numpy as np

Row = np.ndarray  # all elements: (..., n)
Shared = np.ndarray  # one row for all: (n,)
Each = np.ndarray  # one number a row: (..., 1)
ElementIndex = np.ndarray  # the place of each element in its row: (n,)


def sum(x: Any) -> Any:
    """sum_i x_i."""
    return np.sum(x, -1, keepdims=True)


def prod(x: Any) -> Any:
    """prod_i x_i."""
    return np.prod(x, -1, keepdims=True)


def mean(x: Any) -> Any:
    """(1/n) sum_i x_i; nan of no elements."""
    return np.divide(sum(x), np.shape(x)[-1])


def max(x: Any) -> Any:
    """The greatest x_i, nan where one is; -inf of no elements."""
    return np.max(x, -1, keepdims=True, initial=-np.inf)


def min(x: Any) -> Any:
    """The least x_i, nan where one is; inf of no elements."""
    return np.min(x, -1, keepdims=True, initial=np.inf)


def argmax(x: Any) -> Any:
    """The first place of the greatest x_i, which is nan where one is."""
    return np.argmax(x, -1, keepdims=True)


def argmin(x: Any) -> Any:
    """The first place of the least x_i, which is nan where one is."""
    return np.argmin(x, -1, keepdims=True)


def any(x: Any) -> Any:
    """Whether some x_i is true."""
    return np.any(x, -1, keepdims=True)


def all(x: Any) -> Any:
    """Whether every x_i is true."""
    return np.all(x, -1, keepdims=True)


def at(x: Any, position: Any) -> Any:
    """The element at a place of each row, nan where there is none."""
    count = np.shape(x)[-1]
    inside = (np.asarray(position) >= 0) & (np.asarray(position) < count)
    if not count:
        return np.full(inside.shape, np.nan)
    row, where_ = np.broadcast_arrays(x, np.where(inside, position, 0))
    return np.where(inside, np.take_along_axis(row, where_, -1)[..., :1], np.nan)


def rounded(x: Any) -> Any:
    """x: what has no dtype has all digits."""
    return x


def sum_rows(x: Any) -> Any:
    """The sum over all rows, at each place."""
    return np.sum(x, tuple(range(np.ndim(x) - 1)))


def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, else y."""
    return np.where(condition, x, y)


def octave(x: Any) -> Any:
    """The power of two at |x| or below it; the smallest normal one of 0, 1 of inf."""
    power = np.ldexp(1.0, np.frexp(np.where(np.isfinite(x), x, 1))[1] - 1)
    return np.where(np.isnan(x), np.nan, np.maximum(power, np.finfo(np.asarray(x).dtype).tiny))


abs, sign, sqrt = np.abs, np.sign, np.sqrt
exp, expm1, log, log1p = np.exp, np.expm1, np.log, np.log1p
maximum, minimum = np.maximum, np.minimum
isnan, isinf, isneginf, isfinite = np.isnan, np.isinf, np.isneginf, np.isfinite
