"""Maximum pooling that always gives the places of the maxima: the functions that `return_indices` chooses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from ....generated.tensor import Tensor
from ...docstrings import completed_from
from . import adaptive, fractional, window

Size = int | Sequence[int]
Pair = tuple[Tensor, Tensor]


@completed_from(window.max_pool1d)
def max_pool1d_with_indices(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> Pair:
    """The largest value of each window, and where in its signal it stands: `max_pool1d` with `return_indices`.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.max_pool1d_with_indices(sg.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
        (tensor([[5., 3.]]), tensor([[1, 3]]))
    """
    return cast(Pair, tuple(window.max_pool1d(input, kernel_size, stride, padding, dilation, ceil_mode, True)))


@completed_from(window.max_pool2d)
def max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> Pair:
    """The largest value of each window, and where in its plane it stands: `max_pool2d` with `return_indices`.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.max_pool2d_with_indices(sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 2)
        (tensor([[[4.]]]), tensor([[[3]]]))
    """
    return cast(Pair, tuple(window.max_pool2d(input, kernel_size, stride, padding, dilation, ceil_mode, True)))


@completed_from(window.max_pool3d)
def max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Size,
    stride: Size | None = None,
    padding: Size = 0,
    dilation: Size = 1,
    ceil_mode: bool = False,
    return_indices: bool = True,
) -> Pair:
    """The largest value of each window, and where in its volume it stands: `max_pool3d` with `return_indices`.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.max_pool3d_with_indices(sg.arange(8.0).view(1, 2, 2, 2), 2)
        (tensor([[[[7.]]]]), tensor([[[[7]]]]))
    """
    return cast(Pair, tuple(window.max_pool3d(input, kernel_size, stride, padding, dilation, ceil_mode, True)))


@completed_from(adaptive.adaptive_max_pool1d)
def adaptive_max_pool1d_with_indices(input: Tensor, output_size: Any, return_indices: bool = True) -> Pair:
    """The largest value of each of output_size windows, and where in its signal it stands.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.adaptive_max_pool1d_with_indices(sg.tensor([[1.0, 5.0, 2.0, 3.0]]), 2)
        (tensor([[5., 3.]]), tensor([[1, 3]]))
    """
    return cast(Pair, tuple(adaptive.adaptive_max_pool1d(input, output_size, True)))


@completed_from(adaptive.adaptive_max_pool2d)
def adaptive_max_pool2d_with_indices(input: Tensor, output_size: Any, return_indices: bool = True) -> Pair:
    """The largest value of each of output_size windows, and where in its plane it stands.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.adaptive_max_pool2d_with_indices(sg.tensor([[[1.0, 2.0], [3.0, 4.0]]]), 1)
        (tensor([[[4.]]]), tensor([[[3]]]))
    """
    return cast(Pair, tuple(adaptive.adaptive_max_pool2d(input, output_size, True)))


@completed_from(adaptive.adaptive_max_pool3d)
def adaptive_max_pool3d_with_indices(input: Tensor, output_size: Any, return_indices: bool = True) -> Pair:
    """The largest value of each of output_size windows, and where in its volume it stands.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.adaptive_max_pool3d_with_indices(sg.arange(8.0).view(1, 2, 2, 2), 1)
        (tensor([[[[7.]]]]), tensor([[[[7]]]]))
    """
    return cast(Pair, tuple(adaptive.adaptive_max_pool3d(input, output_size, True)))


@completed_from(fractional.fractional_max_pool2d)
def fractional_max_pool2d_with_indices(
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None = None,
    output_ratio: Any = None,
    return_indices: bool = True,
    _random_samples: Tensor | None = None,
) -> Pair:
    """The largest value of each window that begins at a random place, and where in its plane it stands.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.fractional_max_pool2d_with_indices(sg.ones(1, 4, 4), 2, 3)[1].shape
        specgrad.Size([1, 3, 3])
    """
    result = fractional.fractional_max_pool2d(input, kernel_size, output_size, output_ratio, True, _random_samples)
    return cast(Pair, tuple(result))


@completed_from(fractional.fractional_max_pool3d)
def fractional_max_pool3d_with_indices(
    input: Tensor,
    kernel_size: Size,
    output_size: Size | None = None,
    output_ratio: Any = None,
    return_indices: bool = True,
    _random_samples: Tensor | None = None,
) -> Pair:
    """The largest value of each window that begins at a random place, and where in its volume it stands.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.fractional_max_pool3d_with_indices(sg.ones(1, 4, 4, 4), 2, 3)[1].shape
        specgrad.Size([1, 3, 3, 3])
    """
    result = fractional.fractional_max_pool3d(input, kernel_size, output_size, output_ratio, True, _random_samples)
    return cast(Pair, tuple(result))
