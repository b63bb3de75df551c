"""References of reductions and of linear algebra."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

Axes = int | tuple[int, ...] | None


def axes_of(self: Any, dim: Any) -> Axes:
    """NumPy's axis for a dim; None and [] mean all, and a 0-d array has one dimension."""
    if dim is None or dim in ([], ()) or self.ndim == 0:
        return None
    return tuple(dim) if isinstance(dim, list) else dim


def reduction(function: Callable[..., Any]) -> Callable[..., Any]:
    """A reference that reduces over some or all dimensions."""
    return lambda self, dim=None, keepdim=False: function(self, axis=axes_of(self, dim), keepdims=keepdim)


def wide(function: Callable[..., Any]) -> Callable[..., Any]:
    """As `reduction`, with integers and bools accumulated in int64."""
    return reduction(lambda x, **k: function(x if x.dtype.kind in "fc" else x.astype(np.int64), **k))


def variance(self: Any, dim: Any = None, correction: Any = 1, keepdim: bool = False, unbiased: bool = True) -> Any:
    """The variance with `count - correction` in the denominator."""
    correction = 0 if not unbiased else 1 if correction is None else correction
    return np.var(self, axis=axes_of(self, dim), ddof=correction, keepdims=keepdim)


def selection(function: Callable[..., Any], index: Callable[..., Any]) -> Callable[..., Any]:
    """max and min: the value alone, or values and indices over one dimension."""

    def reference(self: Any, dim: int | None = None, keepdim: bool = False) -> Any:
        if dim is None:
            return function(self)
        if self.ndim == 0:
            return self, np.zeros((), np.int64)
        return function(self, axis=dim, keepdims=keepdim), index(self, axis=dim, keepdims=keepdim)

    return reference


def selected_index(function: Callable[..., Any]) -> Callable[..., Any]:
    """argmax and argmin; of a 0-d array 0."""

    def reference(self: Any, dim: int | None = None, keepdim: bool = False) -> Any:
        return np.int64(0) if self.ndim == 0 else function(self, axis=dim, keepdims=keepdim)

    return reference


def norm(self: Any, p: Any = 2, dim: Any = None, keepdim: bool = False) -> Any:
    """(sum |x|^p)^(1/p); the greatest or least for p = inf and -inf, the number of non-zeros for p = 0."""
    if p == "nuc":
        return np.linalg.norm(self, "nuc", tuple(dim or (0, 1)), keepdim)
    size, axis = np.abs(self), axes_of(self, dim)
    if p in (np.inf, -np.inf):
        return (np.max if p > 0 else np.min)(size, axis=axis, keepdims=keepdim)
    if p == 0:
        return np.sum(size != 0, axis=axis, keepdims=keepdim).astype(size.dtype)
    p = 2 if p in (None, "fro") else p
    return np.sum(size**p, axis=axis, keepdims=keepdim) ** (1 / p)


def sum_to_size(self: Any, size: list[int]) -> Any:
    """Sums over what broadcasting `size` to the shape had added."""
    added = self.ndim - len(size)
    axes = (*range(added), *(i + added for i, n in enumerate(size) if n == 1 and self.shape[i + added] != 1))
    return self.sum(axis=axes).reshape(size)


def products(self: Any, first: Any, second: Any, beta: float = 1, alpha: float = 1) -> Any:
    """beta * self + alpha * first @ second; self does not count for beta = 0."""
    product = alpha * (first @ second) if alpha != 1 else first @ second
    return product + (beta * self if beta else np.zeros_like(self))


def prod_others(self: Any, dim: int) -> Any:
    """For each element the product of the others along `dim`."""
    if self.ndim == 0:
        return np.ones_like(self)
    found = [np.prod(np.delete(self, i, dim), axis=dim) for i in range(self.shape[dim])]
    return np.stack(found, dim) if found else self


REDUCTIONS: dict[str, Callable[..., Any]] = {
    "sum": wide(np.sum),
    "filled": lambda self, size: np.full(size, self),
    "prod": wide(np.prod),
    "prod_others": prod_others,
    "mean": reduction(np.mean),
    "var": variance,
    "std": lambda self, dim=None, **k: np.sqrt(variance(self, dim, **k)),
    "amax": reduction(np.max),
    "amin": reduction(np.min),
    "max": selection(np.max, np.argmax),
    "min": selection(np.min, np.argmin),
    "max.other": lambda self, other: np.maximum(self, other),
    "min.other": lambda self, other: np.minimum(self, other),
    "argmax": selected_index(np.argmax),
    "argmin": selected_index(np.argmin),
    "any": reduction(np.any),
    "all": reduction(np.all),
    "norm": norm,
    "logsumexp": lambda self, dim, keepdim=False: special.logsumexp(self, axes_of(self, dim), keepdims=keepdim),
    "cumsum": lambda self, dim: np.cumsum(self, dim).reshape(self.shape) if self.ndim else self.copy(),
    "sum_to_size": sum_to_size,
    "mm": lambda self, mat2: self @ mat2,
    "bmm": lambda self, mat2: self @ mat2,
    "mv": lambda self, vec: self @ vec,
    "dot": lambda self, tensor: self @ tensor,
    "outer": lambda self, vec2: np.outer(self, vec2),
    "matmul": lambda self, other: self @ other,
    "addmm": lambda self, mat1, mat2, **k: products(self, mat1, mat2, **k),
    "baddbmm": lambda self, batch1, batch2, **k: products(self, batch1, batch2, **k),
    "addbmm": lambda self, batch1, batch2, **k: products(
        self, np.moveaxis(batch1, 0, 1).reshape(batch1.shape[1], -1), batch2.reshape(-1, batch2.shape[2]), **k
    ),
    "addmv": lambda self, mat, vec, **k: products(self, mat, vec, **k),
}
