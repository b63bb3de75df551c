"""Layers that undo maximum pooling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.dispatch import checks
from ... import functional as F
from ...docstrings import completed_from
from ..module.base import Module

Size = int | tuple[int, ...]


class _MaxUnpoolNd(Module):
    """A subclass names its function and sets `spatial_dims`."""

    spatial_dims: int
    function: Callable[..., Tensor]

    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        super().__init__()
        self.kernel_size = self._sizes("kernel_size", kernel_size)
        self.stride = self.kernel_size if stride is None else self._sizes("stride", stride)
        self.padding = self._sizes("padding", padding)

    def _sizes(self, name: str, value: Any) -> tuple[int, ...]:
        return checks.integer_list(type(self).__name__, name, value, self.spatial_dims)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return type(self).function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self) -> str:
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Maxima at the places where `MaxPool1d` found them, zeros between them.

    Formula: y[n, c, indices[n, c, i]] = x[n, c, i], 0 elsewhere

    Args:
        kernel_size: length of the window of the pooling.
        stride: step of the window; kernel_size when left out.
        padding: that of the pooling.

    Shape:
        Input and indices: (N, C, L) or (C, L). Output: (N, C, L') or (C, L'), with L' =
        (L - 1) stride - 2 padding + kernel_size, or the sizes in `output_size`, the third argument of a call.

    Raises:
        RuntimeError: an index outside the output, or indices of another shape or dtype.
        ValueError: an output_size that pooling does not map to the input's sizes.

    Example:
        >>> import specgrad as sg
        >>> values, indices = sg.nn.MaxPool1d(2, return_indices=True)(sg.tensor([[1.0, 5.0, 2.0, 3.0]]))
        >>> sg.nn.MaxUnpool1d(2)(values, indices)
        tensor([[0., 5., 0., 3.]])
    """

    spatial_dims = 1
    function = staticmethod(F.max_unpool1d)


@completed_from(MaxUnpool1d)
class MaxUnpool2d(_MaxUnpoolNd):
    """Maxima at the places where `MaxPool2d` found them, zeros between them.

    Formula: y[n, c, k, l] = x[n, c, i, j] where indices[n, c, i, j] = k W' + l, 0 elsewhere

    Example:
        >>> import specgrad as sg
        >>> sg.nn.MaxUnpool2d(2)(sg.tensor([[[4.0]]]), sg.tensor([[[3]]]))
        tensor([[[0., 0.],
                 [0., 4.]]])
    """

    spatial_dims = 2
    function = staticmethod(F.max_unpool2d)


@completed_from(MaxUnpool2d)
class MaxUnpool3d(_MaxUnpoolNd):
    """Maxima at the places where `MaxPool3d` found them, zeros between them.

    Formula: y[n, c] has x[n, c, i] at the place indices[n, c, i] of the flattened volume, for triples i; 0 elsewhere

    Example:
        >>> import specgrad as sg
        >>> sg.nn.MaxUnpool3d((1, 1, 2))(sg.tensor([[[[7.0]]]]), sg.tensor([[[[1]]]]))
        tensor([[[[0., 7.]]]])
    """

    spatial_dims = 3
    function = staticmethod(F.max_unpool3d)
