"""The older names of resampling."""

from __future__ import annotations

from collections.abc import Sequence

from ...generated.tensor import Tensor
from ...runtime.user_warning import warn_user
from .resampling import interpolate


def upsample(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Tensor:
    """The older name of `interpolate`; it warns of that.

    Args:
        input, size, scale_factor, mode, align_corners: as of `interpolate`.

    Shape:
        As of `interpolate`.

    Example:
        >>> import specgrad as sg, warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     sg.nn.functional.upsample(sg.tensor([[[1.0, 3.0]]]), scale_factor=2)
        tensor([[[1., 1., 3., 3.]]])
    """
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` with mode 'nearest'; it warns that it is deprecated.

    Args:
        input, size, scale_factor: as of `interpolate`.

    Shape:
        As of `interpolate`.

    Example:
        >>> import specgrad as sg, warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     sg.nn.functional.upsample_nearest(sg.tensor([[[1.0, 3.0]]]), 4)
        tensor([[[1., 1., 3., 3.]]])
    """
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, "nearest")


def upsample_bilinear(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` with mode 'bilinear', the corners aligned; it warns that it is deprecated.

    Args:
        input, size, scale_factor: as of `interpolate`.

    Shape:
        As of `interpolate`.

    Example:
        >>> import specgrad as sg, warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     sg.nn.functional.upsample_bilinear(sg.tensor([[[[1.0, 3.0]]]]), (1, 3))
        tensor([[[[1., 2., 3.]]]])
    """
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, "bilinear", True)


def _deprecated(name: str) -> None:
    warn_user(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.")
