"""Shape rules of reductions."""

from typing import Any

from ...kernels.cpu.reduce_layout import reduced_dims_of
from ...shapes import Shape


def reduced(self: Any, dim: Any, keepdim: bool) -> Shape:
    """The dimensions that stay; the others as 1 with `keepdim`."""
    gone = reduced_dims_of(len(self.shape), dim)
    if keepdim:
        return tuple([1 if d in gone else n for d, n in enumerate(self.shape)])
    return tuple([n for d, n in enumerate(self.shape) if d not in gone])


def reduced_with_correction_shape(self: Any, dim: Any, correction: Any, keepdim: bool) -> Shape:
    return reduced(self, dim, keepdim)


def reduced_to_norm(self: Any, p: Any, dim: Any, keepdim: bool) -> Shape:
    return reduced(self, dim, keepdim)


def reduced_with_indices(self: Any, dim: Any, keepdim: bool) -> list[Shape]:
    return [reduced(self, dim, keepdim)] * 2
