"""References of linear maps, convolutions and normalisation."""

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np

from tests.ops.loss.references import transposed

Reference = Callable[..., Any]


def convolution(self: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> Any:
    """Sums of products of windows with the weight, one window at a time."""
    dims = weight.ndim - 2
    if self.ndim == dims + 1:
        return convolution(self[None], weight, bias, stride, padding, dilation, groups)[0]
    pads = [(p, p) for p in padding] if len(padding) == dims else list(zip(padding[::2], padding[1::2], strict=True))
    x = np.pad(self, [(0, 0), (0, 0), *pads])
    kernel = weight.shape[2:]
    spans = [d * (k - 1) + 1 for d, k in zip(dilation, kernel, strict=True)]
    sizes = [(n - span) // s + 1 for n, span, s in zip(x.shape[2:], spans, stride, strict=True)]
    result = np.zeros((len(x), len(weight), *sizes), np.result_type(self, weight))
    per_group, outs = weight.shape[1], len(weight) // groups
    for index, out in product(np.ndindex(*sizes), range(len(weight))):
        group = out // outs
        window = tuple(
            slice(i * s, i * s + span, d) for i, s, span, d in zip(index, stride, spans, dilation, strict=True)
        )
        seen = x[(slice(None), slice(group * per_group, (group + 1) * per_group), *window)]
        result[(slice(None), out, *index)] = np.sum(seen * weight[out], axis=tuple(range(1, dims + 2)))
    return result if bias is None else result + bias.reshape(-1, *(1,) * dims)


def convolution_input_backward(grad_output: Any, weight: Any, input_shape: Any, **rest: Any) -> Any:
    """The transpose of convolution as a function of the input."""
    return transposed(lambda x: convolution(x, weight, None, **rest), input_shape, grad_output)


def convolution_weight_backward(grad_output: Any, self: Any, weight_shape: Any, **rest: Any) -> Any:
    """The transpose of convolution as a function of the weight."""
    return transposed(lambda w: convolution(self, w, None, **rest), weight_shape, grad_output)


def conv(dims: int) -> Reference:
    """conv1d and conv2d: one number stands for all dimensions, padding may be a word."""

    def reference(
        self: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1
    ) -> Any:
        steps, dilations = multiple(stride, dims), multiple(dilation, dims)
        if padding == "same":
            totals = [d * (k - 1) for d, k in zip(dilations, weight.shape[2:], strict=True)]
            pads = [p for total in totals for p in (total // 2, total - total // 2)]
        else:
            pads = multiple(0 if padding == "valid" else padding, dims)
        return convolution(self, weight, bias, steps, pads, dilations, groups)

    return reference


def conv_transpose(dims: int) -> Reference:
    """conv_transpose1d, 2d and 3d: each value times the weight is added to a window of the uncut output."""

    def reference(
        self: Any,
        weight: Any,
        bias: Any = None,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        dilation: Any = 1,
    ) -> Any:
        if self.ndim == dims + 1:
            return reference(self[None], weight, bias, stride, padding, output_padding, groups, dilation)[0]
        steps, pads, extra, expanded = (multiple(v, dims) for v in (stride, padding, output_padding, dilation))
        kernel, per_group, channels = weight.shape[2:], len(weight) // groups, weight.shape[1]
        along = list(zip(self.shape[2:], steps, expanded, kernel, extra, strict=True))
        sizes = [(n - 1) * s + d * (k - 1) + 1 + more for n, s, d, k, more in along]
        result = np.zeros((len(self), groups * channels, *sizes), np.result_type(self, weight))
        for index, c in product(np.ndindex(*self.shape[2:]), range(len(weight))):
            own = slice(c // per_group * channels, (c // per_group + 1) * channels)
            window = tuple(
                slice(i * s, i * s + d * (k - 1) + 1, d) for i, (_, s, d, k, _) in zip(index, along, strict=True)
            )
            values = self[(slice(None), c, *index)]
            result[(slice(None), own, *window)] += np.multiply.outer(values, weight[c])
        cut = result[(..., *(slice(pad, n - pad) for n, pad in zip(sizes, pads, strict=True)))]
        return cut if bias is None else cut + bias.reshape(-1, *(1,) * dims)

    return reference


def multiple(value: Any, count: int) -> list[int]:
    """A number as `count` equal ones; a list as it is."""
    return [value] * count if isinstance(value, int) else list(value)


def standardize(self: Any, weight: Any, bias: Any, dim: Any, affine_shape: Any, eps: float) -> Any:
    """(x - mean) / sqrt(var + eps) * weight + bias, the mean and the biased variance."""
    mean, var = self.mean(dim, keepdims=True), self.var(dim, keepdims=True)
    result = (self - mean) / np.sqrt(var + eps)
    result = result if weight is None else result * weight.reshape(affine_shape)
    return (result if bias is None else result + bias.reshape(affine_shape)), mean, var


def standardize_groups(self: Any, weight: Any, bias: Any, groups: int, eps: float) -> Any:
    """`standardize` for groups of channels."""
    grouped = self.reshape(self.shape[0], groups, self.shape[1] // groups, -1)
    found = standardize(grouped, weight, bias, (2, 3), (groups, grouped.shape[2], 1), eps)
    return found[0].reshape(self.shape), *found[1:]


def normalize_rms(self: Any, weight: Any, dim: Any, eps: float) -> Any:
    """x / sqrt(mean(x^2) + eps) * weight, and the factor of x."""
    scale = 1 / np.sqrt((self * self).mean(tuple(dim), keepdims=True) + eps)
    return self * scale * (1 if weight is None else weight), scale.squeeze(tuple(dim))


NETWORK: dict[str, Callable[..., Any]] = {
    "linear": lambda self, weight, bias=None: self @ weight.T + (0 if bias is None else bias),
    "linear_weight_backward": lambda grad_output, self: (
        np.tensordot(grad_output, self, self.ndim - 1)
        if grad_output.ndim < self.ndim
        else grad_output.reshape(-1, grad_output.shape[-1]).T @ self.reshape(-1, self.shape[-1])
    ),
    "convolution": convolution,
    "convolution_input_backward": convolution_input_backward,
    "convolution_weight_backward": convolution_weight_backward,
    "conv1d": conv(1),
    "conv2d": conv(2),
    "conv3d": conv(3),
    "conv_transpose1d": conv_transpose(1),
    "conv_transpose2d": conv_transpose(2),
    "conv_transpose3d": conv_transpose(3),
    "standardize": standardize,
    "standardize_groups": standardize_groups,
    "normalize_rms": normalize_rms,
}
