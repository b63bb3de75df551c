"""References of ops on images. Windows, filters and samples one by one."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.ops.loss.references import transposed


def im2col(self: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """Each window of the padded image, flattened."""
    (kh, kw), (dh, dw), (ph, pw), (sh, sw) = (np.broadcast_to(v, 2) for v in (kernel_size, dilation, padding, stride))
    wide = np.pad(self, [(0, 0)] * (self.ndim - 2) + [(ph, ph), (pw, pw)])
    rows = range(0, wide.shape[-2] - dh * (kh - 1), sh)
    columns = range(0, wide.shape[-1] - dw * (kw - 1), sw)
    found = [wide[..., i : i + dh * (kh - 1) + 1 : dh, j : j + dw * (kw - 1) + 1 : dw] for i in rows for j in columns]
    return np.stack(found, -1).reshape((*self.shape[:-3], self.shape[-3] * kh * kw, len(found)))


def col2im(self: Any, output_size: Any, **geometry: Any) -> Any:
    """The transpose of im2col."""
    count = int(np.prod(np.broadcast_to(geometry["kernel_size"], 2)))
    shape = (*self.shape[:-2], self.shape[-2] // count, *output_size)
    return transposed(lambda x: im2col(x, **geometry), shape, self)


def cubic(x: float, a: float) -> float:
    """Keys' cubic convolution."""
    x = abs(x)
    if x < 1:
        return (a + 2) * x**3 - (a + 3) * x**2 + 1
    return a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a if x < 2 else 0.0


def weight(filter: str, x: float, antialias: bool) -> float:
    """The value of a filter at a distance."""
    if filter == "cubic":
        return cubic(x, -0.5 if antialias else -0.75)
    return max(0.0, 1 - abs(x)) if filter == "linear" else float(np.sinc(x) * np.sinc(x / 3)) * (abs(x) < 3)


def matrix(n: int, m: int, filter: str, align_corners: bool, scale: Any, antialias: bool) -> Any:
    """The weights of n places in each of m."""
    step = (n - 1) / max(m - 1, 1) * (m > 1) if align_corners else 1 / scale if scale else n / m
    result = np.zeros((m, n))
    for i in range(m):
        if filter.startswith("nearest"):
            result[i, int((i + 0.5 * (filter == "nearest-exact")) * step)] = 1
            continue
        centre = (i + 0.5) * step - 0.5 if not align_corners or antialias else i * step
        wide = max(step, 1.0) if antialias else 1.0
        inner = max(centre, 0.0) if filter == "linear" and not antialias else centre
        for j in range(-4, n + 4):
            if antialias and not 0 <= j < n:
                continue
            result[i, min(max(j, 0), n - 1)] += weight(filter, (j - inner) / wide, antialias)
        if antialias:
            result[i] /= result[i].sum()
    return result


def resample(self: Any, dim: int, length: int, **kind: Any) -> Any:
    """The dense matrix of weights times the vectors along a dimension."""
    weights = matrix(self.shape[dim], length, **kind)
    return np.moveaxis(np.tensordot(weights, np.moveaxis(self, dim, 0), 1), 0, dim)


def resample_backward(grad_output: Any, dim: int, length: int, **kind: Any) -> Any:
    """The transpose of that matrix."""
    weights = matrix(length, grad_output.shape[dim], **kind)
    return np.moveaxis(np.tensordot(weights.T, np.moveaxis(grad_output, dim, 0), 1), 0, dim)


def inside(position: float, n: int, padding: int, align: bool) -> float:
    """A place moved inside, as the padding says."""
    low, high = (0.0, n - 1.0) if align else (-0.5, n - 0.5)
    while padding == 2 and high > low and not low <= position <= high:
        position = 2 * low - position if position < low else 2 * high - position
    return min(max(position, 0.0), n - 1.0) if padding else position


def taps(x: float, n: int, interpolation: int, padding: int, align: bool) -> list[tuple[int, float]]:
    """Pixels and their weights along one dimension."""
    position = (x + 1) / 2 * (n - 1) if align else ((x + 1) * n - 1) / 2
    if interpolation == 2:
        low = int(np.floor(position))
        found = [(inside(low + k, n, padding, align), cubic(position - low - k, -0.75)) for k in range(-1, 3)]
    else:
        position = inside(position, n, padding, align)
        low = int(np.floor(position))
        found = [(np.round(position), 1.0)] if interpolation else [(low, low + 1 - position), (low + 1, position - low)]
    return [(int(i), w) for i, w in found if 0 <= i < n]


def grid_sampler(self: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Any:
    """Each place of the grid by itself."""
    result = np.zeros((self.shape[0], self.shape[1], *grid.shape[1:-1]), self.dtype)
    for n, *where in np.ndindex(*grid.shape[:-1]):
        position = reversed(grid[(n, *where)])
        given = [
            taps(x, size, interpolation_mode, padding_mode, align_corners)
            for x, size in zip(position, self.shape[2:], strict=True)
        ]
        for chosen in itertools.product(*given):
            index, weights = zip(*chosen, strict=True)
            result[(n, slice(None), *where)] += self[(n, slice(None), *index)] * np.prod(weights)
    return result


def affine_grid(theta: Any, size: Any, align_corners: bool) -> Any:
    """theta times each pixel's place."""
    axes = [np.linspace(-1, 1, n) * (1 if align_corners else 1 - 1 / n) if n > 1 else np.zeros(1) for n in size[2:]]
    positions = np.stack([*np.meshgrid(*axes, indexing="ij")[::-1], np.ones(size[2:])], -1)
    return np.einsum("nij,...j->n...i", theta, positions)


def pixel_shuffle(self: Any, upscale_factor: int) -> Any:
    """Pixel by pixel."""
    r = upscale_factor
    result = np.empty((*self.shape[:-3], self.shape[-3] // r**2, self.shape[-2] * r, self.shape[-1] * r), self.dtype)
    for i, j in np.ndindex(r, r):
        result[..., i::r, j::r] = self[..., i * r + j :: r * r, :, :]
    return result


def pixel_unshuffle(self: Any, downscale_factor: int) -> Any:
    """The inverse, plane by plane."""
    r = downscale_factor
    planes = [self[..., c, i::r, j::r] for c in range(self.shape[-3]) for i in range(r) for j in range(r)]
    return np.stack(planes, -3)


IMAGES: dict[str, Callable[..., Any]] = {
    "im2col": im2col,
    "col2im": col2im,
    "pixel_shuffle": pixel_shuffle,
    "pixel_unshuffle": pixel_unshuffle,
    "channel_shuffle": lambda self, groups: self[:, np.arange(self.shape[1]).reshape(groups, -1).T.ravel()],
    "resample": resample,
    "resample_backward": resample_backward,
    "resample_bytes": lambda self, **kind: np.floor(resample(self * 1.0, **kind) + 0.5).clip(0, 255).astype(int),
    "grid_sampler": grid_sampler,
    "affine_grid_generator": affine_grid,
}
