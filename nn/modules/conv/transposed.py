"""Transposed convolution layers: one subclass per number of spatial dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ....generated.tensor import Tensor
from ... import functional as F
from ...docstrings import completed_from
from .base import ConvNd, Size
from .convolution import Conv1d


class _ConvolutionTranspose(ConvNd):
    """A transposed convolution; a subclass names its function."""

    function: Callable[..., Tensor]
    names_padding = False
    padding_modes = ("zeros",)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = (kernel_size, stride, padding, dilation, True, output_padding)
        super().__init__(in_channels, out_channels, *sizes, groups, bias, padding_mode, device, dtype)

    def _wrong_padding_mode(self) -> str:
        return f'Only "zeros" padding mode is supported for {type(self).__name__}'

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        extra = self.output_padding if output_size is None else self._output_padding(input, tuple(output_size))
        return type(self).function(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )

    def _output_padding(self, input: Tensor, output_size: tuple[int, ...]) -> tuple[int, ...]:
        """The difference of the requested output size from the smallest one, along each dimension."""
        dims, lead = self.spatial_dims, input.ndim - self.spatial_dims
        if len(output_size) == lead + dims:
            output_size = output_size[lead:]
        if len(output_size) != dims:
            raise ValueError(
                f"ConvTranspose{dims}D: for {input.ndim}D input, output_size must have {dims} or {lead + dims} "
                f"elements (got {len(output_size)})"
            )
        along = zip(input.shape[lead:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        min_sizes = [(n - 1) * s - 2 * pad + d * (k - 1) + 1 for n, s, pad, d, k in along]
        max_sizes = [n + s - 1 for n, s in zip(min_sizes, self.stride, strict=True)]
        if any(not low <= n <= high for low, n, high in zip(min_sizes, output_size, max_sizes, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {min_sizes} to {max_sizes} (for an "
                f"input of {input.shape[lead:]})"
            )
        return tuple(n - low for n, low in zip(output_size, min_sizes, strict=True))


@completed_from(Conv1d)
class ConvTranspose1d(_ConvolutionTranspose):
    """A transposed convolution over sequences: the gradient of `Conv1d` as a map of its input.

    Formula: y[n, o, i stride + k dilation - padding] += w[c, o, k] x[n, c, i], from y[n, o] = b[o]

    Weight and bias start uniform in (-k, k) with k = sqrt(groups / (out_channels * kernel_size)).

    Args:
        stride: step of the kernel over the output.
        padding: how much is cut off on both sides of the output.
        output_padding: how much larger the output is at its end; less than stride or dilation.
        padding_mode: 'zeros'.

    Shape:
        Input: (N, in_channels, L) or (in_channels, L).
        Output: (N, out_channels, L') or (out_channels, L'), with L' =
        (L - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1, or the sizes in `output_size`, the
        second argument of a call.

    Raises:
        ValueError: channels that the groups do not divide, another padding_mode, an output_size out of reach.

    Example:
        >>> import specgrad as sg
        >>> up = sg.nn.ConvTranspose1d(16, 33, 3, stride=2)
        >>> list(up(sg.randn(20, 16, 50)).shape), list(up(sg.randn(20, 16, 50), output_size=(102,)).shape)
        ([20, 33, 101], [20, 33, 102])
    """

    spatial_dims = 1
    function = staticmethod(F.conv_transpose1d)


@completed_from(ConvTranspose1d)
class ConvTranspose2d(_ConvolutionTranspose):
    """A transposed convolution over images: the gradient of `Conv2d` as a map of its input.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1)(sg.randn(2, 16, 14, 14)).shape)
        [2, 8, 28, 28]
    """

    spatial_dims = 2
    function = staticmethod(F.conv_transpose2d)


@completed_from(ConvTranspose2d)
class ConvTranspose3d(_ConvolutionTranspose):
    """A transposed convolution over volumes: the gradient of `Conv3d` as a map of its input.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.ConvTranspose3d(4, 2, 2, stride=2)(sg.randn(1, 4, 3, 4, 5)).shape)
        [1, 2, 6, 8, 10]
    """

    spatial_dims = 3
    function = staticmethod(F.conv_transpose3d)
