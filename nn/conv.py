"""Convolution layers: one base class, one subclass per number of spatial dimensions."""

from __future__ import annotations

from typing import Any

from ..generated.tensor import Tensor
from ..runtime import checks
from ..runtime.creation import empty
from . import functional as F
from . import init
from .module import Module
from .parameter import Parameter

Size = int | tuple[int, ...]


class _ConvNd(Module):
    """What convolutions of all dimensions share; a subclass sets `spatial_dims` and calls its functional."""

    spatial_dims: int
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: str | Size = 0,
        dilation: Size = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.in_channels = checks.integer(name, "in_channels", in_channels)
        self.out_channels = checks.integer(name, "out_channels", out_channels)
        self.kernel_size = self._sizes("kernel_size", kernel_size)
        self.stride = self._sizes("stride", stride)
        self.padding = padding if isinstance(padding, str) else self._sizes("padding", padding)
        self.dilation = self._sizes("dilation", dilation)
        self.groups = checks.integer(name, "groups", groups)
        self.padding_mode = padding_mode
        self._check_arguments()
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        self.weight = Parameter(empty(shape, device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _sizes(self, name: str, value: Any) -> tuple[int, ...]:
        """A number for each spatial dimension: given one by one, or one for all."""
        sizes = checks.integer_list(type(self).__name__, name, value, self.spatial_dims)
        if len(sizes) != self.spatial_dims:
            raise ValueError(f"{name} must be one int or a sequence of {self.spatial_dims}, but got {value}")
        return sizes

    def _check_arguments(self) -> None:
        if self.groups <= 0:
            raise ValueError("groups must be a positive integer")
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if self.out_channels % self.groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(self.padding, str):
            if self.padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string '{self.padding}', should be one of {{'same', 'valid'}}")
            if self.padding == "same" and any(step != 1 for step in self.stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        if self.padding_mode != "zeros":
            raise ValueError(f"padding_mode must be 'zeros', but got padding_mode='{self.padding_mode}'")

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        init.uniform_fan_in_(self.weight, self.bias)

    def extra_repr(self) -> str:
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"]
        parts.append(f"stride={self.stride}")
        if self.padding != (0,) * self.spatial_dims:
            parts.append(f"padding={self.padding}")
        if self.dilation != (1,) * self.spatial_dims:
            parts.append(f"dilation={self.dilation}")
        if self.groups != 1:
            parts.append(f"groups={self.groups}")
        if self.bias is None:
            parts.append("bias=False")
        return ", ".join(parts)


class Conv1d(_ConvNd):
    """A convolution (cross-correlation) over sequences.

    Formula: y[n, o] = b[o] + sum_i w[o, i] * x[n, i], where * is cross-correlation

    Weight and bias start uniform in (-k, k) with k = sqrt(groups / (in_channels * kernel_size)).

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: length of the kernel.
        stride: step of the kernel.
        padding: zeros added on both sides, or 'valid' (none), or 'same' (so many that the length stays).
        dilation: step between the elements of the kernel.
        groups: blocks of channels that are convolved separately.
        bias: whether to add a learned bias.
        padding_mode: 'zeros'.
        device: where the parameters lie.
        dtype: their dtype.

    Shape:
        Input: (N, in_channels, L) or (in_channels, L). Output: (N, out_channels, L') or (out_channels, L'), with
        L' = floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1).

    Raises:
        ValueError: channels that the groups do not divide, an unknown padding, 'same' with a stride.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.Conv1d(16, 33, 3, stride=2)(sg.randn(20, 16, 50)).shape)
        [20, 33, 24]
    """

    spatial_dims = 1

    def forward(self, input: Tensor) -> Tensor:
        return F.conv1d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)


class Conv2d(_ConvNd):
    """A convolution (cross-correlation) over images.

    Formula: y[n, o] = b[o] + sum_i w[o, i] * x[n, i], where * is 2-d cross-correlation

    Weight and bias start uniform in (-k, k) with k = sqrt(groups / (in_channels * kernel_size[0] * kernel_size[1])).

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size: height and width of the kernel, or one number for both (so for the next three).
        stride: step of the kernel.
        padding: zeros added on both sides, or 'valid' (none), or 'same' (so many that the size stays).
        dilation: step between the elements of the kernel.
        groups: blocks of channels that are convolved separately.
        bias: whether to add a learned bias.
        padding_mode: 'zeros'.
        device: where the parameters lie.
        dtype: their dtype.

    Shape:
        Input: (N, in_channels, H, W) or (in_channels, H, W). Output: (N, out_channels, H', W') or without N, with
        H' = floor((H + 2 padding[0] - dilation[0] (kernel_size[0] - 1) - 1) / stride[0] + 1), and W' likewise.

    Raises:
        ValueError: channels that the groups do not divide, an unknown padding, 'same' with a stride.

    Example:
        >>> import specgrad as sg
        >>> list(sg.nn.Conv2d(3, 8, 3, padding="same")(sg.randn(4, 3, 10, 12)).shape)
        [4, 8, 10, 12]
    """

    spatial_dims = 2

    def forward(self, input: Tensor) -> Tensor:
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)
