"""Convolution layers: one subclass per number of spatial dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ... import functional as F
from ...docstrings import completed_from
from .base import ConvNd, Size


class _Convolution(ConvNd):
    """A convolution; a subclass names its function."""

    function: Callable[..., Tensor]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: str | Size = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = (kernel_size, stride, padding, dilation, False, 0)
        super().__init__(in_channels, out_channels, *sizes, groups, bias, padding_mode, device, dtype)
        self._no_padding = (0,) * self.spatial_dims

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """The convolution with a weight and a bias that need not be the layer's own."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding_repeated_twice, self.padding_mode), self._no_padding
        if isinstance(padding, str):
            return type(self).function(input, weight, bias, self.stride, padding, self.dilation, self.groups)
        return ops.convolution(input, weight, bias, self.stride, padding, self.dilation, self.groups)


class Conv1d(_Convolution):
    """A convolution (cross-correlation) over sequences.

    Formula: y[n, o] = b[o] + sum_i w[o, i] * x[n, i], where * is cross-correlation

    Weight and bias start uniform in (-k, k) with k = sqrt(groups / (in_channels * kernel_size)).

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: length of the kernel.
        stride: step of the kernel.
        padding: zeros added on both sides, or 'valid' (none), or 'same' (so many that the size stays).
        dilation: step between the elements of the kernel.
        groups: blocks of channels that are convolved separately.
        bias: whether to add a learned bias.
        padding_mode: what is added: 'zeros', or 'reflect', 'replicate' or 'circular' (see `functional.pad`).
        device: where the parameters lie.
        dtype: their dtype.

    Shape:
        Input: (N, in_channels, L) or (in_channels, L).
        Output: (N, out_channels, L') or (out_channels, L'), with L' =
        floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1).

    Raises:
        ValueError: channels that the groups do not divide, an unknown padding, 'same' with a stride.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.Conv1d(16, 33, 3, stride=2)(sg.randn(20, 16, 50)).shape)
        [20, 33, 24]
    """

    spatial_dims = 1
    function = staticmethod(F.conv1d)


@completed_from(Conv1d)
class Conv2d(_Convolution):
    """A convolution (cross-correlation) over images.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.Conv2d(3, 8, 3, padding="same")(sg.randn(4, 3, 10, 12)).shape)
        [4, 8, 10, 12]
    """

    spatial_dims = 2
    function = staticmethod(F.conv2d)


@completed_from(Conv2d)
class Conv3d(_Convolution):
    """A convolution (cross-correlation) over volumes.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.Conv3d(3, 8, (1, 3, 3), padding=(0, 1, 1))(sg.randn(4, 3, 5, 6, 7)).shape)
        [4, 8, 5, 6, 7]
    """

    spatial_dims = 3
    function = staticmethod(F.conv3d)
