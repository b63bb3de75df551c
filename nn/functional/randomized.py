"""Activations that draw random numbers."""

from __future__ import annotations

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.creation import rand, zeros_like
from ...runtime.dispatch import checks
from ...runtime.errors import ShapeError, UnsupportedDtypeError, warn_user
from ...runtime.tensor.dtypes import finfo
from ..docstrings import completed_from

DEFAULT_EPS = 1e-10


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """x for x > 0, slope * x otherwise: a random slope for each element, or their mean unless training.

    Source: Xu, Wang, Chen and Li, "Empirical evaluation of rectified activations in convolutional network" (2015).

    Args:
        input: the tensor x.
        lower, upper: the bounds between which slopes are uniform.
        training: whether slopes are random.
        inplace: write the result into input.

    Shape:
        Any; the output has that of input.

    Raises:
        RuntimeError: lower > upper.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.rrelu(sg.tensor([-1.0, 2.0]), 0.1, 0.3)
        tensor([-0.2000,  2.0000])
    """
    _require_floats("rrelu", "input", input)
    low, high = checks.floating("rrelu", "lower", lower), checks.floating("rrelu", "upper", upper)
    if not low <= high:
        raise RuntimeError(f"rrelu(): expected lower <= upper, but got {low} and {high}")
    if not training:
        mean = (low + high) / 2
        return ops.leaky_relu_(input, mean) if inplace else ops.leaky_relu(input, mean)
    derivatives = rand(input.shape, dtype=input.dtype, device=input.device) * (high - low) + low
    factors = ops.where(input.detach() > 0, 1, derivatives)
    return input.mul_(factors) if inplace else input * factors


@completed_from(rrelu)
def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """`rrelu` in place: x for x > 0, slope * x otherwise.

    Args:
        input: the tensor x, which is written to.

    Shape:
        Any.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.rrelu_(sg.tensor([-1.0, 2.0]), 0.1, 0.3)
        tensor([-0.2000,  2.0000])
    """
    return rrelu(input, lower, upper, training, inplace=True)


def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = DEFAULT_EPS, dim: int = -1
) -> Tensor:
    """softmax((logits + g) / tau) along a dimension, g drawn from the Gumbel distribution: nearly a random class.

    Source: Jang, Gu and Poole, "Categorical reparameterization with Gumbel-softmax" (2017).

    Args:
        logits: logarithms of probabilities, not necessarily normalised.
        tau: the temperature: the smaller, the nearer to a one-hot vector.
        hard: give the one-hot vector itself; its gradient is that of the softmax.
        eps: has no effect.
        dim: the dimension of the classes.

    Shape:
        Any; the output has that of logits.

    Raises:
        IndexError: dim is not a dimension of logits.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.gumbel_softmax(sg.tensor([0.0, 1000.0]), hard=True)
        tensor([0., 1.])
    """
    _require_floats("gumbel_softmax", "logits", logits)
    if eps != DEFAULT_EPS:
        warn_user("`eps` parameter is deprecated and has no effect.")
    dim = checks.wrap_dim("gumbel_softmax", checks.integer("gumbel_softmax", "dim", dim), logits.ndim)
    if logits.ndim and logits.shape[dim] == 0:
        raise ShapeError(f"gumbel_softmax(): expected classes along dim {dim}, but got the shape {list(logits.shape)}")
    uniform = rand(logits.shape, dtype=logits.dtype, device=logits.device)
    exponential = (-(1 - uniform).log()).clamp_min(finfo(logits.dtype).tiny)
    gumbels = -exponential.log()
    soft = ops.softmax((logits + gumbels) / checks.scalar("gumbel_softmax", "tau", tau), dim)
    if not hard:
        return soft
    chosen = soft.detach().argmax(dim, keepdim=True)
    return ops.scatter(zeros_like(soft), dim, chosen, 1.0) - soft.detach() + soft


def _require_floats(op: str, name: str, input: Tensor) -> None:
    if not checks.tensor(op, name, input).is_floating_point():
        raise UnsupportedDtypeError(f"{op}(): expected {name} to be a floating-point tensor, but got {input.dtype}")
