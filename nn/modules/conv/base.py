"""Base class of the convolution layers: sizes, argument checks, parameters and repr."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ....runtime.creation import empty
from ....runtime.dispatch import checks
from ... import init
from ...parameter import Parameter
from ..module.base import Module

Size = int | tuple[int, ...]


class ConvNd(Module):
    """The parameters of a convolution, for subclasses that define `forward`; PyTorch's `_ConvNd`.

    Args:
        in_channels: channels of the input.
        out_channels: channels of the output.
        kernel_size, stride, padding, dilation, output_padding: a number for each spatial dimension.
        transposed: whether the convolution is a transposed one, whose weight has the input's channels first.
        groups: blocks of channels that are convolved separately.
        bias: whether there is a bias.
        padding_mode: what is added around the input.
        device: where the parameters lie.
        dtype: their dtype.
    """

    spatial_dims: int  # where a subclass does not say how many there are, kernel_size does
    names_padding = True  # whether padding may be 'same' or 'valid'
    padding_modes: tuple[str, ...] = ("zeros", "reflect", "replicate", "circular")
    weight: Parameter
    bias: Parameter | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size,
        padding: str | Size,
        dilation: Size,
        transposed: bool,
        output_padding: Size,
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.in_channels = checks.integer(name, "in_channels", in_channels)
        self.out_channels = checks.integer(name, "out_channels", out_channels)
        if not hasattr(self, "spatial_dims"):
            self.spatial_dims = len(kernel_size) if isinstance(kernel_size, Sequence) else 1
        self._set_sizes(kernel_size, stride, padding, dilation, output_padding)
        self.transposed = transposed
        self.groups = checks.integer(name, "groups", groups)
        self.padding_mode = padding_mode
        self._check_arguments()
        self._reversed_padding_repeated_twice = self._border()
        self.weight = Parameter(empty(self._weight_shape(), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _set_sizes(self, kernel_size: Any, stride: Any, padding: Any, dilation: Any, output_padding: Any) -> None:
        self.kernel_size = self._sizes("kernel_size", kernel_size)
        self.stride = self._sizes("stride", stride)
        named = self.names_padding and isinstance(padding, str)
        self.padding = padding if named else self._sizes("padding", padding)
        self.dilation = self._sizes("dilation", dilation)
        self.output_padding = self._sizes("output_padding", output_padding)

    def _sizes(self, name: str, value: Any) -> tuple[int, ...]:
        """A number for each spatial dimension: given one by one, or one for all, which a list of one may hold."""
        sizes = checks.integer_list(type(self).__name__, name, value, self.spatial_dims)
        if len(sizes) == 1 and name != "kernel_size":  # whose length says how many dimensions there are
            sizes *= self.spatial_dims
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
        if self.padding_mode not in self.padding_modes:
            raise ValueError(self._wrong_padding_mode())

    def _wrong_padding_mode(self) -> str:
        return f"padding_mode must be one of {self.padding_modes}, but got padding_mode='{self.padding_mode}'"

    def _weight_shape(self) -> tuple[int, ...]:
        channels = (self.in_channels, self.out_channels) if self.transposed else (self.out_channels, self.in_channels)
        return (channels[0], channels[1] // self.groups, *self.kernel_size)

    def _border(self) -> list[int]:
        """The padding as `functional.pad` takes it: before and after, from the last dimension on."""
        if not isinstance(self.padding, str):
            return [pad for pad in reversed(self.padding) for _ in (0, 1)]
        if self.padding == "valid":
            return [0] * 2 * self.spatial_dims
        totals = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size, strict=True)]
        return [side for total in reversed(totals) for side in (total // 2, total - total // 2)]

    def reset_parameters(self) -> None:
        """Draw new initial values."""
        init.uniform_fan_in_(self.weight, self.bias)

    def extra_repr(self) -> str:
        none, one = (0,) * self.spatial_dims, (1,) * self.spatial_dims
        parts = [f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"]
        defaults = {"padding": none, "dilation": one, "output_padding": none, "groups": 1}
        parts += [f"{name}={getattr(self, name)}" for name, value in defaults.items() if getattr(self, name) != value]
        if self.bias is None:
            parts.append("bias=False")
        if self.padding_mode != "zeros":
            parts.append(f"padding_mode={self.padding_mode}")
        return ", ".join(parts)
