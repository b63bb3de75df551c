"""Normalisation of each sample: layer, RMS and group norm, and by neighbouring channels."""

from typing import Any

from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.ops.creation import empty
from .. import functional as F
from .. import init
from ..docstrings import completed_from
from ..parameter import Parameter
from .module.base import Module

__all__ = ["CrossMapLRN2d", "GroupNorm", "LayerNorm", "LocalResponseNorm", "RMSNorm"]


class _Affine(Module):
    weight: Parameter | None
    bias: Parameter | None

    def _register(self, shape: tuple[int, ...], device: Any, dtype: Any, **has_parameters: bool) -> None:
        for name, requested in has_parameters.items():
            self.register_parameter(name, Parameter(empty(shape, device=device, dtype=dtype)) if requested else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to 1 and the bias to 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        bias = getattr(self, "bias", None)  # RMSNorm has none
        if bias is not None:
            init.zeros_(bias)


class LayerNorm(_Affine):
    """Normalises the last dimensions of each sample.

    Formula: y = (x - E[x]) / sqrt(Var[x] + eps) * weight + bias

    Args:
        normalized_shape: the sizes of the dimensions that mean and (biased) variance are taken over.
        eps: added to the variance.
        elementwise_affine: whether there is a learned weight and bias.
        bias: whether the affine part has a bias.
        device, dtype: where the parameters lie, and their dtype.

    Shape: Input: (*, normalized_shape). Output: the same.

    Source: Ba, Kiros and Hinton, Layer Normalization (2016).

    Raises: RuntimeError: the last sizes of the input are not normalized_shape.

    Example:
        >>> list(sg.nn.LayerNorm([3, 4])(sg.randn(2, 3, 4)).shape)
        [2, 3, 4]
    """

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
        shape = argument_checks.integer_list("LayerNorm", "normalized_shape", normalized_shape, 1)
        self.normalized_shape = shape
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._register(shape, device, dtype, weight=elementwise_affine, bias=elementwise_affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, "
            f"bias={self.bias is not None}"
        )


@completed_from(LayerNorm)
class RMSNorm(_Affine):
    """Divides the last dimensions of each sample by their root mean square.

    Formula: y = x / sqrt(E[x^2] + eps) * weight

    Args:
        normalized_shape: the sizes of the dimensions that the mean is taken over.
        eps: added to it; the epsilon of the input's dtype when None.
        elementwise_affine: whether there is a learned weight.

    Source: Zhang and Sennrich, Root Mean Square Layer Normalization (2019).

    Example:
        >>> list(sg.nn.RMSNorm([3, 4])(sg.randn(2, 3, 4)).shape)
        [2, 3, 4]
    """

    def __init__(
        self,
        normalized_shape: int | list[int] | tuple[int, ...],
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = argument_checks.integer_list("RMSNorm", "normalized_shape", normalized_shape, 1)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._register(self.normalized_shape, device, dtype, weight=elementwise_affine)

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"


@completed_from(F.local_response_norm)
class LocalResponseNorm(Module):
    """Divides each channel by what its neighbours respond with.

    Formula: y = x / (k + alpha E[x^2])^beta, the mean over `size` neighbouring channels

    Args:
        alpha: the factor of the mean.
        beta: the exponent.
        k: the constant.

    Shape: Input: (N, C, ...), of at least 3 dimensions. Output: the same.

    Example:
        >>> list(sg.nn.LocalResponseNorm(2)(sg.randn(2, 3, 4)).shape)
        [2, 3, 4]
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k

    def forward(self, input: Tensor) -> Tensor:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self) -> str:
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


@completed_from(LayerNorm)
class GroupNorm(_Affine):
    """Normalises groups of channels of each sample.

    Args:
        num_groups: how many groups the channels make.
        num_channels: channels, a multiple of num_groups.
        eps: added to the (biased) variance.
        affine: whether there are a learned weight and bias, one number per channel.

    Shape: Input: (N, C, ...). Output: the same.

    Raises:
        ValueError: num_channels is no multiple of num_groups, or groups of one value.
        RuntimeError: input without num_channels channels.

    Source: Wu and He, Group Normalization (2018).

    Example:
        >>> list(sg.nn.GroupNorm(3, 6)(sg.randn(2, 6, 4, 4)).shape)
        [2, 6, 4, 4]
    """

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
        self.num_groups, self.num_channels, self.eps = num_groups, num_channels, eps
        self.affine = affine
        self._register((num_channels,), device, dtype, weight=affine, bias=affine and bias)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )


@completed_from(LocalResponseNorm)
class CrossMapLRN2d(LocalResponseNorm):
    """Divides each channel of images by what the channels on both sides of it respond with.

    Formula: y = x / (k + alpha / size * sum of x^2)^beta, over (size - 1) // 2 channels on each side and the middle one

    It equals `LocalResponseNorm` for odd sizes.

    Shape: Input: (N, C, H, W). Output: the same.

    Raises: ValueError: input that has not 4 dimensions.

    Example:
        >>> list(sg.nn.CrossMapLRN2d(3)(sg.randn(2, 3, 4, 4)).shape)
        [2, 3, 4, 4]
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__(size, alpha, beta, k)

    def forward(self, input: Tensor) -> Tensor:
        if input.ndim != 4:
            raise ValueError(f"CrossMapLRN2d: Expected input to be 4D, got {input.ndim}D instead.")
        width = 2 * ((self.size - 1) // 2) + 1
        return F.local_response_norm(input, width, self.alpha * width / self.size, self.beta, self.k)
