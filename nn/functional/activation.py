"""Activations: ops of the spec with PyTorch's flag `inplace`, and those that draw random numbers."""

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.errors import ShapeError, UnsupportedDtypeError, warn_user
from ...runtime.ops.creation import rand, zeros_like
from ...runtime.tensor.dtypes import finfo
from ...runtime.tensor.overrides import NOT_HANDLED, overridden, overridden_in, plain
from ...runtime.tracebacks import hide_internal_frames
from ..docstrings import completed_from


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """max(x, 0).

    Args:
        input: the tensor x.
        inplace: write the result into input.

    Shape: Any; the output has that of input.

    Example:
        >>> sg.nn.functional.relu(sg.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    try:
        if input.__class__ not in plain and (result := overridden(relu, input, inplace=inplace)) is not NOT_HANDLED:
            return result
        return ops.relu_(input) if inplace else ops.relu(input)
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(relu)
def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x, 0), 6).

    Example:
        >>> sg.nn.functional.relu6(sg.tensor([-1.0, 2.0, 9.0]))
        tensor([0., 2., 6.])
    """
    if input.__class__ not in plain and (result := overridden(relu6, input, inplace=inplace)) is not NOT_HANDLED:
        return result
    return hardtanh(input, 0.0, 6.0, inplace)


@completed_from(relu)
def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """x for x > 0, negative_slope * x otherwise.

    Args:
        negative_slope: the slope for negative x.

    Example:
        >>> sg.nn.functional.leaky_relu(sg.tensor([-1.0, 2.0]), 0.1)
        tensor([-0.1000,  2.0000])
    """
    try:
        if input.__class__ not in plain and (result := overridden_in(leaky_relu, locals())) is not NOT_HANDLED:
            return result
        function = ops.leaky_relu_ if inplace else ops.leaky_relu
        return function(input, negative_slope)
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(relu)
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """x for x > 0, alpha * (exp(x) - 1) otherwise.

    Args:
        alpha: minus the limit for x towards minus infinity.

    Source: Clevert, Unterthiner and Hochreiter, "Fast and accurate deep network learning by exponential linear
    units (ELUs)" (2016).

    Example:
        >>> sg.nn.functional.elu(sg.tensor([-100.0, 2.0]))
        tensor([-1.,  2.])
    """
    try:
        if input.__class__ not in plain and (result := overridden_in(elu, locals())) is not NOT_HANDLED:
            return result
        function = ops.elu_ if inplace else ops.elu
        return function(input, alpha)
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(relu)
def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """x * sigmoid(x), also called swish.

    Source: Elfwing, Uchibe and Doya, "Sigmoid-weighted linear units for neural network function approximation in
    reinforcement learning" (2017).

    Example:
        >>> sg.nn.functional.silu(sg.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.2689,  0.0000,  0.7311])
    """
    try:
        if input.__class__ not in plain and (result := overridden(silu, input, inplace=inplace)) is not NOT_HANDLED:
            return result
        return ops.silu_(input) if inplace else ops.silu(input)
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(relu)
def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """min(max(x, min_val), max_val).

    Args:
        min_val, max_val: the bounds.

    Example:
        >>> sg.nn.functional.hardtanh(sg.tensor([-3.0, 0.5, 3.0]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    if input.__class__ not in plain and (result := overridden_in(hardtanh, locals())) is not NOT_HANDLED:
        return result
    function = ops.hardtanh_ if inplace else ops.hardtanh
    return function(input, min_val, max_val)


@completed_from(relu)
def sigmoid(input: Tensor) -> Tensor:
    """1 / (1 + exp(-x)).

    Example:
        >>> sg.nn.functional.sigmoid(sg.tensor([-2.0, 0.0]))
        tensor([0.1192, 0.5000])
    """
    try:
        if input.__class__ not in plain and (result := overridden(sigmoid, input)) is not NOT_HANDLED:
            return result
        return ops.sigmoid(input)
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(relu)
def tanh(input: Tensor) -> Tensor:
    """(exp(x) - exp(-x)) / (exp(x) + exp(-x)).

    Example:
        >>> sg.nn.functional.tanh(sg.tensor([-1.0, 0.0]))
        tensor([-0.7616,  0.0000])
    """
    try:
        if input.__class__ not in plain and (result := overridden(tanh, input)) is not NOT_HANDLED:
            return result
        return ops.tanh(input)
    except Exception as error:
        hide_internal_frames(error)
        raise


@completed_from(relu)
def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """x where x > threshold, value elsewhere.

    Args:
        threshold: what x must exceed to stay.
        value: the number for the others.

    Example:
        >>> sg.nn.functional.threshold(sg.tensor([-1.0, 2.0]), 0.5, 9.0)
        tensor([9., 2.])
    """
    if input.__class__ not in plain and (result := overridden_in(_threshold, locals())) is not NOT_HANDLED:
        return result
    return ops.threshold_(input, threshold, value) if inplace else ops.threshold(input, threshold, value)


_threshold = threshold  # whose own parameter hides it


@completed_from(relu)
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).

    Args:
        alpha: minus the limit for x towards minus infinity; not 0.

    Raises: RuntimeError: alpha is 0.

    Source: Barron, "Continuously differentiable exponential linear units" (2017).

    Example:
        >>> sg.nn.functional.celu(sg.tensor([-100.0, 2.0]), 0.5)
        tensor([-0.5000,  2.0000])
    """
    if input.__class__ not in plain and (result := overridden_in(celu, locals())) is not NOT_HANDLED:
        return result
    return ops.celu_(input, alpha) if inplace else ops.celu(input, alpha)


@completed_from(relu)
def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """scale * (max(0, x) + min(0, alpha * (exp(x) - 1))), alpha = 1.6733 and scale = 1.0507.

    Source: Klambauer, Unterthiner, Mayr and Hochreiter, "Self-normalizing neural networks" (2017).

    Example:
        >>> sg.nn.functional.selu(sg.tensor([-1.0, 2.0]))
        tensor([-1.1113,  2.1014])
    """
    if input.__class__ not in plain and (result := overridden(selu, input, inplace=inplace)) is not NOT_HANDLED:
        return result
    return ops.selu_(input) if inplace else ops.selu(input)


@completed_from(relu)
def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * tanh(log(1 + exp(x))).

    Source: Misra, "Mish: a self regularized non-monotonic activation function" (2019).

    Example:
        >>> sg.nn.functional.mish(sg.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.3034,  0.0000,  0.8651])
    """
    if input.__class__ not in plain and (result := overridden(mish, input, inplace=inplace)) is not NOT_HANDLED:
        return result
    return ops.mish_(input) if inplace else ops.mish(input)


@completed_from(relu)
def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """min(max(x + 3, 0), 6) / 6.

    Example:
        >>> sg.nn.functional.hardsigmoid(sg.tensor([-4.0, 0.0, 1.5]))
        tensor([0.0000, 0.5000, 0.7500])
    """
    if input.__class__ not in plain and (result := overridden(hardsigmoid, input, inplace=inplace)) is not NOT_HANDLED:
        return result
    return ops.hardsigmoid_(input) if inplace else ops.hardsigmoid(input)


@completed_from(relu)
def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """x * min(max(x + 3, 0), 6) / 6.

    Source: Howard et al., "Searching for MobileNetV3" (2019).

    Example:
        >>> sg.nn.functional.hardswish(sg.tensor([1.5, 4.0]))
        tensor([1.1250, 4.0000])
    """
    if input.__class__ not in plain and (result := overridden(hardswish, input, inplace=inplace)) is not NOT_HANDLED:
        return result
    return ops.hardswish_(input) if inplace else ops.hardswish(input)


DEFAULT_EPS = 1e-10


@completed_from(relu)
def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: bool = False
) -> Tensor:
    """x for x > 0, slope * x otherwise: a random slope for each element, or their mean unless training.

    Source: Xu, Wang, Chen and Li, "Empirical evaluation of rectified activations in convolutional network" (2015).

    Args:
        lower, upper: the bounds between which slopes are uniform.
        training: whether slopes are random.

    Raises: RuntimeError: lower > upper.

    Example:
        >>> sg.nn.functional.rrelu(sg.tensor([-1.0, 2.0]), 0.1, 0.3)
        tensor([-0.2000,  2.0000])
    """
    _require_floats("rrelu", "input", input)
    low, high = argument_checks.floating("rrelu", "lower", lower), argument_checks.floating("rrelu", "upper", upper)
    if not low <= high:
        raise RuntimeError(f"rrelu(): expected lower <= upper, but got {low} and {high}")
    if not training:
        mean = (low + high) / 2
        return ops.leaky_relu_(input, mean) if inplace else ops.leaky_relu(input, mean)
    derivatives = rand(input.shape, dtype=input.dtype, device=input.device) * (high - low) + low
    result = ops.channel_leak(input.clone() if inplace else input, derivatives)
    return input.copy_(result) if inplace else result


@completed_from(rrelu)
def rrelu_(input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False) -> Tensor:
    """`rrelu` in place: x for x > 0, slope * x otherwise.

    Args:
        input: the tensor x, which is written to.

    Shape: Any.

    Example:
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

    Shape: Any; the output has that of logits.

    Raises: IndexError: dim is not a dimension of logits.

    Example:
        >>> sg.nn.functional.gumbel_softmax(sg.tensor([0.0, 1000.0]), hard=True)
        tensor([0., 1.])
    """
    _require_floats("gumbel_softmax", "logits", logits)
    if eps != DEFAULT_EPS:
        warn_user("`eps` parameter is deprecated and has no effect.")
    dim = argument_checks.wrap_dim("gumbel_softmax", argument_checks.integer("gumbel_softmax", "dim", dim), logits.ndim)
    if logits.ndim and logits.shape[dim] == 0:
        raise ShapeError(f"gumbel_softmax(): expected classes along dim {dim}, but got the shape {list(logits.shape)}")
    uniform = rand(logits.shape, dtype=logits.dtype, device=logits.device)
    exponential = (-(1 - uniform).log()).clamp_min(finfo(logits.dtype).tiny)
    gumbels = -exponential.log()
    soft = ops.softmax((logits + gumbels) / argument_checks.scalar("gumbel_softmax", "tau", tau), dim)
    if not hard:
        return soft
    chosen = soft.detach().argmax(dim, keepdim=True)
    return ops.scatter(zeros_like(soft), dim, chosen, 1.0) - soft.detach() + soft


def _require_floats(op: str, name: str, input: Tensor) -> None:
    if not argument_checks.tensor(op, name, input).is_floating_point():
        raise UnsupportedDtypeError(f"{op}(): expected {name} to be a floating-point tensor, but got {input.dtype}")
