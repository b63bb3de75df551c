"""Maximum pooling over sliding windows and over random ones, and its inverse."""

from collections.abc import Callable, Sequence
from typing import Any

from ....generated.tensor import Tensor
from ....runtime.dispatch import argument_checks
from ... import functional as F
from ...docstrings import completed_from
from ..module.base import Module

Size = int | tuple[int, ...]


class _MaxPoolNd(Module):
    function: Callable[..., Any]
    _shown = ("kernel_size", "stride", "padding", "dilation", "ceil_mode")

    def __init__(
        self,
        kernel_size: Size,
        stride: Size | None = None,
        padding: Size = 0,
        dilation: Size = 1,
        return_indices: bool = False,
        ceil_mode: bool = False,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding, self.dilation, self.return_indices = padding, dilation, return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input: Tensor) -> Any:
        return type(self).function(
            input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices
        )


@completed_from(F.max_pool1d)
class MaxPool1d(_MaxPoolNd):
    """The maximum over windows of a sequence.

    Formula: y[n, c, i] = max over k of x[n, c, i stride + k dilation]

    Shape:
        Input: (N, C, L) or (C, L). Output: (N, C, L') or (C, L'), with L' =
        floor((L + 2 padding - dilation (kernel_size - 1) - 1) / stride + 1).

    Example:
        >>> sg.nn.MaxPool1d(2)(sg.tensor([[1.0, 5.0, 2.0, 3.0]]))
        tensor([[5., 3.]])
    """

    function = staticmethod(F.max_pool1d)


@completed_from(MaxPool1d)
class MaxPool2d(_MaxPoolNd):
    """The maximum over windows of an image.

    Formula: y[n, c, i, j] = max over (k, l) of x[n, c, i stride[0] + k dilation[0], j stride[1] + l dilation[1]]

    Example:
        >>> list(sg.nn.MaxPool2d(3, stride=2)(sg.randn(20, 16, 50, 32)).shape)
        [20, 16, 24, 15]
    """

    function = staticmethod(F.max_pool2d)


@completed_from(MaxPool2d)
class MaxPool3d(_MaxPoolNd):
    """The maximum over windows of a volume.

    Formula: y[n, c, i] = max over k of x[n, c, i stride + k dilation], where i and k are triples

    Example:
        >>> list(sg.nn.MaxPool3d((1, 2, 2))(sg.randn(2, 3, 5, 8, 6)).shape)
        [2, 3, 5, 4, 3]
    """

    function = staticmethod(F.max_pool3d)


class _MaxUnpoolNd(Module):
    spatial_dims: int
    function: Callable[..., Tensor]
    _shown = ("kernel_size", "stride", "padding")

    def __init__(self, kernel_size: Size, stride: Size | None = None, padding: Size = 0) -> None:
        super().__init__()
        self.kernel_size = self._sizes("kernel_size", kernel_size)
        self.stride = self.kernel_size if stride is None else self._sizes("stride", stride)
        self.padding = self._sizes("padding", padding)

    def _sizes(self, name: str, value: Any) -> tuple[int, ...]:
        return argument_checks.integer_list(type(self).__name__, name, value, self.spatial_dims)

    def forward(self, input: Tensor, indices: Tensor, output_size: Sequence[int] | None = None) -> Tensor:
        return type(self).function(input, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool1d`: each maximum at the index where it was found, zeros elsewhere.

    Formula: y[n, c, indices[n, c, i]] = x[n, c, i], 0 elsewhere

    Args:
        kernel_size: length of the window of the pooling.
        stride: step of the window; kernel_size when left out.
        padding: that of the pooling.

    Shape:
        Input and indices: (N, C, L) or (C, L). Output: (N, C, L') or (C, L'), with L' =
        (L - 1) stride - 2 padding + kernel_size, or the sizes in `output_size`, the third argument of a call.

    Raises:
        RuntimeError: an index outside the output, or indices of another shape or dtype.
        ValueError: an output_size that pooling does not map to the input's sizes.

    Example:
        >>> values, indices = sg.nn.MaxPool1d(2, return_indices=True)(sg.tensor([[1.0, 5.0, 2.0, 3.0]]))
        >>> sg.nn.MaxUnpool1d(2)(values, indices)
        tensor([[0., 5., 0., 3.]])
    """

    spatial_dims = 1
    function = staticmethod(F.max_unpool1d)


@completed_from(MaxUnpool1d)
class MaxUnpool2d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool2d`: each maximum at the index where it was found, zeros elsewhere.

    Formula: y[n, c, k, l] = x[n, c, i, j] where indices[n, c, i, j] = k W' + l, 0 elsewhere

    Example:
        >>> sg.nn.MaxUnpool2d(2)(sg.tensor([[[4.0]]]), sg.tensor([[[3]]]))
        tensor([[[0., 0.],
                 [0., 4.]]])
    """

    spatial_dims = 2
    function = staticmethod(F.max_unpool2d)


@completed_from(MaxUnpool2d)
class MaxUnpool3d(_MaxUnpoolNd):
    """The partial inverse of `MaxPool3d`: each maximum at the index where it was found, zeros elsewhere.

    Formula: y[n, c] has x[n, c, i] at index indices[n, c, i] of the flattened volume, for triples i; 0 elsewhere

    Example:
        >>> sg.nn.MaxUnpool3d((1, 1, 2))(sg.tensor([[[[7.0]]]]), sg.tensor([[[[1]]]]))
        tensor([[[[0., 7.]]]])
    """

    spatial_dims = 3
    function = staticmethod(F.max_unpool3d)


class _FractionalMaxPool(Module):
    spatial: int
    _random_samples: Tensor | None

    def __init__(
        self,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: bool = False,
        _random_samples: Tensor | None = None,
    ) -> None:
        super().__init__()
        name = type(self).__name__
        self.kernel_size = argument_checks.integer_list(name, "kernel_size", kernel_size, self.spatial)
        if min(self.kernel_size) < 1:
            raise ValueError(f"kernel_size must be greater than 0, but got {kernel_size}")
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        sizes = (
            None
            if output_size is None
            else argument_checks.integer_list(name, "output_size", output_size, self.spatial)
        )
        self.output_size = sizes
        self.output_ratio = self._ratios(output_ratio)

    def _ratios(self, value: Any) -> tuple[float, ...] | None:
        if value is None:
            return None
        ratios = (value,) * self.spatial if isinstance(value, (int, float)) else tuple(value)
        if not all(0 < ratio < 1 for ratio in ratios):
            raise ValueError(f"output_ratio must be between 0 and 1 (got {value})")
        return ratios

    def forward(self, input: Tensor) -> Any:
        function = F.fractional_max_pool2d if self.spatial == 2 else F.fractional_max_pool3d
        sizes = (self.kernel_size, self.output_size, self.output_ratio)
        return function(input, *sizes, self.return_indices, self._random_samples)


@completed_from(F.fractional_max_pool2d)
class FractionalMaxPool2d(_FractionalMaxPool):
    """The maximum over windows of an image that begin at random positions.

    Formula: y[n, c, i, j] = max over (k, l) of x[n, c, a_i + k, b_j + l] with random a and b for each channel

    Args:
        output_ratio: how many windows for each element of the input, between 0 and 1, in place of output_size.
        _random_samples: the random numbers, (N, C, 2); drawn in each call when left out.

    Shape: Input: (N, C, H, W) or (C, H, W). Output: output_size in place of H and W.

    Raises:
        ValueError: not just one of output_size and output_ratio, or a ratio outside (0, 1).
        RuntimeError: windows that do not fit.

    Source: Graham, Fractional max-pooling (2014).

    Example:
        >>> sg.nn.FractionalMaxPool2d(2, output_ratio=0.5)(sg.zeros(1, 3, 8, 6)).shape
        specgrad.Size([1, 3, 4, 3])
    """

    spatial = 2


@completed_from(FractionalMaxPool2d)
class FractionalMaxPool3d(_FractionalMaxPool):
    """The maximum over windows of a volume that begin at random positions.

    Formula: y[n, c, i, j, k] = max over a window of x[n, c] at (a_i, b_j, c_k) with random a, b, c for each channel

    Args:
        _random_samples: the random numbers, (N, C, 3); drawn in each call when left out.

    Example:
        >>> sg.nn.FractionalMaxPool3d(2, output_size=3)(sg.zeros(1, 2, 6, 6, 6)).shape
        specgrad.Size([1, 2, 3, 3, 3])
    """

    spatial = 3
