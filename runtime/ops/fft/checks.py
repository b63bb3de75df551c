"""Argument checks of Fourier transforms: how many numbers along which dimensions, and how they are scaled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...dispatch.checks import wrap_dim
from ...errors import DimensionError, DtypeError, UnsupportedDtypeError

NORMS = (None, "backward", "ortho", "forward")


def transformed_dims(op: str, input: Any, dim: Sequence[int], normalization: int, *rest: Any) -> tuple[Any, ...]:
    """Wraps `dim`; each dimension once; a scale of 0 (none), 1 (by the root of the size) or 2 (by the size)."""
    _require_wide(op, input)
    return *_scaled_dims(op, input, dim, normalization), *rest


def transformed_half(op: str, input: Any, dim: Sequence[int], normalization: int, *rest: Any) -> tuple[Any, ...]:
    """As `transformed_dims`, along at least one dimension; a size of the last one that the half fits."""
    if not rest:
        _require_wide(op, input)
    checked = _scaled_dims(op, input, dim, normalization)
    if not dim:
        raise RuntimeError(f"{op}(): expected at least one dimension to transform, got none")
    if rest and rest[0] // 2 + 1 != input._shape[checked[1][-1]]:
        raise RuntimeError(f"{op}(): a half of {input._shape[checked[1][-1]]} numbers is not that of {rest[0]}")
    return *checked, *rest


def _scaled_dims(op: str, input: Any, dim: Sequence[int], normalization: int) -> tuple[Any, tuple[int, ...], int]:
    if normalization not in (0, 1, 2):
        raise ValueError(f"{op}(): expected a normalization of 0, 1 or 2, got {normalization}")
    return input, _wrapped(op, dim, input.ndim), normalization


def _require_wide(op: str, input: Any) -> None:
    """There are no complex numbers of half precision."""
    if input.dtype.kind == "f" and input.dtype.itemsize == 2:
        raise UnsupportedDtypeError(f"{op}(): Unsupported dtype {input.dtype.name}, expected float32 or float64")


def along_axis(op: str, input: Any, n: int | None, dim: int, norm: str | None) -> tuple[Any, ...]:
    """One dimension, brought to n numbers, n at least 1; norm is 'backward', 'ortho' or 'forward'."""
    dims = (_wrap(op, dim, input.ndim),)
    return _sized(op, input, _one_size(op, n), dims, norm, half=False)


def along_real_axis(op: str, input: Any, n: int | None, dim: int, norm: str | None) -> tuple[Any, ...]:
    """A real input; one dimension, brought to n numbers, n at least 1; norm is 'backward', 'ortho' or 'forward'."""
    _require_real(op, input)
    return along_axis(op, input, n, dim, norm)


def along_half_axis(op: str, input: Any, n: int | None, dim: int, norm: str | None) -> tuple[Any, ...]:
    """Half of a symmetric dimension, brought to that of n numbers: 2 (size - 1) if not given, at least 1."""
    dims = (_wrap(op, dim, input.ndim),)
    return _sized(op, input, _one_size(op, n), dims, norm, half=True)


def over_axes(
    op: str, input: Any, s: Sequence[int] | None, dim: Sequence[int] | None, norm: str | None
) -> tuple[Any, ...]:
    """Dimensions, all if not given, brought to the sizes s, at least 1; norm is 'backward', 'ortho' or 'forward'."""
    return _sized(op, input, s, _chosen(op, input, s, dim), norm, half=False)


def over_real_axes(
    op: str, input: Any, s: Sequence[int] | None, dim: Sequence[int] | None, norm: str | None
) -> tuple[Any, ...]:
    """A real input; at least one dimension, brought to the sizes s; norm is 'backward', 'ortho' or 'forward'."""
    _require_real(op, input)
    dims = _some(op, _chosen(op, input, s, dim))
    return _sized(op, input, s, dims, norm, half=False)


def over_half_axes(
    op: str, input: Any, s: Sequence[int] | None, dim: Sequence[int] | None, norm: str | None
) -> tuple[Any, ...]:
    """At least one dimension, the last the half of a symmetric one; brought to the sizes s, each at least 1."""
    dims = _some(op, _chosen(op, input, s, dim))
    return _sized(op, input, s, dims, norm, half=True)


def shifted_dims(op: str, input: Any, dim: Sequence[int] | None) -> tuple[Any, ...]:
    """Dimensions, all if not given, and at least one."""
    dims = range(input.ndim) if dim is None else [_wrap(op, d, input.ndim) for d in dim]
    return input, _some(op, tuple(dims))


def _one_size(op: str, n: int | None) -> tuple[int, ...] | None:
    """A size along one dimension, where -1 stands for nothing."""
    if n is not None and n < 1:
        raise RuntimeError(f"{op}(): Invalid number of data points ({n}) specified")
    return None if n is None else (n,)


def _chosen(op: str, input: Any, s: Sequence[int] | None, dim: Sequence[int] | None) -> tuple[int, ...]:
    """The dimensions meant: those given, or as many of the last ones as sizes are given, or all."""
    if dim is None:
        count = input.ndim if s is None else len(s)
        if count > input.ndim:
            raise RuntimeError(
                f"{op}(): Got shape with {count} values but input tensor only has {input.ndim} dimensions"
            )
        return tuple(range(input.ndim - count, input.ndim))
    dims = _wrapped(op, dim, input.ndim)
    if s is not None and len(s) != len(dims):
        raise RuntimeError(
            f"{op}(): When given, dim and shape arguments must have the same length, got {list(dim)} and {list(s)}"
        )
    return dims


def _wrapped(op: str, dim: Sequence[int], ndim: int) -> tuple[int, ...]:
    dims = tuple(_wrap(op, d, ndim) for d in dim)
    if len(set(dims)) < len(dims):
        raise RuntimeError(f"{op}(): FFT dims must be unique, got {list(dim)}")
    return dims


def _wrap(op: str, dim: int, ndim: int) -> int:
    """A dimension from the front; a number has none."""
    if not ndim:
        raise DimensionError(f"{op}(): Dimension specified as {dim} but tensor has no dimensions")
    return wrap_dim(op, dim, ndim)


def _some(op: str, dims: tuple[int, ...]) -> tuple[int, ...]:
    if not dims:
        raise RuntimeError(f"{op}(): must transform at least one axis, got an empty dim")
    return dims


def _sized(
    op: str, input: Any, s: Sequence[int] | None, dims: tuple[int, ...], norm: str | None, half: bool
) -> tuple[Any, ...]:
    """The sizes of the whole transform along each dimension; -1 stands for the size that is there."""
    sizes = [input._shape[d] for d in dims]
    if half:
        sizes[-1] = 2 * (sizes[-1] - 1)
    if s is not None:
        sizes = [own if given == -1 else given for own, given in zip(sizes, s, strict=True)]
    if any(n < 1 for n in sizes):
        raise RuntimeError(f"{op}(): Invalid number of data points ({min(sizes)}) specified")
    if norm not in NORMS:
        raise RuntimeError(f'{op}(): Invalid normalization mode: "{norm}", expected one of {NORMS[1:]}')
    return input, tuple(sizes), dims, norm


def _require_real(op: str, input: Any) -> None:
    if input.is_complex():
        raise DtypeError(f"{op}(): expects a real input tensor, but got {input.dtype.name}")
