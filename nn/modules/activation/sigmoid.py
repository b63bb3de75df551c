"""Activations that saturate, gate or shrink: sigmoid, tanh, GELU, softmax and their relatives."""

from ....generated.tensor import Tensor
from ....runtime.dispatch import argument_checks
from ... import functional as F
from ...docstrings import completed_from
from ..module.base import Module
from .rectifier import Activation, InplaceActivation


class Sigmoid(Activation):
    """The logistic function.

    Formula: y = 1 / (1 + exp(-x))

    Example:
        >>> sg.nn.Sigmoid()(sg.tensor([0.0, 2.0]))
        tensor([0.5000, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.sigmoid(input)


class LogSigmoid(Activation):
    """The logarithm of the logistic function.

    Formula: y = -log(1 + exp(-x))

    Example:
        >>> sg.nn.LogSigmoid()(sg.tensor([0.0, 2.0]))
        tensor([-0.6931, -0.1269])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Tanh(Activation):
    """The hyperbolic tangent.

    Formula: y = (exp(x) - exp(-x)) / (exp(x) + exp(-x))

    Example:
        >>> sg.nn.Tanh()(sg.tensor([0.0, 2.0]))
        tensor([0.0000, 0.9640])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanh(input)


@completed_from(F.silu)
class SiLU(InplaceActivation):
    """The sigmoid linear unit, also called swish.

    Formula: y = x sigmoid(x)

    Example:
        >>> sg.nn.SiLU()(sg.tensor([-1.0, 2.0]))
        tensor([-0.2689,  1.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)


class GELU(Activation):
    """The Gaussian error linear unit.

    Formula: y = x Phi(x), Phi the normal distribution function; with approximate='tanh'
    y = x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2

    Args:
        approximate: 'none' or 'tanh'.

    Raises: RuntimeError: approximate is another word.

    Source: Hendrycks and Gimpel, Gaussian Error Linear Units (2016).

    Example:
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


class Hardsigmoid(InplaceActivation):
    """The logistic function, by three straight lines.

    Formula: y = min(max(x + 3, 0), 6) / 6

    Example:
        >>> sg.nn.Hardsigmoid()(sg.tensor([-4.0, 0.0, 1.5]))
        tensor([0.0000, 0.5000, 0.7500])
    """

    shown = ()

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


@completed_from(F.hardswish)
class Hardswish(InplaceActivation):
    """The sigmoid linear unit, by pieces of polynomials.

    Formula: y = x min(max(x + 3, 0), 6) / 6

    Example:
        >>> sg.nn.Hardswish()(sg.tensor([1.5, 4.0]))
        tensor([1.1250, 4.0000])
    """

    shown = ()

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


class _Shrink(Activation):
    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink):
    """Zero for small values.

    Formula: y = x if |x| > lambd, else 0

    Args:
        lambd: the bound.

    Example:
        >>> sg.nn.Hardshrink()(sg.tensor([-0.7, 0.3, 2.0]))
        tensor([-0.7000,  0.0000,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """Moves values towards zero.

    Formula: y = x - lambd if x > lambd, x + lambd if x < -lambd, else 0

    Args:
        lambd: how far; not negative.

    Raises: RuntimeError: lambd < 0.

    Example:
        >>> sg.nn.Softshrink()(sg.tensor([-0.7, 0.3, 2.0]))
        tensor([-0.2000,  0.0000,  1.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class Tanhshrink(Activation):
    """The input minus its hyperbolic tangent.

    Formula: y = x - tanh(x)

    Example:
        >>> sg.nn.Tanhshrink()(sg.tensor([0.0, 2.0]))
        tensor([0.0000, 1.0360])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Softsign(Activation):
    """A sigmoid with slow tails.

    Formula: y = x / (1 + |x|)

    Example:
        >>> sg.nn.Softsign()(sg.tensor([-1.0, 3.0]))
        tensor([-0.5000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class GLU(Activation):
    """The gated linear unit.

    Formula: y = a sigmoid(b), for the halves a and b of x along dim

    Args:
        dim: the dimension that is halved.

    Shape: Input: (*, 2 N, *). Output: (*, N, *).

    Raises: RuntimeError: an odd number of elements.

    Source: Dauphin, Fan, Auli and Grangier, Language modeling with gated convolutional networks (2017).

    Example:
        >>> sg.nn.GLU()(sg.tensor([1.0, 2.0, 0.0, 100.0]))
        tensor([0.5000, 2.0000])
    """

    shown = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)


class _AlongDim(Activation):
    shown = ("dim",)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim


@completed_from(F.softmax)
class Softmax(_AlongDim):
    """Positive numbers that sum to one along a dimension.

    Formula: y_i = exp(x_i) / sum_j exp(x_j)

    Example:
        >>> sg.nn.Softmax(dim=0)(sg.tensor([0.0, 0.0]))
        tensor([0.5000, 0.5000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmax(input, self.dim, _stacklevel=5)


@completed_from(Softmax)
class LogSoftmax(_AlongDim):
    """The logarithm of Softmax, computed without overflow.

    Formula: y_i = x_i - log sum_j exp(x_j)

    Example:
        >>> sg.nn.LogSoftmax(dim=0)(sg.tensor([0.0, 0.0]))
        tensor([-0.6931, -0.6931])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.log_softmax(input, self.dim, _stacklevel=5)


@completed_from(Softmax)
class Softmin(_AlongDim):
    """Positive numbers that sum to one along a dimension, the largest for the smallest x.

    Formula: y_i = exp(-x_i) / sum_j exp(-x_j)

    Example:
        >>> sg.nn.Softmin(dim=0)(sg.tensor([0.0, 1000.0]))
        tensor([1., 0.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softmin(input, self.dim, _stacklevel=5)


class Softmax2d(Module):
    """Softmax over the channels of each pixel.

    Formula: y_c = exp(x_c) / sum_k exp(x_k), over the third dimension from the end

    Shape: Input: (N, C, H, W) or (C, H, W). Output: the same.

    Raises: ValueError: an input of another number of dimensions.

    Example:
        >>> sg.nn.Softmax2d()(sg.zeros(2, 1, 1)).tolist()
        [[[0.5]], [[0.5]]]
    """

    def forward(self, input: Tensor) -> Tensor:
        if argument_checks.tensor("Softmax2d", "input", input).ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return F.softmax(input, -3, _stacklevel=5)
