"""Initial values of parameters. Each function fills a tensor in place, without recording, and returns it."""

from __future__ import annotations

import math
import warnings

import numpy as np

from ..generated.tensor import Tensor
from ..runtime.autograd.grad_mode import no_grad
from ..runtime.creation import empty, from_numpy, rand, randn
from ..runtime.dtypes import float64
from ..runtime.random import Generator

_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "sigmoid")


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which a nonlinearity shrinks the spread of its input, inverted.

    1 for linear, convolutions and sigmoid; 5/3 for tanh; sqrt(2) for relu; sqrt(2 / (1 + slope^2)) for leaky_relu
    with `param` as its slope (0.01 when left out); 3/4 for selu.

    Args:
        nonlinearity: its name, as above.
        param: the slope of leaky_relu; of no meaning for others.

    Raises:
        ValueError: an unknown name, or a slope that is no number.

    Example:
        >>> calculate_gain("leaky_relu", 0.2)
        1.3867504905630728
    """
    if nonlinearity in _LINEAR or nonlinearity.startswith("conv_transpose"):
        return 1.0
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + _slope(param) ** 2))
    fixed = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity not in fixed:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return fixed[nonlinearity]


def _slope(param: float | None) -> float:
    if param is None:
        return 0.01
    if isinstance(param, bool) or not isinstance(param, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return param


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn uniformly from [a, b).

    Args:
        tensor: what is filled.
        a, b: the bounds.
        generator: source of the numbers; the default generator when left out.

    Example:
        >>> import specgrad as sg
        >>> w = sg.nn.init.uniform_(sg.empty(3, 5), 1, 2)
        >>> bool((w >= 1).all() and (w < 2).all())
        True
    """
    with no_grad():
        values = rand(tensor.shape, generator=generator, dtype=tensor.dtype, device=tensor.device)
        return tensor.copy_(values.mul_(b - a).add_(a))


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with numbers drawn from the normal distribution N(mean, std^2).

    Args:
        tensor: what is filled.
        mean: the mean.
        std: the standard deviation.
        generator: source of the numbers; the default generator when left out.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.init.normal_(sg.empty(2), mean=3.0, std=0.0)
        tensor([3., 3.])
    """
    with no_grad():
        values = randn(tensor.shape, generator=generator, dtype=tensor.dtype, device=tensor.device)
        return tensor.copy_(values.mul_(std).add_(mean))


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with the value `val`.

    Args:
        tensor: what is filled.
        val: the value.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.init.constant_(sg.empty(2), 0.3)
        tensor([0.3000, 0.3000])
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones.

    Args:
        tensor: what is filled.
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros.

    Args:
        tensor: what is filled.
    """
    return constant_(tensor, 0.0)


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity: as a weight it passes on as many inputs as it can.

    Args:
        tensor: the matrix that is filled.

    Raises:
        ValueError: the tensor is no matrix.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.init.eye_(sg.empty(2, 3))
        tensor([[1., 0., 0.],
                [0., 1., 0.]])
    """
    if tensor.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.zero_()
        tensor.diagonal().fill_(1)
    return tensor


def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with numbers drawn from N(mean, std^2), those outside [a, b] drawn again.

    Works by inverting the distribution function: x = mean + std cdf^-1(u), with u uniform between the values of the
    distribution function at the two ends.

    Args:
        tensor: what is filled.
        mean: the mean before truncation.
        std: the standard deviation before truncation.
        a, b: the bounds.
        generator: source of the numbers; the default generator when left out.
    """
    from scipy.special import ndtr, ndtri

    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    low, high = ndtr((a - mean) / std), ndtr((b - mean) / std)
    uniform = uniform_(empty(tensor.shape, dtype=float64), low, high, generator)
    values = np.clip(mean + std * ndtri(uniform.numpy()), a, b)
    with no_grad():
        return tensor.copy_(from_numpy(values))


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with a (semi-)orthogonal matrix times `gain`; dimensions after the first count as columns.

    The matrix is the Q of a normal matrix's QR decomposition, with the signs that make R's diagonal positive, and so
    uniformly distributed.

    Source: Saxe, McClelland and Ganguli, Exact solutions to the nonlinear dynamics of learning (2013).

    Args:
        tensor: what is filled.
        gain: a factor for all elements.
        generator: source of the numbers; the default generator when left out.

    Raises:
        ValueError: the tensor has fewer than 2 dimensions.

    Example:
        >>> import specgrad as sg
        >>> w = sg.nn.init.orthogonal_(sg.empty(2, 3))
        >>> sg.allclose(w @ w.T, sg.eye(2), atol=1e-6)
        True
    """
    if tensor.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    normal = normal_(empty((max(rows, columns), min(rows, columns)), dtype=float64), generator=generator)
    q, r = np.linalg.qr(normal.numpy())
    q *= np.sign(np.diag(r))
    values = np.ascontiguousarray(q if rows >= columns else q.T).reshape(tuple(tensor.shape))
    with no_grad():
        return tensor.copy_(from_numpy(gain * values))


def _fans(tensor: Tensor) -> tuple[int, int]:
    """How many inputs one output sums over, and how many outputs one input reaches, for a weight."""
    if tensor.ndim < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive_field = math.prod(tensor.shape[2:])
    return tensor.size(1) * receptive_field, tensor.size(0) * receptive_field


def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill uniformly from (-a, a), a = gain sqrt(6 / (fan_in + fan_out)).

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks (2010).

    Args:
        tensor: the weight.
        gain: a factor, such as `calculate_gain` gives for what follows the layer.
        generator: source of the numbers; the default generator when left out.

    Raises:
        ValueError: the tensor has fewer than 2 dimensions.

    Example:
        >>> import specgrad as sg
        >>> w = sg.nn.init.xavier_uniform_(sg.empty(3, 5), gain=sg.nn.init.calculate_gain("relu"))
        >>> float(w.abs().max()) < (2 * 6 / 8) ** 0.5
        True
    """
    bound = gain * math.sqrt(6.0 / sum(_fans(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill from N(0, std^2), std = gain sqrt(2 / (fan_in + fan_out)).

    Source: Glorot and Bengio, Understanding the difficulty of training deep feedforward neural networks (2010).

    Args:
        tensor: the weight.
        gain: a factor, such as `calculate_gain` gives for what follows the layer.
        generator: source of the numbers; the default generator when left out.

    Raises:
        ValueError: the tensor has fewer than 2 dimensions.
    """
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_fans(tensor))), generator)


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan = _fans(tensor)[mode.lower() == "fan_out"]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill uniformly from (-b, b), b = gain sqrt(3 / fan).

    Args:
        tensor: the weight.
        a: slope of the leaky_relu that follows.
        mode: 'fan_in' keeps the spread in forward, 'fan_out' in backward.
        nonlinearity: what follows the layer.
        generator: source of the numbers.

    Source: He et al., Delving deep into rectifiers (2015).
    """
    if tensor.numel() == 0:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill from N(0, std^2), std = gain / sqrt(fan); arguments as of `kaiming_uniform_`.

    Source: He et al., Delving deep into rectifiers (2015).

    Raises:
        ValueError: the tensor has fewer than 2 dimensions, or a name is unknown.
    """
    if tensor.numel() == 0:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=2)
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def uniform_fan_in_(weight: Tensor, bias: Tensor | None = None) -> None:
    """How Linear and the convolutions start: weight and bias uniform in (-k, k), k = 1 / sqrt(fan_in).

    Args:
        weight: a weight, of shape (outputs, inputs, ...).
        bias: a bias, or None.
    """
    fan_in, _ = _fans(weight)
    if fan_in == 0:
        return
    bound = 1 / math.sqrt(fan_in)
    uniform_(weight, -bound, bound)
    if bias is not None:
        uniform_(bias, -bound, bound)
