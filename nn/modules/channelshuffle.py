"""Channels of several groups, interleaved."""

from ...generated.tensor import Tensor
from .. import functional as F
from .module.base import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """The channels of g groups in turns.

    Formula: y[j g + i] = x[i k + j] for groups i of k channels j

    Args:
        groups: g.

    Shape: Input and output: (N, C, *).

    Raises: RuntimeError: fewer than three dimensions, or channels that g does not divide.

    Example:
        >>> sg.nn.ChannelShuffle(2)(sg.arange(4.0).reshape(1, 4, 1)).flatten()
        tensor([0., 2., 1., 3.])
    """

    _shown = ("groups",)

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: Tensor) -> Tensor:
        return F.channel_shuffle(input, self.groups)
