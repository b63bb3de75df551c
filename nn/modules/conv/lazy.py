"""Convolutions and transposed ones that learn the number of channels from their first input."""

from typing import Any

from ....generated.tensor import Tensor
from ....runtime.dispatch import argument_checks
from ....runtime.errors import ShapeError
from ...docstrings import completed_from
from ...parameter import UninitializedParameter
from ..lazy import LazyModuleMixin, materialized
from .convolution import Conv1d, Conv2d, Conv3d, ConvNd, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d, Size


class LazyConvNd(LazyModuleMixin, ConvNd):
    """Base of the lazy convolutions: uninitialized parameters, materialized by the channels of the first input."""

    weight: Any
    bias: Any

    def _set_parameters(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        self.out_channels = argument_checks.integer(type(self).__name__, "out_channels", out_channels)
        self._check_arguments()
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draw new initial values, if there is anything to draw."""
        if self.in_channels and not self.has_uninitialized_params():
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        """Take the size of the parameters from `input`, that of the first call."""
        if self.has_uninitialized_params():
            self.in_channels = self._channels(input)
            self._check_arguments()
            materialized(self, weight=self._weight_shape(), bias=(self.out_channels,))
            self.reset_parameters()
        elif not self.in_channels:
            self.in_channels = self.weight.shape[0] if self.transposed else self.weight.shape[1] * self.groups

    def _channels(self, input: Tensor) -> int:
        dims, name = self.spatial_dims, type(self).__name__
        if argument_checks.tensor(name, "input", input).ndim not in (dims + 1, dims + 2):
            raise ShapeError(
                f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input of size: "
                f"{input.shape}"
            )
        return input.shape[-dims - 1]


class _LazyConvolution(LazyConvNd):
    def __init__(
        self,
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
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode)
        self._set_parameters(out_channels, bias, device, dtype)


@completed_from(Conv1d)
class LazyConv1d(_LazyConvolution, Conv1d):
    """A `Conv1d` whose `in_channels` is the number of channels of its first input.

    Example:
        >>> layer = sg.nn.LazyConv1d(3, 2)
        >>> _ = layer(sg.ones(1, 2, 5))
        >>> layer.in_channels
        2
    """

    cls_to_become = Conv1d


@completed_from(LazyConv1d)
class LazyConv2d(_LazyConvolution, Conv2d):
    cls_to_become = Conv2d


@completed_from(LazyConv1d)
class LazyConv3d(_LazyConvolution, Conv3d):
    cls_to_become = Conv3d


class _LazyTransposed(LazyConvNd):
    def __init__(
        self,
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
        rest = (kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode)
        super().__init__(0, 0, *rest)
        self._set_parameters(out_channels, bias, device, dtype)


@completed_from(ConvTranspose1d)
class LazyConvTranspose1d(_LazyTransposed, ConvTranspose1d):
    """A `ConvTranspose1d` whose `in_channels` is the number of channels of its first input.

    Example:
        >>> layer = sg.nn.LazyConvTranspose1d(3, 2)
        >>> _ = layer(sg.ones(1, 2, 5))
        >>> layer.in_channels
        2
    """

    cls_to_become = ConvTranspose1d


@completed_from(LazyConvTranspose1d)
class LazyConvTranspose2d(_LazyTransposed, ConvTranspose2d):
    cls_to_become = ConvTranspose2d


@completed_from(LazyConvTranspose1d)
class LazyConvTranspose3d(_LazyTransposed, ConvTranspose3d):
    cls_to_become = ConvTranspose3d
