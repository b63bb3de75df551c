"""The base class of activations, and those that let positive values pass: ReLU and its variants."""

from typing import Any

from ....generated.tensor import Tensor
from ....runtime.dispatch import argument_checks
from ....runtime.ops.creation import empty
from ... import functional as F
from ...docstrings import completed_from, completed_within
from ...init import constant_
from ...parameter import Parameter
from ..module.base import Module


class Activation(Module):
    """A function of every element; a subclass lists the arguments that its repr shows.

    Args:
        inplace: write to the input.

    Shape: Input: any. Output: the same.
    """

    shown: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        completed_within(__name__, cls, Activation)

    def extra_repr(self) -> str:
        values = {name: getattr(self, name) for name in self.shown}
        return ", ".join(f"{name}={value}" for name, value in values.items() if name != "inplace" or value)


class InplaceActivation(Activation):
    """An activation whose only argument is whether to write to the input."""

    shown: tuple[str, ...] = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace


class ReLU(InplaceActivation):
    """The positive part.

    Formula: y = max(0, x)

    Example:
        >>> sg.nn.ReLU()(sg.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, inplace=self.inplace)


class LeakyReLU(Activation):
    """The positive part, plus a fraction of the negative one.

    Formula: y = max(0, x) + negative_slope min(0, x)

    Args:
        negative_slope: the fraction.

    Example:
        >>> sg.nn.LeakyReLU(0.5)(sg.tensor([-1.0, 2.0]))
        tensor([-0.5000,  2.0000])
    """

    shown = ("negative_slope", "inplace")

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope, self.inplace = negative_slope, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)


class _AlphaActivation(Activation):
    shown = ("alpha", "inplace")

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha, self.inplace = alpha, inplace


@completed_from(F.elu)
class ELU(_AlphaActivation):
    """The exponential linear unit.

    Formula: y = x if x > 0, else alpha (exp(x) - 1)

    Example:
        >>> sg.nn.ELU()(sg.tensor([-1.0, 2.0]))
        tensor([-0.6321,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class Softplus(Activation):
    """A smooth version of ReLU.

    Formula: y = log(1 + exp(beta x)) / beta, and x itself where beta x > threshold

    Args:
        beta: how sharp the bend is.
        threshold: where the function becomes linear.

    Example:
        >>> sg.nn.Softplus()(sg.tensor([-1.0, 2.0]))
        tensor([0.3133, 2.1269])
    """

    shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta, self.threshold = beta, threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)


class Hardtanh(Activation):
    """Clips to an interval.

    Formula: y = min(max(x, min_val), max_val)

    Args:
        min_val: the lower end.
        max_val: the upper end.

    Example:
        >>> sg.nn.Hardtanh()(sg.tensor([-3.0, 0.5]))
        tensor([-1.0000,  0.5000])
    """

    shown: tuple[str, ...] = ("min_val", "max_val", "inplace")

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        argument_checks.scalar("Hardtanh", "min_val", min_val)
        argument_checks.scalar("Hardtanh", "max_val", max_val)
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")
        self.min_val, self.max_val, self.inplace = min_val, max_val, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


class PReLU(Activation):
    """The positive part, plus a learned fraction of the negative one.

    Formula: y = max(0, x) + weight min(0, x)

    Args:
        num_parameters: 1, or the number of channels.
        init: the fraction to start with.
        device, dtype: those of the weight.

    Shape: Input: (N, C, *) or any for one parameter. Output: the same.

    Raises: RuntimeError: neither one weight nor one for each channel.

    Source: He, Zhang, Ren and Sun, Delving deep into rectifiers (2015).

    Example:
        >>> sg.nn.PReLU(init=0.5)(sg.tensor([-1.0, 2.0])).tolist()
        [-0.5, 2.0]
    """

    shown = ("num_parameters",)
    weight: Parameter

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = argument_checks.integer("PReLU", "num_parameters", num_parameters)
        self.init = argument_checks.floating("PReLU", "init", init)
        self.weight = Parameter(empty(self.num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set all weights to their first value."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)


class ReLU6(Hardtanh):
    """The positive part, at most 6.

    Formula: y = min(max(0, x), 6)

    Example:
        >>> sg.nn.ReLU6()(sg.tensor([-1.0, 2.0, 9.0]))
        tensor([0., 2., 6.])
    """

    shown = ("inplace",)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.relu6(input, self.inplace)


@completed_from(F.celu)
class CELU(_AlphaActivation):
    """The continuously differentiable exponential linear unit.

    Formula: y = max(0, x) + min(0, alpha (exp(x / alpha) - 1))

    Example:
        >>> sg.nn.CELU(0.5)(sg.tensor([-100.0, 2.0]))
        tensor([-0.5000,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


@completed_from(F.selu)
class SELU(InplaceActivation):
    """The self-normalising exponential linear unit.

    Formula: y = scale (max(0, x) + min(0, alpha (exp(x) - 1))), alpha = 1.6733, scale = 1.0507

    Example:
        >>> sg.nn.SELU()(sg.tensor([-1.0, 2.0]))
        tensor([-1.1113,  2.1014])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


@completed_from(F.mish)
class Mish(InplaceActivation):
    """A smooth activation that dips below zero.

    Formula: y = x tanh(log(1 + exp(x)))

    Example:
        >>> sg.nn.Mish()(sg.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.3034,  0.0000,  0.8651])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, self.inplace)


@completed_from(F.threshold)
class Threshold(Activation):
    """Replaces values that are not above a threshold.

    Formula: y = x if x > threshold, else value

    Example:
        >>> sg.nn.Threshold(0.5, 9.0)(sg.tensor([-1.0, 2.0]))
        tensor([9., 2.])
    """

    shown = ("threshold", "value", "inplace")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold, self.value, self.inplace = threshold, value, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)


@completed_from(F.rrelu)
class RReLU(Activation):
    """The positive part, plus a random fraction of the negative one.

    Formula: y = x if x > 0, else slope x; the slope is uniform in [lower, upper], or its mean in evaluation

    Example:
        >>> sg.nn.RReLU(0.1, 0.3).eval()(sg.tensor([-1.0, 2.0]))
        tensor([-0.2000,  2.0000])
    """

    shown = ("lower", "upper", "inplace")

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower, self.upper, self.inplace = lower, upper, inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)
