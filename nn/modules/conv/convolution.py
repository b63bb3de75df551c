"""Convolution layers and transposed ones: their base class, and a subclass per number of spatial dimensions."""

from collections.abc import Callable, Sequence
from typing import Any

from ....generated import ops
from ....generated.tensor import Tensor
from ....runtime.dispatch import argument_checks
from ....runtime.ops.creation import empty
from ... import functional as F
from ... import init
from ...docstrings import completed_from
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
        device, dtype: where the parameters lie, and their dtype.
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
        self.in_channels = argument_checks.integer(name, "in_channels", in_channels)
        self.out_channels = argument_checks.integer(name, "out_channels", out_channels)
        if not hasattr(self, "spatial_dims"):
            self.spatial_dims = len(kernel_size) if isinstance(kernel_size, Sequence) else 1
        self._set_sizes(kernel_size, stride, padding, dilation, output_padding)
        self.transposed = transposed
        self.groups = argument_checks.integer(name, "groups", groups)
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
        sizes = argument_checks.integer_list(type(self).__name__, name, value, self.spatial_dims)
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


class _Convolution(ConvNd):
    function: Callable[..., Tensor]

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
        sizes = (kernel_size, stride, padding, dilation, False, 0)
        super().__init__(in_channels, out_channels, *sizes, groups, bias, padding_mode, device, dtype)
        self._no_padding = (0,) * self.spatial_dims

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """The convolution with a weight and a bias that need not be the layer's own."""
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding_repeated_twice, self.padding_mode), self._no_padding
        if isinstance(padding, str):
            return type(self).function(input, weight, bias, self.stride, padding, self.dilation, self.groups)
        return ops.convolution(input, weight, bias, self.stride, padding, self.dilation, self.groups)


@completed_from(ConvNd)
class Conv1d(_Convolution):
    """A convolution (cross-correlation) over sequences.

    Formula: y[n, o] = b[o] + sum_i w[o, i] * x[n, i], where * is cross-correlation

    Weight and bias start uniform in (-k, k) with k = sqrt(groups / (in_channels * kernel_size)).

    Args:
        kernel_size: length of the kernel.
        stride: step of the kernel.
        padding: zeros added on both sides, or 'valid' (none), or 'same' (so many that the size stays).
        dilation: step between the elements of the kernel.
        bias: whether to add a learned bias.
        padding_mode: what is added: 'zeros', or 'reflect', 'replicate' or 'circular' (see `functional.pad`).

    Shape:
        Input: (N, in_channels, L) or (in_channels, L).
        Output: (N, out_channels, L') or (out_channels, L'), with L' =
        floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1).

    Raises: ValueError: channels that the groups do not divide, an unknown padding, 'same' with a stride.

    Example:
        >>> list(sg.nn.Conv1d(16, 33, 3, stride=2)(sg.randn(20, 16, 50)).shape)
        [20, 33, 24]
    """

    spatial_dims = 1
    function = staticmethod(F.conv1d)


@completed_from(Conv1d)
class Conv2d(_Convolution):
    """A convolution (cross-correlation) over images.

    Example:
        >>> list(sg.nn.Conv2d(3, 8, 3, padding="same")(sg.randn(4, 3, 10, 12)).shape)
        [4, 8, 10, 12]
    """

    spatial_dims = 2
    function = staticmethod(F.conv2d)


@completed_from(Conv2d)
class Conv3d(_Convolution):
    """A convolution (cross-correlation) over volumes.

    Example:
        >>> list(sg.nn.Conv3d(3, 8, (1, 3, 3), padding=(0, 1, 1))(sg.randn(4, 3, 5, 6, 7)).shape)
        [4, 8, 5, 6, 7]
    """

    spatial_dims = 3
    function = staticmethod(F.conv3d)


class _ConvolutionTranspose(ConvNd):
    function: Callable[..., Tensor]
    names_padding = False
    padding_modes = ("zeros",)

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Size,
        stride: Size = 1,
        padding: Size = 0,
        output_padding: Size = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Size = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        sizes = (kernel_size, stride, padding, dilation, True, output_padding)
        super().__init__(in_channels, out_channels, *sizes, groups, bias, padding_mode, device, dtype)

    def _wrong_padding_mode(self) -> str:
        return f'Only "zeros" padding mode is supported for {type(self).__name__}'

    def forward(self, input: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        extra = self.output_padding if output_size is None else self._output_padding(input, tuple(output_size))
        return type(self).function(
            input, self.weight, self.bias, self.stride, self.padding, extra, self.groups, self.dilation
        )

    def _output_padding(self, input: Tensor, output_size: tuple[int, ...]) -> tuple[int, ...]:
        dims, lead = self.spatial_dims, input.ndim - self.spatial_dims
        if len(output_size) == lead + dims:
            output_size = output_size[lead:]
        if len(output_size) != dims:
            raise ValueError(
                f"ConvTranspose{dims}D: for {input.ndim}D input, output_size must have {dims} or {lead + dims} "
                f"elements (got {len(output_size)})"
            )
        along = zip(input.shape[lead:], self.stride, self.padding, self.dilation, self.kernel_size, strict=True)
        min_sizes = [(n - 1) * s - 2 * pad + d * (k - 1) + 1 for n, s, pad, d, k in along]
        max_sizes = [n + s - 1 for n, s in zip(min_sizes, self.stride, strict=True)]
        if any(not low <= n <= high for low, n, high in zip(min_sizes, output_size, max_sizes, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {min_sizes} to "
                f"{max_sizes} (for an "
                f"input of {input.shape[lead:]})"
            )
        return tuple(n - low for n, low in zip(output_size, min_sizes, strict=True))


@completed_from(Conv1d)
class ConvTranspose1d(_ConvolutionTranspose):
    """A transposed convolution over sequences: the gradient of `Conv1d` as a map of its input.

    Formula: y[n, o, i stride + k dilation - padding] += w[c, o, k] x[n, c, i], from y[n, o] = b[o]

    Weight and bias start uniform in (-k, k) with k = sqrt(groups / (out_channels * kernel_size)).

    Args:
        stride: step of the kernel over the output.
        padding: how much is cut off on both sides of the output.
        output_padding: how much larger the output is at its end; less than stride or dilation.
        padding_mode: 'zeros'.

    Shape:
        Input: (N, in_channels, L) or (in_channels, L).
        Output: (N, out_channels, L') or (out_channels, L'), with L' =
        (L - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1, or the sizes in `output_size`, the
        second argument of a call.

    Raises: ValueError: channels that the groups do not divide, another padding_mode, an output_size out of reach.

    Example:
        >>> up = sg.nn.ConvTranspose1d(16, 33, 3, stride=2)
        >>> list(up(sg.randn(20, 16, 50)).shape), list(up(sg.randn(20, 16, 50), output_size=(102,)).shape)
        ([20, 33, 101], [20, 33, 102])
    """

    spatial_dims = 1
    function = staticmethod(F.conv_transpose1d)


@completed_from(ConvTranspose1d)
class ConvTranspose2d(_ConvolutionTranspose):
    """A transposed convolution over images: the gradient of `Conv2d` as a map of its input.

    Example:
        >>> list(sg.nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1)(sg.randn(2, 16, 14, 14)).shape)
        [2, 8, 28, 28]
    """

    spatial_dims = 2
    function = staticmethod(F.conv_transpose2d)


@completed_from(ConvTranspose2d)
class ConvTranspose3d(_ConvolutionTranspose):
    """A transposed convolution over volumes: the gradient of `Conv3d` as a map of its input.

    Example:
        >>> list(sg.nn.ConvTranspose3d(4, 2, 2, stride=2)(sg.randn(1, 4, 3, 4, 5)).shape)
        [1, 2, 6, 8, 10]
    """

    spatial_dims = 3
    function = staticmethod(F.conv_transpose3d)
