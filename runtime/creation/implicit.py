"""Random numbers of gamma and Dirichlet distributions, whose gradients say how they move with the parameters.

The numbers are drawn outside of the graph; the gradients of `_standard_gamma` are those of an op that moves numbers
from one gamma distribution to another (`gamma_moved`), at the place where both are the same.
"""

from __future__ import annotations

from typing import Any

from ..modes.grad_mode import is_grad_enabled
from ..modes.intercept import interceptable, watch
from ..namespace import op
from ..random import Generator
from ..tensor.dtypes import float64
from .distributions import _flat, _numbers, _plain
from .drawing import filled_by, stream


def _standard_gamma(input: Any, generator: Generator | None = None) -> Any:
    """For each element a number of the density x^(a - 1) e^-x / gamma(a), differentiable by a.

    Args:
        input: the shapes a; 0 gives 0.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        Tensor: of the shape and dtype of `input`.

    Raises:
        RuntimeError: the dtype is not floating point.

    Example:
        >>> import specgrad as sg
        >>> bool((sg._standard_gamma(sg.ones(3)) > 0).all())
        True
    """
    sampled = _log_gamma(input, generator).exp().to(input.dtype)
    is_followed = watch.active or (input.requires_grad and is_grad_enabled())
    return op.gamma_moved(input, input.detach(), sampled) if is_followed else sampled


@interceptable("random")
def _log_gamma(input: Any, generator: Generator | None = None) -> Any:
    """The logarithms of gamma numbers in float64: those of small shapes are too small for any other form."""
    _numbers("_standard_gamma", "input", input)
    chosen, shapes = stream("_standard_gamma", generator), _flat(input, input._shape)
    return filled_by("fill_log_gamma", "_standard_gamma", chosen, input._shape, float64, input._device, shapes)


def _sample_dirichlet(input: Any, generator: Generator | None = None) -> Any:
    """Vectors of the Dirichlet distributions whose concentrations lie along the last dimension.

    Args:
        input: the concentrations.
        generator: where the randomness comes from; the default generator when not given.

    Returns:
        Tensor: of the shape and dtype of `input`; no gradient flows through.

    Raises:
        RuntimeError: the dtype is not floating point.

    Example:
        >>> import specgrad as sg
        >>> sg._sample_dirichlet(sg.ones(2, 3)).shape
        specgrad.Size([2, 3])
    """
    return op.softmax(_log_gamma(_plain(input), generator), -1).to(input.dtype)


def _standard_gamma_grad(input: Any, output: Any) -> Any:
    """The slope of numbers that `_standard_gamma` gave by the shapes, at a fixed level of the distribution function.

    Args:
        input: the shapes.
        output: the numbers.

    Example:
        >>> import specgrad as sg
        >>> sg._standard_gamma_grad(sg.tensor([1.0, 2.0]), sg.tensor([1.0, 1.0]))
        tensor([1.1736, 0.7508])
    """
    return op.standard_gamma_grad(input, output)


def _dirichlet_grad(x: Any, alpha: Any, total: Any) -> Any:
    """The slope by alpha of numbers of beta distributions of shapes alpha and total - alpha, over 1 - x.

    Args:
        x: the numbers.
        alpha: the first shapes.
        total: the sums of both shapes.

    Example:
        >>> import specgrad as sg
        >>> sg._dirichlet_grad(sg.tensor([0.5, 0.2]), sg.tensor([1.0, 2.0]), sg.tensor([2.0, 5.0]))
        tensor([0.6931, 0.1587])
    """
    return op.dirichlet_grad(x, alpha, total)
