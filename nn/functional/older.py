"""Functions of layers that few programs call any more."""

from __future__ import annotations

from ...generated.ops import channel_shuffle, conv1d
from ...generated.tensor import Tensor


def conv_tbc(input: Tensor, weight: Tensor, bias: Tensor, pad: int = 0) -> Tensor:
    """Convolution of signals whose dimensions are time, batch and channels.

    Args:
        input: signals.
        weight: of shape (width, channels, output channels).
        bias: what is added to each output channel.
        pad: how many zeros stand before and behind the signal.

    Shape:
        Input (T, B, C); the output has the length of the convolution and the output channels in place of T and C.

    Raises:
        RuntimeError: shapes that do not belong together.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.conv_tbc(sg.ones(3, 1, 2), sg.ones(2, 2, 4), sg.zeros(4)).shape
        specgrad.Size([2, 1, 4])
    """
    return conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1)


def native_channel_shuffle(input: Tensor, groups: int) -> Tensor:
    """Channels in another order: `channel_shuffle`.

    Args:
        input: the values.
        groups: how many groups of channels.

    Shape:
        Input and output (N, C, *).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.native_channel_shuffle(sg.arange(4).view(1, 4, 1), 2).flatten()
        tensor([0, 2, 1, 3])
    """
    return channel_shuffle(input, groups)
