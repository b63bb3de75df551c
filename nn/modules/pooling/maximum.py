"""Pooling layers: the maximum of a sliding window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....generated.tensor import Tensor
from ... import functional as F
from ...docstrings import completed_from
from ..module.base import Module

Size = int | tuple[int, ...]


class _MaxPoolNd(Module):
    """A subclass names its function."""

    function: Callable[..., Any]

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        return type(self).function(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )

    def extra_repr(self) -> str:
        return (
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, ceil_mode={self.ceil_mode}"
        )


class MaxPool1d(_MaxPoolNd):
    """The maximum over windows of a sequence.

    Formula: y[n, c, i] = max over k of x[n, c, i stride + k dilation]

    Args:
        kernel_size: length of the window.
        stride: step of the window; kernel_size when left out.
        padding: minus infinities added on both sides, at most half of kernel_size.
        dilation: step between the elements of the window.
        return_indices: also return where each maximum was.
        ceil_mode: round the output size up instead of down.

    Shape:
        Input: (N, C, L) or (C, L). Output: (N, C, L') or (C, L'), with L' =
        floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1).

    Raises:
        RuntimeError: a window that does not fit, or padding above half of it.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.MaxPool1d(2)(sg.tensor([[1.0, 5.0, 2.0, 3.0]]))
        tensor([[5., 3.]])
    """

    function = staticmethod(F.max_pool1d)


@completed_from(MaxPool1d)
class MaxPool2d(_MaxPoolNd):
    """The maximum over windows of an image.

    Formula: y[n, c, i, j] = max over (k, l) of x[n, c, i stride[0] + k dilation[0], j stride[1] + l dilation[1]]

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.MaxPool2d(3, stride=2)(sg.randn(20, 16, 50, 32)).shape)
        [20, 16, 24, 15]
    """

    function = staticmethod(F.max_pool2d)


@completed_from(MaxPool2d)
class MaxPool3d(_MaxPoolNd):
    """The maximum over windows of a volume.

    Formula: y[n, c, i] = max over k of x[n, c, i stride + k dilation], where i and k are triples

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.MaxPool3d((1, 2, 2))(sg.randn(2, 3, 5, 8, 6)).shape)
        [2, 3, 5, 4, 3]
    """

    function = staticmethod(F.max_pool3d)
