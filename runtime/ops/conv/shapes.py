"""Shape rules of convolutions."""

from typing import Any

from ...shapes import Shape, conv_size, side_pads


def convolved(self: Any, weight: Any, bias: Any, *rest: Any) -> Shape:
    stride, padding, dilation, _ = rest
    kernel = weight.shape[2:]
    dims = len(kernel)
    along = zip(self.shape[-dims:], kernel, stride, side_pads(padding, dims), dilation, strict=True)
    positions = [conv_size(n, k, step, sum(pads), dilation_step) for n, k, step, pads, dilation_step in along]
    return (*self.shape[: -dims - 1], weight.shape[0], *positions)
