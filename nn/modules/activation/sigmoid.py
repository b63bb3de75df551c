"""Activations made of the logistic function and its relatives: each applies its function to every element."""

from __future__ import annotations

from ....generated.tensor import Tensor
from ... import functional as F
from ..module.base import Module


class Sigmoid(Module):
    """The logistic function.

    Formula: y = 1 / (1 + exp(-x))

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Sigmoid()(sg.tensor([0.0, 2.0]))
        tensor([0.5000, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.sigmoid(input)


class LogSigmoid(Module):
    """The logarithm of the logistic function.

    Formula: y = -log(1 + exp(-x))

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.LogSigmoid()(sg.tensor([0.0, 2.0]))
        tensor([-0.6931, -0.1269])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent.

    Formula: y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Tanh()(sg.tensor([0.0, 2.0]))
        tensor([0.0000, 0.9640])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanh(input)


class SiLU(Module):
    """The sigmoid linear unit, also called swish.

    Formula: y = x sigmoid(x)

    Args:
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Source: Elfwing, Uchibe and Doya, Sigmoid-weighted linear units for neural network function approximation in
    reinforcement learning (2017).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.SiLU()(sg.tensor([-1.0, 2.0]))
        tensor([-0.2689,  1.7616])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class GELU(Module):
    """The Gaussian error linear unit.

    Formula: y = x Phi(x), Phi the normal distribution function; with approximate='tanh'
    y = x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2

    Args:
        approximate: 'none' or 'tanh'.

    Shape:
        Input: any. Output: the same.

    Source: Hendrycks and Gimpel, Gaussian Error Linear Units (2016).

    Raises:
        RuntimeError: approximate is another word.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.GELU()(sg.tensor([-1.0, 2.0]))
        tensor([-0.1587,  1.9545])
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"
