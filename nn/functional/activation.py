"""Activations: the ops of the spec with PyTorch's flag `inplace`."""

from __future__ import annotations

from ...generated import ops
from ...generated.tensor import Tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0).

    Args:
        input: the tensor x.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.relu(sg.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    return ops.relu_(input) if inplace else ops.relu(input)


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6).

    Args:
        input: the tensor x.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.relu6(sg.tensor([-1.0, 2.0, 9.0]))
        tensor([0., 2., 6.])
    """
    return hardtanh(input, 0.0, 6.0, inplace)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x for x > 0, negative_slope * x otherwise.

    Args:
        input: the tensor x.
        negative_slope: the slope for negative x.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.leaky_relu(sg.tensor([-1.0, 2.0]), 0.1)
        tensor([-0.1000,  2.0000])
    """
    function = ops.leaky_relu_ if inplace else ops.leaky_relu
    return function(input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x for x > 0, alpha * (exp(x) - 1) otherwise.

    Source: Clevert, Unterthiner and Hochreiter, "Fast and accurate deep network learning by exponential linear
    units (ELUs)" (2016).

    Args:
        input: the tensor x.
        alpha: minus the limit for x towards minus infinity.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.elu(sg.tensor([-100.0, 2.0]))
        tensor([-1.,  2.])
    """
    function = ops.elu_ if inplace else ops.elu
    return function(input, alpha)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x), also called swish.

    Source: Elfwing, Uchibe and Doya, "Sigmoid-weighted linear units for neural network function approximation in
    reinforcement learning" (2017).

    Args:
        input: the tensor x.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.silu(sg.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.2689,  0.0000,  0.7311])
    """
    return ops.silu_(input) if inplace else ops.silu(input)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """min(max(x, min_val), max_val).

    Args:
        input: the tensor x.
        min_val, max_val: the bounds.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.hardtanh(sg.tensor([-3.0, 0.5, 3.0]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    function = ops.hardtanh_ if inplace else ops.hardtanh
    return function(input, min_val, max_val)


def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)).

    Args:
        input: the tensor x.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.sigmoid(sg.tensor([-2.0, 0.0]))
        tensor([0.1192, 0.5000])
    """
    return ops.sigmoid(input)


def tanh(input: Tensor) -> Tensor:
    """(exp(x) - exp(-x)) / (exp(x) + exp(-x)).

    Args:
        input: the tensor x.

    Shape:
        Any; the output has that of input.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.tanh(sg.tensor([-1.0, 0.0]))
        tensor([-0.7616,  0.0000])
    """
    return ops.tanh(input)
