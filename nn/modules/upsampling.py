"""Layers that resample signals, images and volumes."""

from collections.abc import Sequence

from ...generated.tensor import Tensor
from .. import functional as F
from ..docstrings import completed_from
from .module.base import Module

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]

Size = int | Sequence[int]
Factor = float | Sequence[float]


def _floats(factor: Factor | None) -> float | tuple[float, ...] | None:
    if isinstance(factor, (list, tuple)):
        return tuple(float(f) for f in factor)
    return float(factor) if isinstance(factor, (int, float)) else None


@completed_from(F.interpolate)
class Upsample(Module):
    """Resamples the spatial dimensions of the input.

    Formula: y_i = sum_j w((i + 1/2) s - 1/2 - j) x_j in each dimension, s elements of the input to one of the output

    Args:
        scale_factor: what the spatial sizes are multiplied by, in the place of `size`.
        mode: 'nearest', 'nearest-exact', 'linear', 'bilinear', 'bicubic', 'trilinear' or 'area'.

    Shape: Input: (N, C, L), (N, C, H, W) or (N, C, D, H, W). Output: (N, C, ...) with the spatial sizes asked for.

    Example:
        >>> sg.nn.Upsample(scale_factor=2)(sg.tensor([[[1.0, 2.0]]]))
        tensor([[[1., 1., 2., 2.]]])
    """

    def __init__(
        self,
        size: Size | None = None,
        scale_factor: Factor | None = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.scale_factor = _floats(scale_factor)
        self.mode, self.align_corners = mode, align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Tensor) -> Tensor:
        sizes = self.size, self.scale_factor
        return F.interpolate(input, *sizes, self.mode, self.align_corners, self.recompute_scale_factor)

    def extra_repr(self) -> str:
        size = f"size={self.size}" if self.scale_factor is None else f"scale_factor={self.scale_factor}"
        return f"{size}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images with each pixel repeated.

    Formula: y_ij = x at (floor(i s), floor(j s)), s elements of the input to one of the output

    Args:
        size: height and width of the output, or one number for both.
        scale_factor: what height and width are multiplied by, in the place of `size`.

    Shape: Input: (N, C, H, W). Output: (N, C, H', W') with the sizes asked for.

    Raises: ValueError: both or none of size and scale_factor.

    Example:
        >>> sg.nn.UpsamplingNearest2d(scale_factor=(1, 2))(sg.tensor([[[[1.0, 2.0]]]]))
        tensor([[[[1., 1., 2., 2.]]]])
    """

    def __init__(self, size: Size | None = None, scale_factor: Factor | None = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


@completed_from(UpsamplingNearest2d)
class UpsamplingBilinear2d(Upsample):
    """Images with pixels between pixels, linearly, the corners aligned.

    Formula: y_ij = sum_kl max(0, 1 - |i s - k|) max(0, 1 - |j t - l|) x_kl with s = (H - 1) / (H' - 1), and t likewise

    Example:
        >>> sg.nn.UpsamplingBilinear2d((1, 3))(sg.tensor([[[[1.0, 2.0]]]]))
        tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """

    def __init__(self, size: Size | None = None, scale_factor: Factor | None = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
