"""Argument checks of Fourier transforms, of whole signals and of frames: sizes, dimensions, scale and window."""

import functools
from collections.abc import Sequence
from typing import Any

from ...dispatch.argument_checks import wrap_dim
from ...errors import DimensionError, DtypeError, ShapeError, UnsupportedDtypeError

NORMS = (None, "backward", "ortho", "forward")


def transformed_dims(
    op: str, input: Any, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool
) -> tuple[Any, ...]:
    """Wraps `dim`; each dimension once; lengths of at least 1; a scale of 0 (none), 1 (by the size's root) or 2."""
    _require_wide(op, input)
    return *_scaled_dims(op, input, lengths, dim, normalization), forward


def transformed_half(
    op: str, input: Any, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool, pairs: float
) -> tuple[Any, ...]:
    """Wraps `dim`, at least one; lengths of at least 1; the scale is 0, 1 or 2."""
    _require_wide(op, input)
    return transformed_from_half(op, input, lengths, dim, normalization, forward, pairs)


def transformed_from_half(
    op: str, input: Any, lengths: Sequence[int], dim: Sequence[int], normalization: int, forward: bool, pairs: float
) -> tuple[Any, ...]:
    """Wraps `dim`, at least one; lengths of at least 1, the last that whose half is given; a scale of 0, 1 or 2."""
    checked = _scaled_dims(op, input, lengths, dim, normalization)
    if not dim:
        raise RuntimeError(f"{op}(): expected at least one dimension to transform, got none")
    return *checked, forward, pairs


def _scaled_dims(
    op: str, input: Any, lengths: Sequence[int], dim: Sequence[int], normalization: int
) -> tuple[Any, tuple[int, ...], tuple[int, ...], int]:
    if normalization not in (0, 1, 2):
        raise ValueError(f"{op}(): expected a normalization of 0, 1 or 2, got {normalization}")
    dims = _wrapped(op, tuple(dim), input.ndim)
    if len(lengths) != len(dims) or min(lengths, default=1) < 1:
        raise RuntimeError(f"{op}(): expected a length of at least 1 for each of {list(dim)}, got {list(lengths)}")
    return input, tuple(lengths), dims, normalization


def _require_wide(op: str, input: Any) -> None:
    if input.dtype.kind == "f" and input.dtype.itemsize == 2:
        raise UnsupportedDtypeError(f"{op}(): Unsupported dtype {input.dtype.name}, expected float32 or float64")


def along_axis(op: str, input: Any, n: int | None, dim: int, norm: str | None) -> tuple[Any, ...]:
    """One dimension, brought to n numbers, n at least 1; norm is 'backward', 'ortho' or 'forward'."""
    dims = _wrapped(op, (dim,), input.ndim)
    return _sized(op, input, _one_size(op, n), dims, norm, half=False)


def along_real_axis(op: str, input: Any, n: int | None, dim: int, norm: str | None) -> tuple[Any, ...]:
    """A real input; one dimension, brought to n numbers, n at least 1; norm is 'backward', 'ortho' or 'forward'."""
    _require_real(op, input)
    return along_axis(op, input, n, dim, norm)


def along_half_axis(op: str, input: Any, n: int | None, dim: int, norm: str | None) -> tuple[Any, ...]:
    """Half of a symmetric dimension, brought to that of n numbers: 2 (size - 1) if not given, at least 1."""
    dims = _wrapped(op, (dim,), input.ndim)
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
    dims = _wrapped(op, tuple(dim), input.ndim)
    if s is not None and len(s) != len(dims):
        raise RuntimeError(
            f"{op}(): When given, dim and shape arguments must have the same length, got {list(dim)} and {list(s)}"
        )
    return dims


@functools.lru_cache(maxsize=256)
def _wrapped(op: str, dim: tuple[int, ...], ndim: int) -> tuple[int, ...]:
    dims = tuple([_wrap(op, d, ndim) for d in dim])
    if len(set(dims)) < len(dims):
        raise RuntimeError(f"{op}(): FFT dims must be unique, got {list(dim)}")
    return dims


def _wrap(op: str, dim: int, ndim: int) -> int:
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
        sizes = [own if value == -1 else value for own, value in zip(sizes, s, strict=True)]
    if sizes and min(sizes) < 1:
        raise RuntimeError(f"{op}(): Invalid number of data points ({min(sizes)}) specified")
    if norm not in NORMS:
        raise RuntimeError(f'{op}(): Invalid normalization mode: "{norm}", expected one of {NORMS[1:]}')
    return input, tuple(sizes), dims, norm


def _require_real(op: str, input: Any) -> None:
    if input.is_complex():
        raise DtypeError(f"{op}(): expects a real input tensor, but got {input.dtype.name}")


PADDINGS = ("constant", "reflect", "replicate", "circular")


def stft(
    op: str,
    input: Any,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Any,
    center: bool,
    pad_mode: str,
    normalized: bool,
    onesided: bool | None,
    return_complex: bool | None,
    align_to_window: bool | None,
) -> tuple[Any, ...]:
    """Signals (time,) or (batch, time) of at least n_fft numbers; a window of win_length numbers, at most n_fft."""
    if center and align_to_window is not None:
        raise RuntimeError(f"{op}(): align_to_window should only be set when center = false, got {align_to_window}")
    if center and pad_mode not in PADDINGS:
        raise NotImplementedError(
            f"{op}(): Unrecognised padding mode {pad_mode}, expected one of {', '.join(PADDINGS)}"
        )
    _require_numbers(op, input, (1, 2), "1D or 2D")
    length = input._shape[-1] + (2 * (n_fft // 2) if center else 0)
    if not 0 < n_fft <= length:
        raise RuntimeError(f"{op}(): expected 0 < n_fft < {length}, but got n_fft={n_fft}")
    hop_length, win_length = _frame_lengths(op, n_fft, hop_length, win_length, window)
    if hop_length <= 0:
        raise RuntimeError(f"{op}(): expected hop_length > 0, but got hop_length={hop_length}")
    is_complex = input.is_complex() or (window is not None and window.is_complex())
    if onesided and is_complex:
        raise RuntimeError(f"{op}(): Cannot have onesided output if window or input is complex")
    if return_complex is None and not is_complex:
        raise RuntimeError(f"{op}(): stft requires the return_complex parameter be given for real inputs")
    onesided = not is_complex if onesided is None else onesided
    padding = pad_mode if center else None
    as_complex = True if return_complex is None else return_complex
    outputs = normalized, onesided, as_complex, align_to_window
    return input, n_fft, hop_length, win_length, window, center, padding, *outputs


def istft(
    op: str,
    input: Any,
    n_fft: int,
    hop_length: int | None,
    win_length: int | None,
    window: Any,
    center: bool,
    normalized: bool,
    onesided: bool | None,
    length: int | None,
    return_complex: bool,
) -> tuple[Any, ...]:
    """Complex spectra (frequencies, frames) or (batch, frequencies, frames), and what stft was given."""
    if not input.is_complex():
        raise DtypeError(
            f"{op}(): istft requires a complex-valued input tensor matching the output from stft with "
            f"return_complex=True, got {input.dtype.name}"
        )
    _require_numbers(op, input, (2, 3), "2D or 3D")
    if not input.numel():
        raise RuntimeError(f"{op}(): istft input tensor cannot be empty, got shape {list(input._shape)}")
    hop_length, win_length = _frame_lengths(op, n_fft, hop_length, win_length, window)
    if not 0 < hop_length <= win_length:
        raise RuntimeError(f"{op}(): Expected 0 < hop_length <= win_length, but got hop_length={hop_length}")
    onesided = input._shape[-2] != n_fft if onesided is None else onesided
    message, expected = ("n_fft / 2 + 1", n_fft // 2 + 1) if onesided else ("n_fft", n_fft)
    if input._shape[-2] != expected:
        raise RuntimeError(
            f"{op}(): expected the frequency dimension (2nd to the last) of the input tensor to match {message} = "
            f"{expected} when onesided={onesided}, but got {input._shape[-2]}"
        )
    if return_complex and onesided:
        raise RuntimeError(f"{op}(): Cannot have onesided output if window or input is complex")
    if not return_complex and window is not None and window.is_complex():
        raise RuntimeError(f"{op}(): Complex windows are incompatible with return_complex=False")
    return input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex


def _frame_lengths(op: str, n_fft: int, hop: int | None, win_length: int | None, window: Any) -> tuple[int, int]:
    """The distance of frames, n_fft // 4 by default, and the length of the window, n_fft by default."""
    win_length = n_fft if win_length is None else win_length
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{op}(): expected 0 < win_length <= n_fft, but got win_length={win_length}")
    if window is not None and tuple(window._shape) != (win_length,):
        raise ShapeError(
            f"{op}(): expected a 1D window tensor of size equal to win_length={win_length}, but got window with size "
            f"{list(window._shape)}"
        )
    return n_fft // 4 if hop is None else hop, win_length


def _require_numbers(op: str, input: Any, ranks: tuple[int, int], message: str) -> None:
    if input.dtype.kind not in "fc":
        raise DtypeError(f"{op}(): expected a tensor of floating point or complex values, got {input.dtype.name}")
    if input.ndim not in ranks:
        raise ShapeError(f"{op}(): expected a {message} tensor, got shape {list(input._shape)}")
