"""References of quantiles, differences, covariances and distances."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate
from scipy.spatial import distance


def quantile(function: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's quantile; where the rank lies in the middle NumPy's `midpoint` does not look at equal ranks."""

    def reference(
        self: Any, q: Any, dim: int | None = None, keepdim: bool = False, interpolation: str = "linear"
    ) -> Any:
        return function(self, q, axis=dim if self.ndim else None, keepdims=keepdim, method=interpolation)

    return reference


def diff(self: Any, n: int = 1, dim: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours."""
    added = {name: value for name, value in (("prepend", prepend), ("append", append)) if value is not None}
    return np.diff(self, n, dim, **added)


def area(function: Callable[..., Any]) -> Callable[..., Any]:
    """SciPy's rules of integration."""
    return lambda y, x=None, dx=1.0, dim=-1: function(y, x=x, dx=dx, axis=dim) if y.size else y + 0.0


def cov(self: Any, correction: int = 1, fweights: Any = None, aweights: Any = None) -> Any:
    """NumPy's covariances, of as many dimensions as PyTorch's."""
    return np.cov(self, ddof=correction, fweights=fweights, aweights=aweights).squeeze()


def norm(difference: Any, p: float, axis: int | None = None) -> Any:
    """The p-norm; of nothing 0."""
    return np.linalg.norm(difference, p, axis) if difference.size else np.abs(difference).sum(axis)


def cdist(x1: Any, x2: Any, p: float = 2.0, compute_mode: str = "") -> Any:
    """All differences at once."""
    return norm(x1[..., :, None, :] - x2[..., None, :, :], p, -1)


def renorm(self: Any, p: float, dim: int, maxnorm: float) -> Any:
    """Slice by slice."""
    lengths = [(x, norm(x.reshape(-1), p)) for x in np.moveaxis(self, dim, 0)]
    slices = [x * (maxnorm / (length + 1e-7) if length > maxnorm else 1) for x, length in lengths]
    return np.moveaxis(np.stack(slices), 0, dim)


DISTANCES: dict[str, Callable[..., Any]] = {
    "quantile": quantile(np.quantile),
    "nanquantile": quantile(np.nanquantile),
    "diff": diff,
    "trapezoid": area(integrate.trapezoid),
    "cumulative_trapezoid": area(integrate.cumulative_trapezoid),
    "cov": cov,
    "corrcoef": lambda self: np.corrcoef(self),
    "dist": lambda self, other, p=2: norm((self - other).reshape(-1), p),
    "cdist": cdist,
    "pdist": lambda self, p=2.0: (
        distance.pdist(self, "minkowski", p=p) if self.size else cdist(self, self)[[0, 0, 1], [1, 2, 2]]
    ),
    "renorm": renorm,
}
