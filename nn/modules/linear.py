"""Linear, bilinear and lazy linear layers, and Identity."""

from typing import Any

from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.ops.creation import empty
from .. import functional as F
from .. import init
from ..docstrings import completed_from
from ..parameter import Parameter, UninitializedParameter
from .lazy import LazyModuleMixin, materialized
from .module.base import Module

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Returns its input; takes any arguments, so that it can stand in for any layer.

    Formula: y = x

    Shape: Input: any. Output: the same.

    Example:
        >>> sg.nn.Identity(54, unused=True)(sg.ones(2))
        tensor([1., 1.])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        return input


class Linear(Module):
    """A linear map with a bias.

    Formula: y = x A^T + b

    Weight and bias start uniform in (-k, k) with k = 1 / sqrt(in_features).

    Args:
        in_features: size of each input.
        out_features: size of each output.
        bias: whether to add a learned b.
        device, dtype: where the parameters lie, and their dtype.

    Shape: Input: (*, in_features). Output: (*, out_features).

    Attributes:
        weight: A, of shape (out_features, in_features).
        bias: b, of shape (out_features), or None.

    Raises: RuntimeError: the last size of the input is not in_features.

    Example:
        >>> list(sg.nn.Linear(20, 30)(sg.randn(128, 20)).shape)
        [128, 30]
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = argument_checks.integer("Linear", "in_features", in_features)
        self.out_features = argument_checks.integer("Linear", "out_features", out_features)
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        init.uniform_fan_in_(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """A `Linear` that PyTorch does not quantize by itself: the last layer of attention; programs import it.

    Args:
        in_features, out_features, bias, device, dtype: as of `Linear`.

    Example:
        >>> sg.nn.MultiheadAttention(4, 2).out_proj
        NonDynamicallyQuantizableLinear(in_features=4, out_features=4, bias=True)
    """


@completed_from(Linear)
class Bilinear(Module):
    """A map that is linear in each of two inputs, with a bias.

    Formula: y_k = x1^T A_k x2 + b_k

    Weight and bias start uniform in (-k, k) with k = 1 / sqrt(in1_features).

    Args:
        in1_features: size of each first input.
        in2_features: size of each second input.

    Shape: Input1: (*, in1_features). Input2: (*, in2_features). Output: (*, out_features).

    Attributes:
        weight: A, of shape (out_features, in1_features, in2_features).
        bias: b, of shape (out_features), or None.

    Raises: RuntimeError: the inputs do not fit to the weight or to each other.

    Example:
        >>> list(sg.nn.Bilinear(20, 30, 40)(sg.randn(128, 20), sg.randn(128, 30)).shape)
        [128, 40]
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in1_features = argument_checks.integer("Bilinear", "in1_features", in1_features)
        self.in2_features = argument_checks.integer("Bilinear", "in2_features", in2_features)
        self.out_features = argument_checks.integer("Bilinear", "out_features", out_features)
        if self.in1_features <= 0:
            raise ValueError(f"Bilinear(): in1_features must be > 0, but got {in1_features}")
        shape = (self.out_features, self.in1_features, self.in2_features)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        bound = self.in1_features**-0.5
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


@completed_from(Linear)
class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` whose `in_features` is the last size of its first input.

    Formula: y = x A^T + b

    Example:
        >>> layer = sg.nn.LazyLinear(3)
        >>> _ = layer(sg.ones(2, 5))
        >>> layer
        Linear(in_features=5, out_features=3, bias=True)
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.out_features = argument_checks.integer("LazyLinear", "out_features", out_features)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw new initial values, if there is anything to draw."""
        if self.in_features and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the size of the parameters from `input`, that of the first call."""
        if self.has_uninitialized_params():
            self.in_features = argument_checks.tensor("LazyLinear", "input", input).shape[-1]
            materialized(self, weight=(self.out_features, self.in_features), bias=(self.out_features,))
            self.reset_parameters()
        self.in_features = self.weight.shape[-1]
