"""References of quantiles, differences, covariances and distances: see references.py."""

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
    slices = [x * min(1, maxnorm / (norm(x.reshape(-1), p) + 1e-7)) for x in np.moveaxis(self, dim, 0)]
    return np.moveaxis(np.stack(slices), 0, dim)


def fractional(self: Any, kernel_size: Any, output_size: Any, random_samples: Any) -> Any:
    """Window by window; where the maxima stand is left open."""
    spatial = len(kernel_size)
    batch = self if self.ndim == spatial + 2 else self[None]
    found = np.zeros((*batch.shape[:2], *output_size))
    for n, c, *place in np.ndindex(*found.shape):
        u = random_samples[n, c][::-1] if spatial == 2 else random_samples[n, c]
        window: list[slice] = []
        for i, size, kernel, windows, at in zip(place, batch.shape[2:], kernel_size, output_size, u, strict=True):
            step = (size - kernel) / max(windows - 1, 1)
            begin = size - kernel if i == windows - 1 else int((i + at) * step) - int(at * step)
            window.append(slice(begin, begin + kernel))
        found[(n, c, *place)] = batch[(n, c, *window)].max()
    return found.reshape(*self.shape[:-spatial], *output_size), None


PAIRS: dict[str, Callable[..., Any]] = {
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
    "poisson_nll_loss": reducing(poisson),
    "gaussian_nll_loss": reducing(gaussian),
    "soft_margin_loss": reducing(lambda self, target: np.log1p(np.exp(-self * target))),
    "hinge_embedding_loss": reducing(
        lambda self, target, margin: np.where(target == 1, self, np.maximum(0, margin - self))
    ),
    "margin_ranking_loss": reducing(
        lambda input1, input2, target, margin: np.maximum(0, margin - target * (input1 - input2))
    ),
    "cosine_similarity": cosine,
    "pairwise_distance": distance,
    "normalize": lambda self, p=2.0, dim=1, eps=1e-12: (
        self / np.maximum((np.abs(self) ** p).sum(dim, keepdims=True) ** (1 / p), eps)
    ),
    "triplet_margin_loss": reducing(triplet),
    "cosine_embedding_loss": reducing(cosine_embedding),
    "multi_margin_loss": reducing(multi_margin),
    "multilabel_margin_loss": reducing(multilabel_margin),
    "multilabel_soft_margin_loss": reducing(multilabel_soft_margin),
    "embedding_bag": bags,
    "lp_pool1d": pooled,
    "lp_pool2d": pooled,
    "lp_pool3d": pooled,
    "fractional_max_pool": fractional,
}
