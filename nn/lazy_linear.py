"""A linear layer that learns the size of its input from the first one."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime import checks
from .lazy import LazyModuleMixin, materialized
from .linear import Linear
from .parameter import UninitializedParameter


class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` whose `in_features` is the last size of its first input.

    Formula: y = x A^T + b

    Args:
        out_features: size of each output.
        bias: whether to add a learned b.
        device, dtype: where the parameters lie, and their dtype.

    Shape:
        Input: (*, in_features). Output: (*, out_features).

    Example:
        >>> import specgrad as sg
        >>> layer = sg.nn.LazyLinear(3)
        >>> _ = layer(sg.ones(2, 5))
        >>> layer
        Linear(in_features=5, out_features=3, bias=True)
    """

    cls_to_become = Linear

    def __init__(self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None) -> None:
        super().__init__(0, 0, False)
        self.out_features = checks.integer("LazyLinear", "out_features", out_features)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw new initial values, if there is anything to draw."""
        if self.in_features and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Take the size of the parameters from an input.

        Args:
            input: the input of the first call.
        """
        if self.has_uninitialized_params():
            self.in_features = checks.tensor("LazyLinear", "input", input).shape[-1]
            materialized(self, weight=(self.out_features, self.in_features), bias=(self.out_features,))
            self.reset_parameters()
        self.in_features = self.weight.shape[-1]
