"""Layer normalisation."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime import checks
from ..runtime.creation import empty
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter


class LayerNorm(Module):
    """Normalises the last dimensions of each sample.

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    Args:
        normalized_shape: the sizes of the dimensions that mean and (biased) variance are taken over.
        eps: added to the variance.
        elementwise_affine: whether there is a learned weight and bias.
        bias: whether the affine part has a bias.
        device: where the parameters lie.
        dtype: their dtype.

    Shape:
        Input: (*, normalized_shape). Output: the same.

    Source: Ba, Kiros and Hinton, Layer Normalization (2016).

    Raises:
        RuntimeError: the last sizes of the input are not normalized_shape.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.LayerNorm([3, 4])(sg.randn(2, 3, 4)).shape)
        [2, 3, 4]
    """

    weight: Parameter | None
    bias: Parameter | None

    def __init__(
        self,
        normalized_shape: int | list[int] | tuple[int, ...],
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        shape = checks.integer_list("LayerNorm", "normalized_shape", normalized_shape, 1)
        self.normalized_shape = shape
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        for name, present in (("weight", elementwise_affine), ("bias", elementwise_affine and bias)):
            values = Parameter(empty(shape, device=device, dtype=dtype)) if present else None
            self.register_parameter(name, values)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )
