"""References of statistics and of what runs along a dimension."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from .references import axes_of, reduction, variance


def placed(index: Callable[[Any], Any]) -> Callable[..., Any]:
    """The element of each row at a place that depends on the row, and the place; of all elements the element alone."""

    def reference(self: Any, dim: int | None = None, keepdim: bool = False) -> Any:
        if dim is None:
            return self.reshape(-1)[index(self.reshape(-1))]
        if self.ndim == 0:
            return self, np.zeros((), np.int64)
        empty = np.zeros([1 if d == dim % self.ndim else n for d, n in enumerate(self.shape)], np.int64)
        positions = np.expand_dims(np.apply_along_axis(index, dim, self), dim) if self.size else empty
        values = np.take_along_axis(self, positions, dim)
        return (values, positions) if keepdim else (values.squeeze(dim), positions.squeeze(dim))

    return reference


def place_of_median(row: Any) -> Any:
    """In the middle of a stable sort; the first nan where there is one."""
    missing = np.flatnonzero(row != row)
    return missing[0] if len(missing) else np.argsort(row, kind="stable")[(len(row) - 1) // 2]


def place_of_nanmedian(row: Any) -> Any:
    """In the middle of those that are not nan."""
    return np.argsort(row, kind="stable")[max((row == row).sum() - 1, 0) // 2]


def place_of_mode(row: Any) -> Any:
    """The last place of the least element among those that occur most often."""
    values, counts = np.unique(row, return_counts=True, equal_nan=False)
    found = np.flatnonzero(row == values[counts.argmax()])
    return found[-1] if len(found) else 0


def with_mean(std_of: Callable[[Any], Any]) -> Callable[..., Any]:
    """The variance or its square root, and the mean."""

    def reference(self: Any, dim: Any = None, unbiased: bool = True, keepdim: bool = False, **correction: Any) -> Any:
        expanded = variance(self, dim, keepdim=keepdim, unbiased=unbiased, **correction)
        return std_of(expanded), np.mean(self, axis=axes_of(self, dim), keepdims=keepdim)

    return reference


def running(extreme: Any) -> Callable[..., Any]:
    """Running extrema, and where they last occurred."""

    def reference(self: Any, dim: int) -> Any:
        if self.ndim == 0:
            return self, np.zeros((), np.int64)
        values = extreme.accumulate(self, dim)
        rows, best = np.moveaxis(self, dim, 0), np.moveaxis(values, dim, 0)
        positions = np.zeros(rows.shape, np.int64)
        for i in range(len(rows)):
            positions[i] = np.where((rows[i] == best[i]) | (rows[i] != rows[i]), i, positions[i - 1])
        return values, np.moveaxis(positions, 0, dim)

    return reference


def recurrence(self: Any, factor: Any, dim: int, reverse: bool) -> Any:
    """y_i = x_i + f_i y_(i-1), one after the other."""
    result = self.copy()
    rows, factors = (np.moveaxis(a, dim, 0)[:: -1 if reverse else 1] if a.ndim else a for a in (result, factor))
    for i in range(1, len(rows) if self.ndim else 0):
        rows[i] += factors[i] * rows[i - 1]
    return result


def logcumsumexp(self: Any, dim: int) -> Any:
    """SciPy's logsumexp of all up to each element."""
    if not self.size or self.ndim == 0:
        return self
    rows = np.moveaxis(self, dim, 0)
    return np.moveaxis(np.stack([special.logsumexp(rows[: i + 1], axis=0) for i in range(len(rows))]), 0, dim)


def minmax(self: Any, dim: int | None = None, keepdim: bool = False) -> Any:
    """The least and the greatest element."""
    return tuple(function(self, axis=axes_of(self, dim), keepdims=keepdim) for function in (np.min, np.max))


STATISTICS: dict[str, Callable[..., Any]] = {
    "median": placed(place_of_median),
    "nanmedian": placed(place_of_nanmedian),
    "mode": lambda self, dim=-1, keepdim=False: placed(place_of_mode)(self, dim, keepdim),
    "nansum": reduction(lambda x, **k: np.nansum(x if x.dtype.kind in "fc" else x.astype(np.int64), **k)),
    "nanmean": reduction(np.nanmean),
    "var_mean": with_mean(lambda x: x),
    "std_mean": with_mean(np.sqrt),
    "aminmax": minmax,
    "count_nonzero": lambda self, dim=None: np.count_nonzero(self, axis=axes_of(self, dim)),
    "cumprod": lambda self, dim: np.cumprod(self, dim).reshape(self.shape) if self.ndim else self.copy(),
    "cummax": running(np.maximum),
    "cummin": running(np.minimum),
    "logcumsumexp": logcumsumexp,
    "linear_recurrence": recurrence,
}
