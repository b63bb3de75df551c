"""Layer normalisation, RMS normalisation, and the normalisation by neighbouring channels."""

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


class RMSNorm(Module):
    """Divides the last dimensions of each sample by their root mean square.

    Formula: y = x / sqrt(E[x^2] + eps) * weight

    Args:
        normalized_shape: the sizes of the dimensions that the mean is taken over.
        eps: added to it; the epsilon of the input's dtype when None.
        elementwise_affine: whether there is a learned weight.
        device: where it lies.
        dtype: its dtype.

    Shape:
        Input: (*, normalized_shape). Output: the same.

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization (2019).

    Raises:
        RuntimeError: the last sizes of the input are not normalized_shape.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.RMSNorm([3, 4])(sg.randn(2, 3, 4)).shape)
        [2, 3, 4]
    """

    weight: Parameter | None

    def __init__(
        self,
        normalized_shape: int | list[int] | tuple[int, ...],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = checks.integer_list("RMSNorm", "normalized_shape", normalized_shape, 1)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        weight = Parameter(empty(self.normalized_shape, device=device, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Weight 1."""
        if self.weight is not None:
            init.ones_(self.weight)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


class LocalResponseNorm(Module):
    """Divides each channel by what its neighbours respond with.

    Formula: y = x / (k + alpha E[x^2])^beta, the mean over `size` neighbouring channels

    Args:
        size: how many channels are neighbours.
        alpha: the factor of the mean.
        beta: the exponent.
        k: the constant.

    Shape:
        Input: (N, C, ...), of at least 3 dimensions. Output: the same.

    Source: Krizhevsky, Sutskever and Hinton, ImageNet classification with deep convolutional neural networks (2012).

    Raises:
        ValueError: input of fewer than 3 dimensions.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.LocalResponseNorm(2)(sg.randn(2, 3, 4)).shape)
        [2, 3, 4]
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
