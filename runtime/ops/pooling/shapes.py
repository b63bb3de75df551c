"""Shape rules of pooling: of the last dimensions."""

from collections.abc import Sequence
from typing import Any

from ...shapes import Shape, pool_size


def _pooled(self: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Shape:
    dims = len(kernel)
    along = zip(self.shape[-dims:], kernel, stride, padding, dilation, strict=True)
    return (*self.shape[:-dims], *(pool_size(n, k, s, p, d, ceil_mode) for n, k, s, p, d in along))


def max_pooled(
    self: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool, spatial: int
) -> list[Shape]:
    return [_pooled(self, kernel_size, stride, padding, dilation, ceil_mode)] * 2


def unpooled(self: Any, indices: Any, kernel: Any, stride: Any, padding: Any, output_size: Sequence[int]) -> Shape:
    return (*self.shape[: -len(kernel)], *output_size)


def avg_pooled(self: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, *rest: Any) -> Shape:
    return _pooled(self, kernel_size, stride, padding, (1,) * len(kernel_size), ceil_mode)


def evenly_pooled(self: Any, output_size: Sequence[int], spatial: int) -> Shape:
    return (*self.shape[:-spatial], *output_size)


def adaptive_pool_with_indices(self: Any, output_size: Sequence[int], spatial: int) -> list[Shape]:
    return [evenly_pooled(self, output_size, spatial)] * 2
