"""References of losses with words for their reduction, and of distances."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats


def reducing(loss: Callable[..., Any]) -> Callable[..., Any]:
    """The reference of a loss from that of every value."""

    def reduced(*args: Any, reduction: str = "mean", weight: Any = None, **options: Any) -> Any:
        found = loss(*args, **options) if weight is None else loss(*args, weight=weight, **options)
        over = {"none": np.asarray, "mean": np.mean, "sum": np.sum}
        return found.sum() / (len(found) if found.ndim else 1) if reduction == "batchmean" else over[reduction](found)

    return reduced


def huber(self: Any, target: Any, delta: float = 1.0, weight: Any = 1) -> Any:
    """SciPy's, times the weight."""
    return weight * special.huber(delta, self - target)


def smooth_l1(self: Any, target: Any, beta: float = 1.0) -> Any:
    """Huber's over beta; without a parabola the absolute error."""
    return special.huber(beta, self - target) / beta if beta else abs(self - target)


def l1(self: Any, target: Any, reduction: str = "mean", weight: Any = None) -> Any:
    """The absolute error, a mean by weights."""
    if reduction == "none":
        return abs(self - target)
    return np.average(abs(self - target), weights=weight)


def poisson(self: Any, target: Any, log_input: bool = True, full: bool = False) -> Any:
    """Rate - t log(rate), and Stirling's formula for t > 1."""
    stirling = special.xlogy(target, target) - target + 0.5 * np.log(2 * np.pi * target)
    loss = np.exp(self) - target * self if log_input else self - target * np.log(self + 1e-8)
    return loss + np.where(target > 1, stirling, 0) * full


def gaussian(self: Any, target: Any, var: Any, full: bool = False) -> Any:
    """Minus the logarithm of the normal density, but for its constant."""
    var = var[..., None] if np.ndim(var) == 1 else var
    density = stats.norm.logpdf(target, self, np.sqrt(var))
    return -density - (0 if full else 0.5 * np.log(2 * np.pi))


def distance(x1: Any, x2: Any, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> Any:
    """The p-norm of the difference."""
    return np.linalg.norm(x1 - x2 + eps, p, -1, keepdims=keepdim)


def cosine(x1: Any, x2: Any, dim: int = 1, eps: float = 1e-8) -> Any:
    """The product over both lengths."""
    lengths = np.linalg.norm(x1, axis=dim) * np.linalg.norm(x2, axis=dim)
    return (x1 * x2).sum(dim) / np.maximum(lengths, eps)


def triplet(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: float = 1.0,
    p: float = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
) -> Any:
    """Nearer by a margin."""
    large = distance(anchor, negative, p, eps)
    large = np.minimum(large, distance(positive, negative, p, eps)) if swap else large
    return np.maximum(0, margin + distance(anchor, positive, p, eps) - large)


def cosine_embedding(input1: Any, input2: Any, target: Any, margin: float = 0.0) -> Any:
    """Of one direction, or not."""
    lengths = [np.hypot(np.linalg.norm(x, axis=-1), 1e-6) for x in (input1, input2)]
    cos = np.sum(input1 * input2, -1) / lengths[0] / lengths[1]
    return np.where(target == 1, 1 - cos, np.maximum(0, cos - margin))


def multi_margin(self: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None) -> Any:
    """Row by row."""
    if self.ndim == 1:
        others = np.delete(self, target)
        scale = 1 if weight is None else weight[target]
        return scale * (np.maximum(0, margin - self[target] + others) ** p).sum() / self.size
    return np.array([multi_margin(x, t, p, margin, weight) for x, t in zip(self, target, strict=True)])


def multilabel_margin(self: Any, target: Any) -> Any:
    """Row by row, label by label."""
    if self.ndim == 2:
        return np.array([multilabel_margin(x, t) for x, t in zip(self, target, strict=True)])
    labels = target[: np.argmax(np.append(target, -1) < 0)]
    others = np.delete(self, labels)
    return np.sum([np.maximum(0, 1 - self[j] + others).sum() for j in labels]) / self.size


def multilabel_soft_margin(self: Any, target: Any, weight: Any = 1) -> Any:
    """The cross-entropy of each label."""
    loss = target * special.log_expit(self) + (1 - target) * special.log_expit(-self)
    return -(weight * loss).mean(-1)


def bags(
    self: Any,
    weight: Any,
    offsets: Any = None,
    mode: str = "mean",
    per_sample_weights: Any = None,
    padding_idx: int | None = None,
    scale_grad_by_freq: bool = False,
    include_last_offset: bool = False,
) -> Any:
    """Bag by bag, of which all but the last are empty where there are offsets."""
    offsets = offsets[:-1] if include_last_offset else offsets
    factors = np.ones(self.shape) if per_sample_weights is None else per_sample_weights
    padding_idx = -1 if padding_idx is None else padding_idx
    rows = weight[self] * factors[..., None]
    if self.ndim == 1:
        empty = len(offsets) - 1
        filled = bags(self[None], weight, None, mode, factors[None], padding_idx)
        return np.concatenate([np.zeros((empty, weight.shape[1])), filled])
    retained = [row[number != padding_idx] for row, number in zip(rows, self, strict=True)]
    over = {"sum": np.sum, "mean": np.mean, "max": np.max}[mode]
    return np.array([over(row, 0) if len(row) else np.zeros(weight.shape[1]) for row in retained])


def pooled(self: Any, norm_type: float, kernel_size: Any, stride: Any = None, ceil_mode: bool = False) -> Any:
    """A norm for each window; those that begin inside may end outside."""
    spatial = self.ndim - 2
    sizes = (kernel_size,) * spatial if isinstance(kernel_size, int) else kernel_size
    steps = sizes if stride is None else (stride,) * spatial
    planes = self.shape[2:]
    counts = [
        -((k - n) // s) + 1 if ceil_mode else (n - k) // s + 1 for n, k, s in zip(planes, sizes, steps, strict=True)
    ]
    result = np.zeros((*self.shape[:2], *counts))
    for index in np.ndindex(*counts):
        window = tuple(slice(i * s, i * s + k) for i, s, k in zip(index, steps, sizes, strict=True))
        axes = tuple(range(2, self.ndim))
        mean = (self[(..., *window)] ** norm_type).mean(axes)
        result[(..., *index)] = (mean * np.prod(sizes)) ** (1 / norm_type)
    return result


def fractional(self: Any, kernel_size: Any, output_size: Any, random_samples: Any) -> Any:
    """Window by window; where the maxima stand is left open."""
    spatial = len(kernel_size)
    batch = self if self.ndim == spatial + 2 else self[None]
    found = np.zeros((*batch.shape[:2], *output_size))
    for n, c, *index in np.ndindex(*found.shape):
        u = random_samples[n, c][::-1] if spatial == 2 else random_samples[n, c]
        window: list[slice] = []
        for i, size, kernel, windows, at in zip(index, batch.shape[2:], kernel_size, output_size, u, strict=True):
            step = (size - kernel) / max(windows - 1, 1)
            begin = size - kernel if i == windows - 1 else int((i + at) * step) - int(at * step)
            window.append(slice(begin, begin + kernel))
        found[(n, c, *index)] = batch[(n, c, *window)].max()
    return found.reshape(*self.shape[:-spatial], *output_size), None


PAIRS: dict[str, Callable[..., Any]] = {
    "l1_loss": l1,
    "huber_values": lambda self, target, delta: special.huber(delta, self - target),
    "smooth_l1_loss": reducing(smooth_l1),
    "huber_loss": reducing(huber),
    "kl_div": reducing(
        lambda self, target, log_target=False: (
            np.exp(target) * (target - self) if log_target else special.xlogy(target, target) - target * self
        )
    ),
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
