"""The older names of resampling."""

from __future__ import annotations

from collections.abc import Sequence

from ...generated.tensor import Tensor
from .resampling import interpolate


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """The older name of `interpolate`.

    Args:
        input, size, scale_factor, mode, align_corners: as of `interpolate`.

    Shape:
        As of `interpolate`.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.upsample(sg.tensor([[[1.0, 3.0]]]), scale_factor=2)
        tensor([[[1., 1., 3., 3.]]])
    """
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` with mode 'nearest'.

    Args:
        input, size, scale_factor: as of `interpolate`.

    Shape:
        As of `interpolate`.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.upsample_nearest(sg.tensor([[[1.0, 3.0]]]), 4)
        tensor([[[1., 1., 3., 3.]]])
    """
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` with mode 'bilinear', the corners aligned.

    Args:
        input, size, scale_factor: as of `interpolate`.

    Shape:
        As of `interpolate`.

    Example:
        >>> import specgrad as sg
        >>> sg.nn.functional.upsample_bilinear(sg.tensor([[[[1.0, 3.0]]]]), (1, 3))
        tensor([[[[1., 2., 3.]]]])
    """
    return interpolate(input, size, scale_factor, "bilinear", True)
