"""Argument checks of ops on images: padding, windows as columns, channels as pixels, resampling, sampling on a grid."""

from math import prod
from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...dispatch.shape_rules import require_shape
from ...errors import ShapeError, UnsupportedDtypeError
from ...tensor.view_shapes import Ints

FILTERS = ("nearest", "nearest-exact", "linear", "cubic", "lanczos")


def im2col(op: str, self: Any, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints) -> tuple[Any, ...]:
    """(N, C, H, W) or (C, H, W), in which at least one window fits."""
    geometry = _pairs(op, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    if self.ndim not in (3, 4) or 0 in self._shape[-3:]:
        raise RuntimeError(
            f"{op}(): Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions "
            f"for input, but got: {list(self._shape)}"
        )
    counts = _window_counts(self._shape[-2:], *geometry)
    if min(counts) < 1:
        raise RuntimeError(
            f"{op}(): Given input with spatial size {tuple(self._shape[-2:])}, kernel_size={kernel_size}, "
            f"dilation={dilation}, padding={padding}, calculated shape of the array of sliding blocks as {counts}, but "
            "its components must be at least one."
        )
    return self, *geometry


def col2im(
    op: str, self: Any, output_size: Ints, kernel_size: Ints, dilation: Ints, padding: Ints, stride: Ints
) -> tuple[Any, ...]:
    """(N, C kh kw, L) or (C kh kw, L) with as many columns as windows in the output."""
    geometry = _pairs(op, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    if self.ndim not in (2, 3) or 0 in self._shape[-2:]:
        raise RuntimeError(
            f"{op}(): Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
            f"dimensions, but got: {list(self._shape)}"
        )
    if self._shape[-2] % prod(kernel_size):
        raise RuntimeError(
            f"{op}(): Expected size of input's dimension -2 to be divisible by the product of kernel_size, but got "
            f"{self._shape[-2]} and kernel_size={tuple(kernel_size)}"
        )
    if len(output_size) != 2:
        raise RuntimeError(f"{op}(): It is expected output_size equals to 2, but got size {len(output_size)}")
    counts = _window_counts(output_size, *geometry)
    if min(counts) < 1 or prod(counts) != self._shape[-1]:
        raise RuntimeError(
            f"{op}(): Given output_size={tuple(output_size)}, kernel_size={kernel_size}, dilation={dilation}, "
            f"padding={padding}, stride={stride}, expected size of input's dimension -1 to match the calculated number "
            f"of sliding blocks {counts[0]} * {counts[1]}, but got {self._shape[-1]}"
        )
    return self, tuple(output_size), *geometry


def _pairs(op: str, **geometry: Ints) -> tuple[tuple[int, ...], ...]:
    """Two numbers each, above 0 but for the padding."""
    for name, values in geometry.items():
        if len(values) != 2:
            raise RuntimeError(f"{op}(): It is expected {name} equals to 2, but got size {len(values)}")
        if min(values) < (name != "padding"):
            minimum = "non-negative" if name == "padding" else "greater than zero"
            raise RuntimeError(f"{op}(): {name} should be {minimum}, but got {tuple(values)}")
    return tuple(map(tuple, geometry.values()))


def _window_counts(size: Ints, kernel: Ints, dilation: Ints, padding: Ints, stride: Ints) -> tuple[int, ...]:
    sides = zip(size, kernel, dilation, padding, stride, strict=True)
    return tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in sides)


def pixel_shuffle(op: str, self: Any, upscale_factor: int) -> tuple[Any, ...]:
    """At least three dimensions; channels that the square of a positive factor divides."""
    _require_image(op, self, upscale_factor, "upscale_factor")
    if self._shape[-3] % upscale_factor**2:
        raise RuntimeError(
            f"{op}() expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
            f"input.size(-3)={self._shape[-3]} is not divisible by {upscale_factor**2}"
        )
    return self, upscale_factor


def pixel_unshuffle(op: str, self: Any, downscale_factor: int) -> tuple[Any, ...]:
    """At least three dimensions; height and width that a positive factor divides."""
    _require_image(op, self, downscale_factor, "downscale_factor")
    for dim, side in ((-2, "height"), (-1, "width")):
        if self._shape[dim] % downscale_factor:
            raise RuntimeError(
                f"{op}() expects {side} to be divisible by downscale_factor, but input.size({dim})={self._shape[dim]} "
                f"is not divisible by {downscale_factor}"
            )
    return self, downscale_factor


def _require_image(op: str, self: Any, factor: int, name: str) -> None:
    if self.ndim < 3:
        raise RuntimeError(f"{op}() expects input to have at least 3 dimensions, but got {self.ndim} dimension(s)")
    if factor <= 0:
        raise RuntimeError(f"{op}() expects a positive {name}, but got {factor}")


def channel_shuffle(op: str, self: Any, groups: int) -> tuple[Any, ...]:
    """At least three dimensions; channels that the number of groups divides."""
    if self.ndim < 3:
        raise RuntimeError(f"{op}() expects input with > 2 dims, but got input with sizes {list(self._shape)}")
    if groups <= 0:
        raise RuntimeError(f"{op}(): Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if self._shape[1] % groups:
        raise RuntimeError(
            f"{op}(): Number of channels must be divisible by groups. Got {self._shape[1]} channels and {groups} "
            "groups."
        )
    return self, groups


def resample(
    op: str, self: Any, dim: int, length: int, filter: str, align_corners: bool, scale: float | None, antialias: bool
) -> tuple[Any, ...]:
    """Wraps `dim`, which has elements before and after."""
    dim = wrap_dim(op, dim, self.ndim, False)
    if length < 1 or self._shape[dim] < 1:
        raise ShapeError(
            f"{op}(): Input and output sizes should be greater than 0, but got input {self._shape[dim]} output {length}"
        )
    if filter not in FILTERS or (filter == "lanczos" and not antialias) or (scale is not None and not scale > 0):
        raise RuntimeError(
            f"{op}(): expected filter 'linear', 'cubic' or 'lanczos' and scale > 0, got {filter}, {scale}"
        )
    return self, dim, length, filter, align_corners, scale, antialias


def grid_sampler(
    op: str, self: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool
) -> tuple[Any, ...]:
    """An image and a grid of floats of one batch size and dtype, with one coordinate for each spatial dimension."""
    if self.dtype is not grid.dtype:
        raise RuntimeError(f"{op}(): expected input and grid to have the same dtype, got {self.dtype} and {grid.dtype}")
    if interpolation_mode not in (0, 1, 2) or padding_mode not in (0, 1, 2):
        raise RuntimeError(f"{op}(): expected modes 0, 1 or 2, got {interpolation_mode} and {padding_mode}")
    shapes = f"but got input with sizes {list(self._shape)} and grid with sizes {list(grid._shape)}"
    if self.ndim not in (4, 5) or grid.ndim != self.ndim:
        raise RuntimeError(f"{op}(): expected 4D or 5D input and grid with same number of dimensions, {shapes}")
    if self._shape[0] != grid._shape[0]:
        raise RuntimeError(f"{op}(): expected grid and input to have same batch size, {shapes}")
    if grid._shape[-1] != self.ndim - 2:
        raise RuntimeError(f"{op}(): expected grid to have size {self.ndim - 2} in last dimension, {shapes}")
    if 0 in self._shape[2:]:
        raise RuntimeError(f"{op}(): expected input to have non-empty spatial dimensions, {shapes}")
    if interpolation_mode == 2 and self.ndim != 4:
        raise RuntimeError(f"{op}(): bicubic interpolation only supports 4D input, {shapes}")
    if self.dtype.kind != "f":
        raise UnsupportedDtypeError(f"{op}(): expected floating-point numbers, but got {self.dtype!r}")
    return self, grid, interpolation_mode, padding_mode, align_corners


def affine_grid(op: str, theta: Any, size: Ints, align_corners: bool) -> tuple[Any, ...]:
    """One 2 x 3 matrix for each image of `size` (N, C, H, W), or one 3 x 4 matrix for (N, C, D, H, W)."""
    if theta.dtype.kind != "f":
        raise ValueError(f"{op}(): Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            f"{op}() only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size "
            f"{list(size)}."
        )
    if min(size) < 1:
        raise ValueError(f"{op}(): Expected non-zero, positive output size. Got {list(size)}")
    rows = len(size) - 2
    if theta.ndim != 3 or tuple(theta._shape[1:]) != (rows, rows + 1):
        raise ValueError(
            f"{op}(): Expected a batch of {rows}D affine matrices of shape Nx{rows}x{rows + 1} for size {list(size)}. "
            f"Got {list(theta._shape)}."
        )
    if theta._shape[0] != size[0]:
        raise RuntimeError(f"{op}(): expected {size[0]} matrices for size {list(size)}, got {theta._shape[0]}")
    return theta, tuple(size), align_corners


MODES = ("reflect", "replicate", "circular")


def border_pad(op: str, input: Any, pad: Ints, mode: str) -> tuple[Any, ...]:
    """Pairs of (before, after) for the last dimensions, of which there is enough to fill them."""
    _padded_shape(op, tuple(input._shape), tuple(pad), mode)
    return input, tuple(pad), mode


def border_pad_backward(op: str, grad_output: Any, input_shape: Ints, pad: Ints, mode: str) -> tuple[Any, ...]:
    """The gradient has the shape of the padded tensor."""
    require_shape(op, "grad_output", grad_output, _padded_shape(op, tuple(input_shape), tuple(pad), mode))
    return grad_output, tuple(input_shape), tuple(pad), mode


def _padded_shape(op: str, shape: tuple[int, ...], pad: tuple[int, ...], mode: str) -> tuple[int, ...]:
    if mode not in MODES:
        raise NotImplementedError(f"{op}(): Unrecognised padding mode {mode}")
    if len(pad) % 2:
        raise RuntimeError(f"{op}(): Padding length must be divisible by 2")
    padded = len(pad) // 2
    if padded not in (1, 2, 3) or len(shape) not in (padded + 1, padded + 2):
        raise NotImplementedError(f"{op}(): Padding size {len(pad)} is not supported for {len(shape)}D input tensor.")
    if 0 in shape[-padded - 1 :]:
        raise ShapeError(
            f"{op}(): Expected {padded + 1}D or {padded + 2}D (batch mode) tensor with possibly 0 batch size and other "
            f"non-zero dimensions for input, but got: {list(shape)}"
        )
    result = list(shape)
    for i in range(padded):
        before, after = pad[2 * i : 2 * i + 2]
        _require_source(op, shape, len(shape) - 1 - i, before, after, mode)
        result[-1 - i] += before + after
    if min(result[-padded:]) < 1:
        raise RuntimeError(f"{op}(): Negative padding value is resulting in an empty dimension: {result}")
    return tuple(result)


def _require_source(op: str, shape: tuple[int, ...], dim: int, before: int, after: int, mode: str) -> None:
    """A mirror shows all but the border itself, a circle comes round once."""
    max_pad = max(before, after)
    if mode == "reflect" and max_pad >= shape[dim]:
        raise RuntimeError(
            f"{op}(): Argument #4: Padding size should be less than the corresponding input dimension, but got: "
            f"padding ({before}, {after}) at dimension {dim} of input {list(shape)}"
        )
    if mode == "circular" and max_pad > shape[dim] + min(before, 0) + min(after, 0):
        raise RuntimeError(f"{op}(): Padding value causes wrapping around more than once.")
