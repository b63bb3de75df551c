"""Convolutions in ONNX operators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def convolved(
    onnx: Any,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    dilation: Sequence[int],
    groups: int,
) -> Any:
    """Cross-correlation; `padding` has one number per dimension, or two (before, after)."""
    twice = len(padding) == 2 * len(stride)
    pads = [*padding[::2], *padding[1::2]] if twice else [*padding, *padding]
    options = {"strides": stride, "pads": pads, "dilations": dilation, "group": groups}
    if x.ndim == weight.ndim:
        return onnx.Conv(x, weight, bias, **options)
    return onnx.Squeeze(onnx.Conv(onnx.Unsqueeze(x, [0]), weight, bias, **options), [0])


def transposed_convolution(
    onnx: Any,
    x: Any,
    weight: Any,
    bias: Any,
    stride: Sequence[int],
    padding: Sequence[int],
    output_padding: Sequence[int],
    groups: int,
    dilation: Sequence[int],
) -> Any:
    """The gradient of a convolution with respect to its input; more of the result behind is less padding there."""
    pads = [*padding, *(max(each - more, 0) for each, more in zip(padding, output_padding, strict=True))]
    rest = [max(more - each, 0) for each, more in zip(padding, output_padding, strict=True)]
    options = {"strides": stride, "pads": pads, "output_padding": rest, "group": groups, "dilations": dilation}
    if x.ndim == weight.ndim:
        return onnx.ConvTranspose(x, weight, bias, **options)
    return onnx.Squeeze(onnx.ConvTranspose(onnx.Unsqueeze(x, [0]), weight, bias, **options), [0])
