"""A small convolutional network whose activation is the op of my_ops.yaml."""

from collections.abc import Callable

from my_ops import pswish

import specgrad as torch
from specgrad import Tensor, nn


class PSwish(nn.Module):
    """Swish with one learned steepness per channel: ``y = x * sigmoid(beta * x)``.

    Args:
        channels: the number of channels, the second dimension of the input.

    Shape:
        Input and output: ``(N, channels, H, W)``.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.beta = nn.Parameter(torch.ones(channels, 1, 1))

    def forward(self, x: Tensor) -> Tensor:
        return pswish(x, self.beta)


def digit_network(width: int = 16, activation: Callable[[int], nn.Module] = PSwish) -> nn.Module:
    """Two convolutions, one pooling, one linear layer: ``(N, 1, 8, 8)`` pictures to ``(N, 10)`` scores.

    Args:
        width: the channels of the first convolution.
        activation: gives the layer behind a convolution of so many channels.
    """
    return nn.Sequential(
        nn.Conv2d(1, width, 3, padding=1),
        nn.BatchNorm2d(width),
        activation(width),
        nn.Conv2d(width, 2 * width, 3, padding=1),
        nn.BatchNorm2d(2 * width),
        activation(2 * width),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.25),
        nn.Linear(2 * width * 4 * 4, 10),
    )
