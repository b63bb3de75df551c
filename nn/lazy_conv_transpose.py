"""Transposed convolutions that learn the number of channels from their first input."""

from __future__ import annotations

from typing import Any

from .conv_base import Size
from .conv_transpose import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .lazy_conv import LazyConvNd


class _LazyTransposed(LazyConvNd):
    """The arguments of `ConvTranspose2d` but `in_channels`."""

    def __init__(
        self,
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
        rest = (kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode)
        super().__init__(0, 0, *rest)
        self._set_parameters(out_channels, bias, device, dtype)


class LazyConvTranspose1d(_LazyTransposed, ConvTranspose1d):
    """A `ConvTranspose1d` whose `in_channels` is the number of channels of its first input.

    Formula: that of `ConvTranspose1d`

    Args:
        out_channels: channels of the output.
        kernel_size, stride, padding, output_padding, groups, bias, dilation: as of `ConvTranspose1d`.
        padding_mode, device, dtype: likewise.

    Shape:
        Input: (N, in_channels, L) or without N. Output: as of `ConvTranspose1d`.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.LazyConvTranspose1d(3, 2)
        >>> _ = layer(sg.ones(1, 2, 4))
        >>> layer.in_channels
        2
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyTransposed, ConvTranspose2d):
    """A `ConvTranspose2d` whose `in_channels` is the number of channels of its first input.

    Formula: that of `ConvTranspose2d`

    Args:
        out_channels: channels of the output.
        kernel_size, stride, padding, output_padding, groups, bias, dilation: as of `ConvTranspose2d`.
        padding_mode, device, dtype: likewise.

    Shape:
        Input: (N, in_channels, H, W) or without N. Output: as of `ConvTranspose2d`.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.LazyConvTranspose2d(3, 2)
        >>> _ = layer(sg.ones(1, 2, 4, 4))
        >>> layer.in_channels
        2
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyTransposed, ConvTranspose3d):
    """A `ConvTranspose3d` whose `in_channels` is the number of channels of its first input.

    Formula: that of `ConvTranspose3d`

    Args:
        out_channels: channels of the output.
        kernel_size, stride, padding, output_padding, groups, bias, dilation: as of `ConvTranspose3d`.
        padding_mode, device, dtype: likewise.

    Shape:
        Input: (N, in_channels, D, H, W) or without N. Output: as of `ConvTranspose3d`.

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.LazyConvTranspose3d(3, 2)
        >>> _ = layer(sg.ones(1, 2, 4, 4, 4))
        >>> layer.in_channels
        2
    """

    cls_to_become = ConvTranspose3d
