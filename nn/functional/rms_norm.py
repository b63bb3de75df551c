"""Norms without a mean: division by the root mean square, and by the response of neighbouring channels."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from math import prod

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import checks
from ...runtime.errors import ShapeError, UnsupportedDtypeError
from ...runtime.modes.intercept import NOT_HANDLED, autocast_as, intercept, watch
from ...runtime.tensor.dtypes import dtype, finfo
from .normalization import narrowed, widened
from .padding import pad


@autocast_as(cuda="float32")
def rms_norm(
    input: Tensor, normalized_shape: Sequence[int], weight: Tensor | None = None, eps: float | None = None
) -> Tensor:
    """x / sqrt(mean(x^2) + eps) * weight, with the mean over the last dimensions.

    Source: Zhang and Sennrich, "Root Mean Square Layer Normalization" (2019).

    Args:
        input: the tensor x.
        normalized_shape: the sizes of these last dimensions.
        weight: one number for each of their elements.
        eps: keeps the root from zero; the dtype's own epsilon when left out.

    Shape:
        Input (*, normalized_shape), weight normalized_shape; the output has the shape of input.

    Raises:
        RuntimeError: sizes that do not agree.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.rms_norm(sg.tensor([[1.0, 7.0]]), [2], eps=0.0)
        tensor([[0.2000, 1.4000]])
    """
    if (
        watch.interceptors
        and (result := intercept("rms_norm", rms_norm, "composite", input, normalized_shape, weight, eps))
        is not NOT_HANDLED
    ):
        return result
    shape = checks.integer_list("rms_norm", "normalized_shape", normalized_shape, 1)
    size, count = checks.tensor("rms_norm", "input", input)._shape, len(shape)
    if not count:
        raise ShapeError("rms_norm(): Expected normalized_shape to be at least 1-dimensional, but got []")
    if size[-count:] != shape:
        raise ShapeError(
            f"rms_norm(): Given normalized_shape={list(shape)}, expected input with shape "
            f"[*, {', '.join(map(str, shape))}], but got input of size {list(size)}"
        )
    if weight is not None and checks.tensor("rms_norm", "weight", weight)._shape != shape:
        raise ShapeError(
            "rms_norm(): Expected weight to be of same shape as normalized_shape, but got weight of shape "
            f"{list(weight.shape)} and normalized_shape = {list(shape)}"
        )
    if input._dtype.kind not in "fc":
        raise UnsupportedDtypeError(f"rms_norm(): expected a floating-point input, but got {input.dtype!r}")
    eps = _default_eps(input._dtype.compute) if eps is None else eps
    if input._dtype.kind == "c":  # the square is the complex one, as the formula says
        normal = input * ((input * input).mean(tuple(range(-count, 0)), True) + eps).rsqrt()
        return normal if weight is None else normal * weight
    x = widened(input, weight)
    return narrowed(ops.normalize_rms(x, weight, tuple(range(-count, 0)), eps)[0], input)


@functools.cache
def _default_eps(computed: dtype) -> float:
    """The distance from 1 to the next number of the dtype of the computation."""
    return finfo(computed).eps


def local_response_norm(input: Tensor, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> Tensor:
    """x / (k + alpha mean(x^2))^beta, with the mean over `size` neighbouring channels, zeros beyond the first and last.

    Source: Krizhevsky, Sutskever and Hinton, "ImageNet classification with deep convolutional neural networks" (2012).

    Args:
        input: the batch x.
        size: how many channels are neighbours.
        alpha, beta, k: the numbers of the formula.

    Shape:
        Input (N, C, d1, ...); the output is the same.

    Raises:
        ValueError: input of fewer than 3 dimensions.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.local_response_norm(sg.tensor([[[1.0], [2.0]]]), 1, alpha=1.0, beta=1.0, k=0.0)
        tensor([[[1.0000],
                 [0.5000]]])
    """
    shape = tuple(checks.tensor("local_response_norm", "input", input).shape)
    if len(shape) < 3:
        raise ValueError(
            f"local_response_norm(): Expected 3D or higher dimensionality input (got {len(shape)} dimensions)"
        )
    if not input.numel():
        return input
    size = checks.integer("local_response_norm", "size", size)
    squares = (input * input).reshape(shape[0], 1, shape[1], prod(shape[2:]))
    padded = pad(squares, (0, 0, size // 2, (size - 1) // 2))
    means = ops.avg_pool2d(padded, (size, 1), 1).reshape(shape)
    return input / (means * alpha + k) ** beta
