"""A rectifier whose slope is learned."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime import checks
from ..runtime.creation import empty
from . import functional as F
from . import init as fill
from .module import Module
from .parameter import Parameter


class PReLU(Module):
    """The positive part, plus a learned fraction of the negative one.

    Formula: y = max(0, x) + weight min(0, x)

    Args:
        num_parameters: 1, or the number of channels.
        init: the fraction to start with.
        device, dtype: those of the weight.

    Shape:
        Input: (N, C, *) or any for one parameter. Output: the same.

    Source: He, Zhang, Ren and Sun, Delving deep into rectifiers (2015).

    Raises:
        RuntimeError: neither one weight nor one for each channel.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.PReLU(init=0.5)(sg.tensor([-1.0, 2.0])).tolist()
        [-0.5, 2.0]
    """

    weight: Parameter

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = checks.integer("PReLU", "num_parameters", num_parameters)
        self.init = checks.floating("PReLU", "init", init)
        self.weight = Parameter(empty(self.num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set all weights to their first value."""
        fill.constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"
