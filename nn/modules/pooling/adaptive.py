"""Pooling layers with windows that cover the input, chosen so that the output has a given size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ....generated.tensor import Tensor
from ... import functional as F
from ...docstrings import completed_from
from ..module.base import Module

SizeSpec = int | None | tuple[int | None, ...]


class _AdaptivePool(Module):
    """Base of pooling to a given size."""

    function: Callable[..., Any]
    _shown = ("output_size",)

    def __init__(self, output_size: SizeSpec) -> None:
        super().__init__()
        self.output_size = output_size


class _AdaptiveAvgPoolNd(_AdaptivePool):
    """A subclass names its function."""

    def forward(self, input: Tensor) -> Tensor:
        return type(self).function(input, self.output_size)


class _AdaptiveMaxPoolNd(_AdaptivePool):
    """A subclass names its function."""

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

    Shape:
        Input: (N, C, L) or (C, L). Output: (N, C, L') or (C, L').

    Raises:
        RuntimeError: input that is no sequence, or a negative size.

    Example:
        >>> import specgrad as sg
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
        >>> import specgrad as sg
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
        >>> import specgrad as sg
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
        >>> import specgrad as sg
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
        >>> import specgrad as sg
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
        >>> import specgrad as sg
        >>> values, indices = sg.nn.AdaptiveMaxPool3d(1, return_indices=True)(sg.arange(8.0).view(1, 2, 2, 2))
        >>> indices
        tensor([[[[7]]]])
    """

    function = staticmethod(F.adaptive_max_pool3d)
