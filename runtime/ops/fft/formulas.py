"""Helpers of composite Fourier transforms, of whole signals and of overlapping frames, and of their gradients."""

import warnings
from collections.abc import Sequence

from ...dispatch.shape_rules import all_examples, is_recorded
from ...namespace import Tensor, op


def restored(x: Tensor, shape: Sequence[int], dims: Sequence[int]) -> Tensor:
    if all(x._shape[dim] == shape[dim] for dim in dims):
        return x
    grown = [0] * (2 * x.ndim)
    for dim in dims:
        if shape[dim] < x._shape[dim]:
            x = x.narrow(dim, 0, shape[dim])
        grown[2 * (x.ndim - 1 - dim) + 1] = shape[dim] - x._shape[dim]
    return op.constant_pad_nd(x, grown) if any(grown) else x


def scaling(norm: str | None, forward: bool) -> int:
    """0: no scale, 1: over the square root of the size, 2: over the size."""
    if norm == "ortho":
        return 1
    return 2 if forward == (norm == "forward") else 0


def halves(shape: Sequence[int], dims: Sequence[int]) -> tuple[int, ...]:
    return tuple(shape[d] // 2 for d in dims)


def spectrogram(
    signal: Tensor,
    n_fft: int,
    hop: int,
    window: Tensor | None,
    padding: str | None,
    normalized: bool,
    onesided: bool,
    as_complex: bool,
) -> Tensor:
    x = signal if signal.ndim == 2 else signal.unsqueeze(0)
    if padding is not None:
        half = [n_fft // 2, n_fft // 2]
        x = op.constant_pad_nd(x, half) if padding == "constant" else op.border_pad(x, half, padding)
    frames = 1 + (x._shape[1] - n_fft) // hop
    pieces = x.index_select(1, _positions(frames, n_fft, hop, x)).reshape([x._shape[0], frames, n_fft])
    pieces = pieces if window is None else pieces * window
    transform = op.fft_r2c if onesided else op.fft_c2c
    spectrum = transform(pieces, [n_fft], [2], 1 if normalized else 0, True)
    spectrum = spectrum.transpose(1, 2)
    spectrum = spectrum if signal.ndim == 2 else spectrum.squeeze(0)
    return spectrum if as_complex else op.stack([spectrum.real, spectrum.imag], -1)


def overlapped(
    spectrum: Tensor,
    n_fft: int,
    hop: int,
    window: Tensor | None,
    center: bool,
    normalized: bool,
    onesided: bool,
    length: int | None,
    as_complex: bool,
) -> Tensor:
    """The signal whose frames fit best to spectra: the sum of frames times windows, over that of squared windows."""
    full = spectrum if spectrum.ndim == 3 else spectrum.unsqueeze(0)
    x, scale = full.transpose(1, 2), 1 if normalized else 2
    pieces = (op.fft_c2c if as_complex else op.fft_c2r)(x, [n_fft], [2], scale, False)
    real = pieces.real if as_complex else pieces
    weights = op.ones(n_fft, dtype=real.dtype, device=real.device) if window is None else window
    index = _positions(x._shape[1], n_fft, hop, x)
    begin, end = _span(n_fft + hop * (x._shape[1] - 1), n_fft // 2 if center else 0, length)
    signal = _overlap_add(pieces * weights, index, n_fft, hop)[:, begin:end]
    squares = (weights * weights).expand((1, x._shape[1], n_fft))
    envelope = _overlap_add(squares, index, n_fft, hop)[:, begin:end]
    _require_cover(envelope)
    signal = _of_length(signal / envelope, length)
    return signal if spectrum.ndim == 3 else signal.squeeze(0)


def centred_window(window: Tensor | None, length: int, n_fft: int, like: Tensor) -> Tensor | None:
    if length == n_fft:
        return window
    if window is None:
        window = op.ones(length, dtype=like.dtype.to_real(), device=like.device)
    return around_window(window, length, n_fft)


def around_window(signal: Tensor, length: int, n_fft: int) -> Tensor:
    """The signal between zeros, so that the window in the middle of the first n_fft numbers begins with the signal."""
    left = (n_fft - length) // 2
    return op.constant_pad_nd(signal, [left, n_fft - length - left])


def _span(full: int, begin: int, length: int | None) -> tuple[int, int]:
    return (begin, full - begin) if length is None else (begin, min(begin + length, full))


def _positions(frames: int, size: int, hop: int, like: Tensor) -> Tensor:
    begin = op.arange(frames, device=like.device) * hop
    return (begin.unsqueeze(1) + op.arange(size, device=like.device)).reshape([-1])


def _overlap_add(pieces: Tensor, index: Tensor, size: int, hop: int) -> Tensor:
    rows, frames = pieces._shape[:2]
    silence = pieces.new_zeros((rows, size + hop * (frames - 1)))
    return silence.index_add(1, index, pieces.reshape([rows, frames * size]))


def _require_cover(envelope: Tensor) -> None:
    values = all_examples(envelope.detach().abs())
    if values.numel() and not is_recorded(values) and not float(values.min()) > 1e-11:
        raise RuntimeError(f"istft(): window overlap add min: {float(values.min())}, expected windows everywhere")


def _of_length(signal: Tensor, length: int | None) -> Tensor:
    if length is None or length <= signal._shape[1]:
        return signal
    padded = "The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail."
    warnings.warn(f"{padded} Please check your center, window, or hop_length arguments.", stacklevel=4)
    return op.constant_pad_nd(signal, [0, length - signal._shape[1]])
