"""Activations that let positive values pass: each applies its function to every element."""

from __future__ import annotations

from typing import Any

from ....generated.tensor import Tensor
from ....runtime.creation import empty
from ....runtime.dispatch import checks
from ... import functional as F
from ... import init as fill
from ...parameter import Parameter
from ..module.base import Module


class ReLU(Module):
    """The positive part.

    Formula: y = max(0, x)

    Args:
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ReLU()(sg.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """The positive part, plus a fraction of the negative one.

    Formula: y = max(0, x) + negative_slope min(0, x)

    Args:
        negative_slope: the fraction.
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.LeakyReLU(0.5)(sg.tensor([-1.0, 2.0]))
        tensor([-0.5000,  2.0000])
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class ELU(Module):
    """The exponential linear unit.

    Formula: y = x if x > 0, else alpha (exp(x) - 1)

    Args:
        alpha: minus the limit for very negative x.
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Source: Clevert, Unterthiner and Hochreiter, Fast and accurate deep network learning by exponential linear units
    (ELUs) (2016).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.ELU()(sg.tensor([-1.0, 2.0]))
        tensor([-0.6321,  2.0000])
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class Softplus(Module):
    """A smooth version of ReLU.

    Formula: y = log(1 + exp(beta x)) / beta, and x itself where beta x > threshold

    Args:
        beta: how sharp the bend is.
        threshold: where the function becomes linear.

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Softplus()(sg.tensor([-1.0, 2.0]))
        tensor([0.3133, 2.1269])
    """

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class Hardtanh(Module):
    """Clips to an interval.

    Formula: y = min(max(x, min_val), max_val)

    Args:
        min_val: the lower end.
        max_val: the upper end.
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Hardtanh()(sg.tensor([-3.0, 0.5]))
        tensor([-1.0000,  0.5000])
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        checks.scalar("Hardtanh", "min_val", min_val)
        checks.scalar("Hardtanh", "max_val", max_val)
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class PReLU(Module):
    """The positive part, plus a learned fraction of the negative one.

    Formula: y = max(0, x) + weight min(0, x)

    Args:
        num_parameters: 1, or the number of channels.
        init: the fraction to start with.
        device, dtype: those of the weight.

    Shape:
        Input: (N, C, *) or any for one parameter. Output: the same.

    Source: He, Zhang, Ren and Sun, Delving deep into rectifiers (2015).

    Raises:
        RuntimeError: neither one weight nor one for each channel.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.PReLU(init=0.5)(sg.tensor([-1.0, 2.0])).tolist()
        [-0.5, 2.0]
    """

    weight: Parameter

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = checks.integer("PReLU", "num_parameters", num_parameters)
        self.init = checks.floating("PReLU", "init", init)
        self.weight = Parameter(empty(self.num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set all weights to their first value."""
        fill.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"
