"""Activations like ReLU with another branch below zero: each applies its function to every element."""

from __future__ import annotations

from ....generated.tensor import Tensor
from ... import functional as F
from ..module.base import Module
from .rectifier import Hardtanh


class ReLU6(Hardtanh):
    """The positive part, at most 6.

    Formula: y = min(max(0, x), 6)

    Args:
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ReLU6()(sg.tensor([-1.0, 2.0, 9.0]))
        tensor([0., 2., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.relu6(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class CELU(Module):
    """The continuously differentiable exponential linear unit.

    Formula: y = max(0, x) + min(0, alpha (exp(x / alpha) - 1))

    Args:
        alpha: minus the limit for very negative x; not 0.
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Source: Barron, Continuously differentiable exponential linear units (2017).

    Raises:
        RuntimeError: alpha is 0.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.CELU(0.5)(sg.tensor([-100.0, 2.0]))
        tensor([-0.5000,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class SELU(Module):
    """The self-normalising exponential linear unit.

    Formula: y = scale (max(0, x) + min(0, alpha (exp(x) - 1))), alpha = 1.6733, scale = 1.0507

    Args:
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Source: Klambauer, Unterthiner, Mayr and Hochreiter, Self-normalizing neural networks (2017).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.SELU()(sg.tensor([-1.0, 2.0]))
        tensor([-1.1113,  2.1014])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Mish(Module):
    """A smooth activation that dips below zero.

    Formula: y = x tanh(log(1 + exp(x)))

    Args:
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Source: Misra, Mish: a self regularized non-monotonic activation function (2019).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Mish()(sg.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.3034,  0.0000,  0.8651])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Threshold(Module):
    """Another value for what is not above a threshold.

    Formula: y = x if x > threshold, else value

    Args:
        threshold: what x must exceed.
        value: the number for the others.
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Threshold(0.5, 9.0)(sg.tensor([-1.0, 2.0]))
        tensor([9., 2.])
    """

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")


class RReLU(Module):
    """The positive part, plus a random fraction of the negative one.

    Formula: y = x if x > 0, else slope x; the slope is uniform in [lower, upper], or its mean in evaluation

    Args:
        lower, upper: the bounds of slopes.
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Source: Xu, Wang, Chen and Li, Empirical evaluation of rectified activations in convolutional network (2015).

    Raises:
        RuntimeError: lower > upper.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.RReLU(0.1, 0.3).eval()(sg.tensor([-1.0, 2.0]))
        tensor([-0.2000,  2.0000])
    """

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")
