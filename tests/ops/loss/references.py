"""References of softmax, losses and embeddings, and what gives the backward ops theirs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import special


def transposed(function: Callable[[Any], Any], shape: Sequence[int], grad: Any) -> Any:
    """The transpose of a linear function, from its values at the unit arrays: what its gradient must be."""
    result = np.zeros(tuple(shape), grad.dtype)
    for index in np.ndindex(*shape):
        unit = np.zeros(tuple(shape))
        unit[index] = 1
        result[index] = np.sum(function(unit) * grad)
    return result


def derivative(function: Callable[[Any], Any], x: Any, grad: Any) -> Any:
    """The gradient of <grad, function(x)> by central differences."""
    result = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        step = np.zeros_like(x)
        step[index] = 1e-5
        result[index] = np.sum(grad * (function(x + step) - function(x - step))) / 2e-5
    return result


def reduced(loss: Any, reduction: int) -> Any:
    """0: as it is, 1: the mean, 2: the sum."""
    return loss if reduction == 0 else loss.mean() if reduction == 1 else loss.sum()


def nll_loss(self: Any, target: Any, weight: Any = None, reduction: int = 1, ignore_index: int = -100) -> Any:
    """-weight[target] x[target], and the sum of the weights that counted."""
    single = self.ndim == 1
    classes = np.moveaxis(self[None] if single else self, 1, -1)
    target = target[None] if single else target
    weights = np.ones(self.shape[0 if single else 1]) if weight is None else weight
    counted = np.where(target == ignore_index, 0, weights[target])
    loss = -counted * np.take_along_axis(classes, target[..., None], -1)[..., 0]
    if reduction == 0:
        return (loss[0] if single else loss), None
    return (loss.sum() / counted.sum() if reduction == 1 else loss.sum()), counted.sum()


def cross_entropy(
    self: Any,
    target: Any,
    weight: Any = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Any:
    """The loss of the log-softmax, a part of it for all classes alike; the second output is a kernel's own."""
    dim = 0 if self.ndim == 1 else 1
    scores, classes = special.log_softmax(self, dim), self.shape[dim]
    weights = np.ones(classes) if weight is None else weight
    direct, _ = nll_loss(scores, target, weight, 0, ignore_index)
    even = -np.moveaxis(np.moveaxis(scores, dim, -1) * weights, -1, dim).sum(dim)
    even = np.where(target == ignore_index, 0, even)
    loss = (1 - label_smoothing) * direct + label_smoothing / classes * even
    counted = np.where(target == ignore_index, 0, weights[target])
    return (loss if reduction == 0 else loss.sum() / (counted.sum() if reduction == 1 else 1)), None


def bce(self: Any, target: Any, weight: Any = None, reduction: int = 1) -> Any:
    """-(t log x + (1 - t) log(1 - x))."""
    loss = -(special.xlogy(target, self) + special.xlog1py(1 - target, -self))
    return reduced(loss if weight is None else loss * weight, reduction)


def bce_logits(self: Any, target: Any, weight: Any = None, pos_weight: Any = None, reduction: int = 1) -> Any:
    """The same of sigmoid(x), with a weight for the positive part."""
    positive = 1 if pos_weight is None else pos_weight
    loss = -(positive * target * special.log_expit(self) + (1 - target) * special.log_expit(-self))
    return reduced(loss if weight is None else loss * weight, reduction)


def embedding_scale(indices: Any, padding_idx: int, scale_grad_by_freq: bool) -> Any:
    """What each looked-up row's gradient counts: nothing for padding, less where an index is frequent."""
    counts = np.array([np.sum(indices == i) for i in indices.reshape(-1)]).reshape(indices.shape)
    return (indices != padding_idx) / (counts if scale_grad_by_freq else 1)


def embedding_backward(
    grad_output: Any, indices: Any, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Any:
    """The gradients of equal rows added up."""
    result = np.zeros((num_weights, grad_output.shape[-1]), grad_output.dtype)
    scale = embedding_scale(indices, padding_idx, scale_grad_by_freq)
    np.add.at(result, indices, grad_output * scale[..., None])
    return result


LOSSES: dict[str, Callable[..., Any]] = {
    "softmax": lambda self, dim: special.softmax(self, dim) if self.size else self,
    "softmax_backward": lambda grad_output, output, dim: (
        output * (grad_output - np.sum(grad_output * output, dim, keepdims=True))
    ),
    "log_softmax": lambda self, dim: special.log_softmax(self, dim) if self.size else self,
    "log_softmax_backward": lambda grad_output, output, dim: (
        grad_output - np.exp(output) * np.sum(grad_output, dim, keepdims=True)
    ),
    "nll_loss": nll_loss,
    "cross_entropy_loss": cross_entropy,
    "nll_loss_backward": lambda grad_output, target, weight, total_weight, input_shape, reduction, ignore_index: (
        transposed(
            lambda x: nll_loss(x, target, weight, 2 if reduction == 1 else reduction, ignore_index)[0],
            input_shape,
            grad_output / total_weight if reduction == 1 else grad_output,
        )
    ),
    "squared_difference": lambda self, target: (self - target) ** 2,
    "sum_of_squares": lambda self, target, scale, dim: scale * ((self - target) ** 2).sum(tuple(dim)),
    "sum_of_squares_backward": lambda grad_output, self, target, scale, dim: (
        2 * scale * np.expand_dims(grad_output, tuple(dim)) * (self - target)
    ),
    "mse_loss": lambda self, target, reduction=1: reduced((self - target) ** 2, reduction),
    "bernoulli_loss": lambda self, target: (
        target * np.minimum(-np.log(self), 100) + (1 - target) * np.minimum(-np.log1p(-self), 100)
    ),
    "require_unit_interval": lambda self, target: np.zeros((), bool),
    "binary_cross_entropy": bce,
    "logistic_loss": lambda self, target: bce_logits(self, target, reduction=0),
    "logistic_loss.positive": lambda self, target, positive: (
        -(positive * special.log_expit(self) + (1 - target) * special.log_expit(-self))
    ),
    "binary_cross_entropy_with_logits": bce_logits,
    "embedding": lambda weight, indices, padding_idx=-1, scale_grad_by_freq=False: weight[indices],
    "embedding_backward": embedding_backward,
    "embedding_gather": lambda self, indices, **k: self[indices] * embedding_scale(indices, **k)[..., None],
}
