"""Weights with a structure: convolutions that pass their input on, and matrices with few numbers."""

from __future__ import annotations

import math

from ...generated.tensor import Tensor
from ...runtime.creation import randperm
from ...runtime.dispatch import checks
from ...runtime.modes.grad_mode import no_grad
from ...runtime.random import Generator
from .fill import normal_


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill a convolution's weight so that it passes on as many channels as it can: with ones in the middle.

    Args:
        tensor: what is filled, the weight of a convolution in 1, 2 or 3 dimensions.
        groups: groups of channels, each of which is passed on.

    Raises:
        ValueError: the tensor has another number of dimensions, or channels cannot be split into groups.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.init.dirac_(sg.empty(2, 2, 3))
        tensor([[[0., 1., 0.],
                 [0., 0., 0.]],
        <BLANKLINE>
                [[0., 0., 0.],
                 [0., 1., 0.]]])
    """
    checks.tensor("dirac_", "tensor", tensor)
    if tensor.ndim not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    outputs = tensor.size(0) // groups
    middle = tuple(size // 2 for size in tensor.shape[2:])
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(outputs, tensor.size(1))):
                tensor[(group * outputs + channel, channel, *middle)] = 1
    return tensor


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fill a matrix with numbers drawn from N(0, std^2), in each column some of them replaced by zero.

    Args:
        tensor: what is filled, a matrix.
        sparsity: the part of each column that is zero, rounded up.
        std: the standard deviation of the others.
        generator: source of the numbers; the default generator when left out.

    Raises:
        ValueError: the tensor is no matrix.

    Source: Martens, Deep learning via Hessian-free optimization (2010).

    Example:
        >>> import specgrad as sg
        >>> int((sg.nn.init.sparse_(sg.empty(10, 3), sparsity=0.25) == 0).sum())
        9
    """
    checks.tensor("sparse_", "tensor", tensor)
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        normal_(tensor, 0, std, generator)
        for column in range(columns):
            tensor[randperm(rows, generator=generator, device=tensor.device)[:zeros], column] = 0
    return tensor
