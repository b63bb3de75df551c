"""Resampling of signals, images and volumes, and of images at the points of a grid."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ...generated import ops
from ...generated.tensor import Tensor
from ...runtime.dispatch import argument_checks
from ...runtime.errors import warn_user
from ...runtime.tensor import dtypes
from ...runtime.tensor.overrides import NOT_HANDLED, overridden_in, plain
from ..docstrings import completed_from
from .pooling import adaptive_avg_pool2d, adaptive_avg_pool3d

FILTERS = {"linear": (3, "linear"), "bilinear": (4, "linear"), "trilinear": (5, "linear"), "bicubic": (4, "cubic")}
SMOOTH = ("bilinear", "bicubic", "lanczos")
AREA: dict[int, Callable[..., Tensor]] = {3: ops.adaptive_avg_pool1d, 4: adaptive_avg_pool2d, 5: adaptive_avg_pool3d}
MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"

Numbers = Sequence[float | None]


def interpolate(
    input: Tensor,
    size: int | Sequence[int] | None = None,
    scale_factor: float | Sequence[float] | None = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """input resampled to other spatial sizes; images of bytes (uint8) in whole numbers.

    Formula: y_i = sum_j w((i + 1/2) s - 1/2 - j) x_j in each dimension, s elements of the input to one of the output

    Args:
        input: the tensor.
        size: the spatial sizes of the output, or one for all.
        scale_factor: what the spatial sizes are multiplied by, in the place of `size`; the results are rounded down.
        mode: 'nearest', 'nearest-exact' (which rounds as image libraries do), 'linear', 'bilinear', 'trilinear' for
            one, two and three spatial dimensions, 'bicubic' and 'lanczos' for two, 'area' for means.
        align_corners: whether the centres of the corners, and not their edges, stay where they are, in linear and
            cubic modes.
        recompute_scale_factor: whether s is computed from the sizes and not from scale_factor.
        antialias: whether the filter is widened when the output is smaller, in bilinear, bicubic and lanczos modes.

    Shape: Input (N, C, L), (N, C, H, W) or (N, C, D, H, W); output (N, C, ...) with the spatial sizes asked for.

    Raises:
        ValueError: both or none of size and scale_factor, another number of them, or an option that the mode has not.
        NotImplementedError: another mode, or one of another number of dimensions.
        RuntimeError: a size of 0.

    Example:
        >>> x = sg.tensor([[[1.0, 3.0]]])
        >>> sg.nn.functional.interpolate(x, scale_factor=2, mode="linear")
        tensor([[[1.0000, 1.5000, 2.5000, 3.0000]]])
    """
    argument_checks.tensor("interpolate", "input", input)
    _require_options(input, argument_checks.string("interpolate", "mode", mode), align_corners, antialias)
    sizes, scales = _sizes(input.shape[2:], size, scale_factor, recompute_scale_factor, mode == "area")
    if input.ndim not in AREA or (mode in ("bicubic", "lanczos") and input.ndim != 4):
        raise _unknown(input.ndim, mode)
    _require_elements(input, sizes)
    if mode in ("nearest", "nearest-exact"):
        return _nearest(input, sizes, scales, mode)
    if mode == "area":
        return AREA[input.ndim](input, sizes)
    return _filtered(input, sizes, scales, mode, bool(align_corners), antialias)


def _require_options(input: Tensor, mode: str, align_corners: Any, antialias: Any) -> None:
    if align_corners is not None and mode in ("nearest", "area", "nearest-exact"):
        raise ValueError(
            "interpolate(): align_corners option can only be set with the interpolating modes: linear | bilinear | "
            "bicubic | trilinear"
        )
    if antialias and (mode not in SMOOTH or input.ndim != 4):
        raise ValueError(
            "interpolate(): Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D "
            "tensor as input"
        )


def _sizes(shape: Sequence[int], size: Any, scale_factor: Any, recompute: Any, area: bool) -> tuple[list[int], Numbers]:
    """The spatial sizes of the output, and the scale factors that count, None where the sizes say them."""
    if (size is None) == (scale_factor is None):
        which = "either size or" if size is None else "only one of size or"
        raise ValueError(f"interpolate(): {which} scale_factor should be defined")
    if size is not None:
        if recompute:
            raise ValueError("interpolate(): recompute_scale_factor is not meaningful with an explicit size.")
        requested = argument_checks.integer_list("interpolate", "size", size, len(shape))
        return list(_per_dim(shape, requested, "output size")), [None] * len(shape)
    value = scale_factor if isinstance(scale_factor, (list, tuple)) else [scale_factor] * len(shape)
    factors = _per_dim(
        shape, [argument_checks.floating("interpolate", "scale_factor", f) for f in value], "scale_factor"
    )
    if not all(map(math.isfinite, factors)):
        raise ValueError(f"interpolate(): expected a finite scale_factor, but got {factors}")
    sizes = [math.floor(n * f) for n, f in zip(shape, factors, strict=True)]
    return sizes, [None] * len(shape) if recompute or area else list(factors)


def _per_dim(shape: Sequence[int], args: Sequence[Any], name: str) -> Sequence[Any]:
    if len(args) != len(shape):
        raise ValueError(
            f"interpolate(): Input and {name} must have the same number of spatial dimensions, but got input with "
            f"spatial dimensions of {list(shape)} and {name} of {args}"
        )
    return args


def _require_elements(input: Tensor, sizes: Sequence[int]) -> None:
    if min(sizes) < 1 or 0 in input.shape[1:]:
        raise RuntimeError(
            f"interpolate(): Input and output sizes should be greater than 0, but got input {list(input.shape)} output "
            f"{list(sizes)}"
        )


def _unknown(ndim: int, mode: str) -> NotImplementedError:
    return NotImplementedError(
        f"interpolate(): Only 3D, 4D and 5D input Tensors supported (got {ndim}D) for the modes: {MODES} (got {mode})"
    )


def _filtered(
    input: Tensor, sizes: Sequence[int], scales: Numbers, mode: str, align_corners: bool, antialias: bool
) -> Tensor:
    """One dimension after the other: the last one first where the output is larger, for it is not the fast one."""
    if mode != "lanczos" and mode not in FILTERS:
        raise _unknown(input.ndim, mode)
    if mode == "lanczos" and (align_corners or not antialias):
        raise ValueError("interpolate(): lanczos mode requires antialias=True and does not support align_corners=True")
    ndim, filter = FILTERS.get(mode, (4, mode))
    if input.ndim != ndim:
        raise NotImplementedError(f"interpolate(): Got {input.ndim}D input, but {mode} mode needs {ndim}D input")
    if input.dtype is dtypes.uint8 and mode in SMOOTH:  # along rows first, rounded after each, as image libraries do it
        for i in (1, 0):
            input = ops.resample_bytes(input, i + 2, sizes[i], filter, align_corners, scales[i], antialias)
        return input
    return _along_each(input, sizes, scales, filter, align_corners, antialias)


def _along_each(input: Tensor, sizes: Sequence[int], scales: Numbers, *kind: Any) -> Tensor:
    """One dimension after the other: the last one first where the output is larger, for it is not the fast one."""
    filter, align_corners, antialias = kind
    dims = range(len(sizes))
    for i in reversed(dims) if math.prod(sizes) > math.prod(input.shape[2:]) else dims:
        input = ops.resample(input, i + 2, sizes[i], filter, align_corners, scales[i], antialias)
    return input


def _nearest(input: Tensor, sizes: Sequence[int], scales: Numbers, mode: str) -> Tensor:
    """Integers take part as float64, which holds those of images exactly."""
    if input.dtype.kind not in "bi":
        return _along_each(input, sizes, scales, mode, False, False)
    return _along_each(input.to(dtypes.float64), sizes, scales, mode, False, False).to(input.dtype)


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

    Shape: As of `interpolate`.

    Example:
        >>> import specgrad as sg, warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     sg.nn.functional.upsample(sg.tensor([[[1.0, 3.0]]]), scale_factor=2)
        tensor([[[1., 1., 3., 3.]]])
    """
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


@completed_from(upsample)
def upsample_nearest(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` with mode 'nearest'; it warns that it is deprecated.

    Example:
        >>> import specgrad as sg, warnings
        >>> with warnings.catch_warnings(action="ignore"):
        ...     sg.nn.functional.upsample_nearest(sg.tensor([[[1.0, 3.0]]]), 4)
        tensor([[[1., 1., 3., 3.]]])
    """
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, "nearest")


@completed_from(upsample)
def upsample_bilinear(
    input: Tensor, size: int | Sequence[int] | None = None, scale_factor: float | Sequence[float] | None = None
) -> Tensor:
    """`interpolate` with mode 'bilinear', the corners aligned; it warns that it is deprecated.

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
        if argument_checks.string("grid_sample", name, value) not in known:
            raise ValueError(f"nn.functional.grid_sample(): expected {name} to be one of {known}, but got: '{value}'")
    raise AssertionError("both words are known")


def affine_grid(theta: Tensor, size: Sequence[int], align_corners: bool | None = None) -> Tensor:
    """The grid that `grid_sample` takes to transform images by matrices: theta (x, y, 1) for each pixel.

    Args:
        theta: one matrix for each image.
        size: the shape of the images that come out: (N, C, H, W) or (N, C, D, H, W).
        align_corners: as of `grid_sample`.

    Shape: theta (N, 2, 3) and output (N, H, W, 2), or (N, 3, 4) and (N, D, H, W, 3).

    Raises:
        ValueError: theta of another shape or dtype, or a size of 0.
        NotImplementedError: a size of another number of dimensions.

    Example:
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
    if align_corners is None:
        warn_user(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
            "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
            "details."
        )
        return False
    return align_corners
