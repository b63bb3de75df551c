"""Group normalisation."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime.creation import empty
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


class GroupNorm(Module):
    """Normalises groups of channels of each sample.

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    Args:
        num_groups: how many groups the channels make.
        num_channels: channels, a multiple of num_groups.
        eps: added to the (biased) variance.
        affine: whether there are a learned weight and bias, one number per channel.
        device: where the parameters lie.
        dtype: their dtype.
        bias: whether the affine part has a bias.

    Shape:
        Input: (N, C, ...). Output: the same.

    Source: Wu and He, Group Normalization (2018).

    Raises:
        ValueError: num_channels is no multiple of num_groups, or groups of one value.
        RuntimeError: input without num_channels channels.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.GroupNorm(3, 6)(sg.randn(2, 6, 4, 4)).shape)
        [2, 6, 4, 4]
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        for name, present in (("weight", affine), ("bias", affine and bias)):
            values = Parameter(empty(num_channels, device=device, dtype=dtype)) if present else None
            self.register_parameter(name, values)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )
