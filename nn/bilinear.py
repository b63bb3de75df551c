"""The layer that is linear in each of two inputs."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime import checks
from ..runtime.creation import empty
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


class Bilinear(Module):
    """A map that is linear in each of two inputs, with a bias.

    Formula: y_k = x1^T A_k x2 + b_k

    Weight and bias start uniform in (-k, k) with k = 1 / sqrt(in1_features).

    Args:
        in1_features: size of each first input.
        in2_features: size of each second input.
        out_features: size of each output.
        bias: whether to add a learned b.
        device: where the parameters lie.
        dtype: their dtype.

    Shape:
        Input1: (*, in1_features). Input2: (*, in2_features). Output: (*, out_features).

    Attributes:
        weight: A, of shape (out_features, in1_features, in2_features).
        bias: b, of shape (out_features), or None.

    Raises:
        RuntimeError: the inputs do not fit to the weight or to each other.

    Example:
        >>> import specgrad as sg
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
        self.in1_features = checks.integer("Bilinear", "in1_features", in1_features)
        self.in2_features = checks.integer("Bilinear", "in2_features", in2_features)
        self.out_features = checks.integer("Bilinear", "out_features", out_features)
        if self.in1_features <= 0:
            raise ValueError(f"Bilinear(): in1_features must be > 0, but got {in1_features}")
        shape = (self.out_features, self.in1_features, self.in2_features)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_features, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
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
