"""Layers that apply a linear map to the last dimension."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime import checks
from ..runtime.creation import empty
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


class Identity(Module):
    """Returns its input; takes any arguments, so that it can stand in for any layer.

    Formula: y = x

    Shape:
        Input: any. Output: the same.

    Example:
        >>> import specgrad as sg
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
        device: where the parameters lie.
        dtype: their dtype.

    Shape:
        Input: (*, in_features). Output: (*, out_features).

    Attributes:
        weight: A, of shape (out_features, in_features).
        bias: b, of shape (out_features), or None.

    Raises:
        RuntimeError: the last size of the input is not in_features.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.Linear(20, 30)(sg.randn(128, 20)).shape)
        [128, 30]
    """

    weight: Parameter
    bias: Parameter | None

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = checks.integer("Linear", "in_features", in_features)
        self.out_features = checks.integer("Linear", "out_features", out_features)
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        init.uniform_fan_in_(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"
