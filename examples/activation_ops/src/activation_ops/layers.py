"""Layers around the functions: those that have something to learn, or a number to keep."""

from specgrad import Tensor, nn, ones

from .generated import cubic_root, swish, two_slopes


class Swish(nn.Module):
    """x sigmoid(b x), with one b for each of the features, which it learns."""

    def __init__(self, features: int = 1) -> None:
        super().__init__()
        self.beta = nn.Parameter(ones(features))

    def forward(self, x: Tensor) -> Tensor:
        return swish(x, self.beta)


class CubicRoot(nn.Module):
    """The y with y + b y^3 = x."""

    def __init__(self, bend: float = 1.0) -> None:
        super().__init__()
        self.bend = bend

    def forward(self, x: Tensor) -> Tensor:
        return cubic_root(x, self.bend)

    def extra_repr(self) -> str:
        return f"bend={self.bend}"


class TwoSlopes(nn.Module):
    """A slope to either side of 0."""

    def __init__(self, left: float = 0.1, right: float = 1.0) -> None:
        super().__init__()
        self.left, self.right = left, right

    def forward(self, x: Tensor) -> Tensor:
        return two_slopes(x, self.left, self.right)

    def extra_repr(self) -> str:
        return f"left={self.left}, right={self.right}"
