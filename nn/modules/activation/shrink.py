"""Activations that saturate, shrink and gate."""

from __future__ import annotations

from ....generated.tensor import Tensor
from ... import functional as F
from ..module.base import Module


class Hardsigmoid(Module):
    """The logistic function, by three straight lines.

    Formula: y = min(max(x + 3, 0), 6) / 6

    Args:
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Hardsigmoid()(sg.tensor([-4.0, 0.0, 1.5]))
        tensor([0.0000, 0.5000, 0.7500])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)


class Hardswish(Module):
    """The sigmoid linear unit, by pieces of polynomials.

    Formula: y = x min(max(x + 3, 0), 6) / 6

    Args:
        inplace: write to the input.

    Shape:
        Input: any. Output: the same.

    Source: Howard et al., Searching for MobileNetV3 (2019).

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Hardswish()(sg.tensor([1.5, 4.0]))
        tensor([1.1250, 4.0000])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)


class Hardshrink(Module):
    """Zero for small values.

    Formula: y = x if |x| > lambd, else 0

    Args:
        lambd: the bound.

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Hardshrink()(sg.tensor([-0.7, 0.3, 2.0]))
        tensor([-0.7000,  0.0000,  2.0000])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Softshrink(Module):
    """Moves values towards zero.

    Formula: y = x - lambd if x > lambd, x + lambd if x < -lambd, else 0

    Args:
        lambd: how far; not negative.

    Shape:
        Input: any. Output: the same.

    Raises:
        RuntimeError: lambd < 0.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Softshrink()(sg.tensor([-0.7, 0.3, 2.0]))
        tensor([-0.2000,  0.0000,  1.5000])
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)

    def extra_repr(self) -> str:
        return str(self.lambd)


class Tanhshrink(Module):
    """What the hyperbolic tangent leaves.

    Formula: y = x - tanh(x)

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Tanhshrink()(sg.tensor([0.0, 2.0]))
        tensor([0.0000, 1.0360])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Softsign(Module):
    """A sigmoid with slow tails.

    Formula: y = x / (1 + |x|)

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.Softsign()(sg.tensor([-1.0, 3.0]))
        tensor([-0.5000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class GLU(Module):
    """The gated linear unit.

    Formula: y = a sigmoid(b), for the halves a and b of x along dim

    Args:
        dim: the dimension that is halved.

    Shape:
        Input: (*, 2 N, *). Output: (*, N, *).

    Source: Dauphin, Fan, Auli and Grangier, Language modeling with gated convolutional networks (2017).

    Raises:
        RuntimeError: an odd number of elements.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.GLU()(sg.tensor([1.0, 2.0, 0.0, 100.0]))
        tensor([0.5000, 2.0000])
    """

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"
