"""Images sampled at the points of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import checks
from ...runtime.errors import warn_user
from ...runtime.modes.overrides.calls import NOT_HANDLED, overridden_in
from ...runtime.modes.overrides.classes import plain

INTERPOLATIONS = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")


def grid_sample(
    input: Tensor, grid: Tensor, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """input sampled at the points of a grid, of which -1 and 1 are the borders of the image.

    Args:
        input: images or volumes.
        grid: the points, each (x, y) or (x, y, z).
        mode: 'bilinear', 'nearest', or for images 'bicubic'.
        padding_mode: what is outside: 'zeros', the nearest pixel of the 'border', or the image's 'reflection'.
        align_corners: whether -1 and 1 are the centres of the pixels at the border, and not their outer edges; they
            are edges when left out, with a warning.

    Shape:
        Input (N, C, H, W) with grid (N, H', W', 2) and output (N, C, H', W'), or input (N, C, D, H, W) with grid
        (N, D', H', W', 3) and output (N, C, D', H', W').

    Raises:
        ValueError: another mode or padding mode.
        RuntimeError: shapes or dtypes that do not agree.

    Example:
        >>> import specgrad as sg
        >>> x = sg.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
        >>> sg.nn.functional.grid_sample(x, sg.tensor([[[[-1.0, 0.0]]]]), align_corners=True)
        tensor([[[[2.]]]])
    """
    if (input.__class__ not in plain or grid.__class__ not in plain) and (
        result := overridden_in(grid_sample, locals())
    ) is not NOT_HANDLED:
        return result
    if mode not in INTERPOLATIONS or padding_mode not in PADDINGS:
        _refuse(mode, padding_mode)
    aligned = _aligned(align_corners) if align_corners is None else align_corners
    return ops.grid_sampler(input, grid, INTERPOLATIONS.index(mode), PADDINGS.index(padding_mode), aligned)


def _refuse(mode: str, padding_mode: str) -> NoReturn:
    for name, value, known in (("mode", mode, INTERPOLATIONS), ("padding_mode", padding_mode, PADDINGS)):
        if checks.string("grid_sample", name, value) not in known:
            raise ValueError(f"nn.functional.grid_sample(): expected {name} to be one of {known}, but got: '{value}'")
    raise AssertionError("both words are known")


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid that `grid_sample` takes to transform images by matrices: theta (x, y, 1) for each pixel.

    Args:
        theta: one matrix for each image.
        size: the shape of the images that come out: (N, C, H, W) or (N, C, D, H, W).
        align_corners: as of `grid_sample`.

    Shape:
        theta (N, 2, 3) and output (N, H, W, 2), or (N, 3, 4) and (N, D, H, W, 3).

    Raises:
        ValueError: theta of another shape or dtype, or a size of 0.
        NotImplementedError: a size of another number of dimensions.

    Example:
        >>> import specgrad as sg
        >>> theta = sg.tensor([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.0]]])
        >>> sg.nn.functional.affine_grid(theta, (1, 1, 1, 2), align_corners=False)
        tensor([[[[0., 0.],
                  [1., 0.]]]])
    """
    aligned = _aligned(align_corners)
    if aligned is True and any(n == 1 for n in list(size)[2:]):
        warn_user(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
            "is not an intended use case of affine_grid. See the documentation of affine_grid for details."
        )
    return ops.affine_grid_generator(theta, size, aligned)


def _aligned(align_corners: bool | None) -> bool:
    """`align_corners`; False with a warning where it is None."""
    if align_corners is None:
        warn_user(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
            "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
            "details."
        )
        return False
    return align_corners
