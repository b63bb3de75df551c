"""Pooling by the mean and by the p-norm of a sliding window, and pooling to a given size."""

from collections.abc import Callable
from typing import Any

from ....generated.tensor import Tensor
from ... import functional as F
from ...docstrings import completed_from
from ..module.base import Module

Size = int | tuple[int, ...]


class _AvgPoolNd(Module):
    function: Callable[..., Tensor]
    _shown = ("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
        divisor_override: int | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding, self.ceil_mode, self.count_include_pad = padding, ceil_mode, count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )


class AvgPool1d(Module):
    """The mean over windows of a sequence.

    Formula: y[n, c, i] = mean over k of x[n, c, i stride + k]

    Args:
        kernel_size: length of the window.
        stride: step of the window; kernel_size when left out.
        padding: zeros added on both sides, at most half of kernel_size.
        ceil_mode: round the output size up instead of down.
        count_include_pad: whether the added zeros count in the mean.

    Shape:
        Input: (N, C, L) or (C, L). Output: (N, C, L') or (C, L'), with L' =
        floor((L + 2 padding - kernel_size) / stride + 1).

    Raises: RuntimeError: a window that does not fit, or padding above half of it.

    Example:
        >>> sg.nn.AvgPool1d(2)(sg.tensor([[1.0, 5.0, 2.0, 3.0]]))
        tensor([[3.0000, 2.5000]])
    """

    _shown = ("kernel_size", "stride", "padding")

    def __init__(
        self,
        kernel_size: int | tuple[int],
        stride: int | tuple[int] | None = None,
        padding: int | tuple[int] = 0,
        ceil_mode: bool = False,
        count_include_pad: bool = True,
    ) -> None:
        super().__init__()
        self.kernel_size = _one(kernel_size)
        self.stride = self.kernel_size if stride is None else _one(stride)
        self.padding = _one(padding)
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def forward(self, input: Tensor) -> Tensor:
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


@completed_from(AvgPool1d)
class AvgPool2d(_AvgPoolNd):
    """The mean over windows of an image.

    Formula: y[n, c, i, j] = mean over (k, l) of x[n, c, i stride[0] + k, j stride[1] + l]

    Args:
        divisor_override: divide by this instead of by the number of elements.

    Example:
        >>> list(sg.nn.AvgPool2d(2)(sg.randn(20, 16, 50, 32)).shape)
        [20, 16, 25, 16]
    """

    function = staticmethod(F.avg_pool2d)


@completed_from(AvgPool2d)
class AvgPool3d(_AvgPoolNd):
    """The mean over windows of a volume.

    Formula: y[n, c, i] = mean over k of x[n, c, i stride + k], where i and k are triples

    Example:
        >>> list(sg.nn.AvgPool3d(2)(sg.randn(2, 3, 4, 6, 8)).shape)
        [2, 3, 2, 3, 4]
    """

    function = staticmethod(F.avg_pool3d)


def _one(value: Any) -> tuple[int]:
    return value if isinstance(value, tuple) else (value,)


class _LPPoolNd(Module):
    function: Callable[..., Tensor]
    _shown = ("norm_type", "kernel_size", "stride", "ceil_mode")

    def __init__(
        self, norm_type: float, kernel_size: Size, stride: Size | None = None, ceil_mode: bool = False
    ) -> None:
        super().__init__()
        self.norm_type, self.kernel_size, self.stride = norm_type, kernel_size, stride
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)


class LPPool1d(_LPPoolNd):
    """The p-norm over windows of a signal.

    Formula: y[n, c, i] = (sum over k of x[n, c, i stride + k]^p)^(1/p)

    Args:
        norm_type: p; inf for the maximum of |x|.
        kernel_size: length of the window.
        stride: step of the window; kernel_size when left out.
        ceil_mode: whether a window that begins inside but ends outside counts.

    Shape: Input: (N, C, L) or (C, L). Output: (N, C, L') or (C, L').

    Raises: RuntimeError: the window is larger than the input.

    Example:
        >>> sg.nn.LPPool1d(2, 2)(sg.tensor([[3.0, 4.0, 6.0, 8.0]]))
        tensor([[ 5., 10.]])
    """

    function = staticmethod(F.lp_pool1d)


@completed_from(LPPool1d)
class LPPool2d(_LPPoolNd):
    """The p-norm over windows of an image.

    Formula: y[n, c, i, j] = (sum over (k, l) of x[n, c, i stride[0] + k, j stride[1] + l]^p)^(1/p)

    Example:
        >>> sg.nn.LPPool2d(2, 2)(sg.ones(1, 1, 2, 2))
        tensor([[[[2.]]]])
    """

    function = staticmethod(F.lp_pool2d)


@completed_from(LPPool2d)
class LPPool3d(_LPPoolNd):
    """The p-norm over windows of a volume.

    Formula: y[n, c, i, j, k] = (sum over a window at (i, j, k) of x[n, c]^p)^(1/p)

    Example:
        >>> sg.nn.LPPool3d(2, (1, 2, 2))(sg.ones(1, 1, 1, 2, 2))
        tensor([[[[[2.]]]]])
    """

    function = staticmethod(F.lp_pool3d)


SizeSpec = int | None | tuple[int | None, ...]


class _AdaptivePool(Module):
    function: Callable[..., Any]
    _shown = ("output_size",)

    def __init__(self, output_size: SizeSpec) -> None:
        super().__init__()
        self.output_size = output_size


class _AdaptiveAvgPoolNd(_AdaptivePool):
    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(input, self.output_size)


class _AdaptiveMaxPoolNd(_AdaptivePool):
    def __init__(self, output_size: SizeSpec, return_indices: bool = False) -> None:
        super().__init__(output_size)
        self.return_indices = return_indices

    def forward(self, input: Tensor) -> Any:
        return type(self).function(input, self.output_size, self.return_indices)


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """The mean over windows of a sequence that are chosen so that the output has a given size.

    Formula: element i of the output averages elements floor(i L / L') to ceil((i + 1) L / L') of the input

    Args:
        output_size: L'.

    Shape: Input: (N, C, L) or (C, L). Output: (N, C, L') or (C, L').

    Raises: RuntimeError: input that is no sequence, or a negative size.

    Example:
        >>> sg.nn.AdaptiveAvgPool1d(2)(sg.tensor([[1.0, 5.0, 2.0, 3.0]]))
        tensor([[3.0000, 2.5000]])
    """

    function = staticmethod(F.adaptive_avg_pool1d)


@completed_from(AdaptiveAvgPool1d)
class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """The mean over windows of an image that are chosen so that the output has a given size.

    Formula: row i of the output averages rows floor(i H / H') to ceil((i + 1) H / H') of the input;
    columns likewise

    Example:
        >>> list(sg.nn.AdaptiveAvgPool2d(1)(sg.randn(8, 16, 7, 5)).shape)
        [8, 16, 1, 1]
    """

    function = staticmethod(F.adaptive_avg_pool2d)


@completed_from(AdaptiveAvgPool2d)
class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """The mean over windows of a volume that are chosen so that the output has a given size.

    Formula: plane i of the output averages planes floor(i D / D') to ceil((i + 1) D / D') of the input;
    rows and columns likewise

    Example:
        >>> list(sg.nn.AdaptiveAvgPool3d((2, None, 1))(sg.randn(8, 16, 7, 5, 4)).shape)
        [8, 16, 2, 5, 1]
    """

    function = staticmethod(F.adaptive_avg_pool3d)


@completed_from(AdaptiveAvgPool1d)
class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """The maximum over windows of a sequence that are chosen so that the output has a given size.

    Formula: element i of the output is the greatest of elements floor(i L / L') to ceil((i + 1) L / L') of the input

    Args:
        return_indices: also return where each maximum was.

    Example:
        >>> sg.nn.AdaptiveMaxPool1d(2)(sg.tensor([[1.0, 5.0, 2.0, 3.0]]))
        tensor([[5., 3.]])
    """

    function = staticmethod(F.adaptive_max_pool1d)


@completed_from(AdaptiveMaxPool1d)
class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """The maximum over windows of an image that are chosen so that the output has a given size.

    Formula: row i of the output is the greatest of rows floor(i H / H') to ceil((i + 1) H / H') of the input;
    columns likewise

    Example:
        >>> list(sg.nn.AdaptiveMaxPool2d((None, 3))(sg.randn(8, 16, 7, 5)).shape)
        [8, 16, 7, 3]
    """

    function = staticmethod(F.adaptive_max_pool2d)


@completed_from(AdaptiveMaxPool2d)
class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """The maximum over windows of a volume that are chosen so that the output has a given size.

    Formula: plane i of the output is the greatest of planes floor(i D / D') to ceil((i + 1) D / D') of the input;
    rows and columns likewise

    Example:
        >>> values, indices = sg.nn.AdaptiveMaxPool3d(1, return_indices=True)(sg.arange(8.0).view(1, 2, 2, 2))
        >>> indices
        tensor([[[[7]]]])
    """

    function = staticmethod(F.adaptive_max_pool3d)
