"""Random weights whose spread is chosen by the number of inputs and outputs, so that signals keep theirs."""

import math

from ...generated.tensor import Tensor
from ...runtime.errors import warn_user
from ...runtime.tensor.generator import Generator
from ..docstrings import completed_from
from .fill import normal_, uniform_

_LINEAR = ("linear", "conv1d", "conv2d", "conv3d", "sigmoid")


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """The factor by which a nonlinearity shrinks the spread of its input, inverted.

    1 for linear, convolutions and sigmoid; 5/3 for tanh; sqrt(2) for relu; sqrt(2 / (1 + slope^2)) for leaky_relu
    with `param` as its slope (0.01 when left out); 3/4 for selu.

    Args:
        nonlinearity: its name, as above.
        param: the slope of leaky_relu; of no meaning for others.

    Raises: ValueError: an unknown name, or a slope that is no number.

    Example:
        >>> calculate_gain("leaky_relu", 0.2)
        1.3867504905630728
    """
    if not isinstance(nonlinearity, str):
        raise ValueError(f"Unsupported nonlinearity {nonlinearity!r}")
    if nonlinearity in _LINEAR or nonlinearity.startswith("conv_transpose"):
        return 1.0
    if nonlinearity == "leaky_relu":
        return math.sqrt(2.0 / (1 + _leaky_param(param) ** 2))
    fixed = {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}
    if nonlinearity not in fixed:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return fixed[nonlinearity]


def _leaky_param(param: float | None) -> float:
    if param is None:
        return 0.01
    if isinstance(param, bool) or not isinstance(param, (int, float)):
        raise ValueError(f"negative_slope {param} not a valid number")
    return param


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
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

    Raises: ValueError: the tensor has fewer than 2 dimensions.

    Example:
        >>> w = sg.nn.init.xavier_uniform_(sg.empty(3, 5), gain=sg.nn.init.calculate_gain("relu"))
        >>> float(w.abs().max()) < (2 * 6 / 8) ** 0.5
        True
    """
    bound = gain * math.sqrt(6.0 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


@completed_from(xavier_uniform_)
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill from N(0, std^2), std = gain sqrt(2 / (fan_in + fan_out))."""
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / sum(_calculate_fan_in_and_fan_out(tensor))), generator)


def _calculate_correct_fan(tensor: Tensor, mode: str) -> int:
    """The inputs or outputs of one unit of a weight, by 'fan_in' or 'fan_out'."""
    if str(mode).lower() not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    return _calculate_fan_in_and_fan_out(tensor)[mode.lower() == "fan_out"]


def _kaiming_std(tensor: Tensor, a: float, mode: str, nonlinearity: str) -> float:
    return calculate_gain(nonlinearity, a) / math.sqrt(_calculate_correct_fan(tensor, mode))


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

    Raises: ValueError: the tensor has fewer than 2 dimensions, or a name is unknown.

    Example:
        >>> w = sg.nn.init.kaiming_uniform_(sg.empty(3, 6), nonlinearity="relu")
        >>> float(w.abs().max()) <= 1.0
        True
    """
    if tensor.numel() == 0:
        warn_user("Initializing zero-element tensors is a no-op")
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


@completed_from(kaiming_uniform_)
def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill from N(0, std^2), std = gain / sqrt(fan)."""
    if tensor.numel() == 0:
        warn_user("Initializing zero-element tensors is a no-op")
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def uniform_fan_in_(weight: Tensor, bias: Tensor | None = None) -> None:
    """The initialisation of Linear and the convolutions: weight and bias uniform in (-k, k), k = 1 / sqrt(fan_in).

    Args:
        weight: a weight, of shape (outputs, inputs, ...).
        bias: a bias, or None.
    """
    fan_in, _ = _calculate_fan_in_and_fan_out(weight)
    if fan_in == 0:
        return
    bound = 1 / math.sqrt(fan_in)
    uniform_(weight, -bound, bound)
    if bias is not None:
        uniform_(bias, -bound, bound)
