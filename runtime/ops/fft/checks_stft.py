"""Argument checks of Fourier transforms of frames; what is left out is filled in."""

from __future__ import annotations

from typing import Any

from ...errors import DtypeError, ShapeError

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
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if hop_length <= 0:
        raise RuntimeError(f"{op}(): expected hop_length > 0, but got hop_length={hop_length}")
    _require_window(op, window, win_length, n_fft)
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
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    _require_window(op, window, win_length, n_fft)
    if not 0 < hop_length <= win_length:
        raise RuntimeError(f"{op}(): Expected 0 < hop_length <= win_length, but got hop_length={hop_length}")
    onesided = input._shape[-2] != n_fft if onesided is None else onesided
    _require_frequencies(op, input, n_fft, onesided)
    if return_complex and onesided:
        raise RuntimeError(f"{op}(): Cannot have onesided output if window or input is complex")
    if not return_complex and window is not None and window.is_complex():
        raise RuntimeError(f"{op}(): Complex windows are incompatible with return_complex=False")
    return input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, return_complex


def _require_frequencies(op: str, input: Any, n_fft: int, onesided: bool) -> None:
    words, expected = ("n_fft / 2 + 1", n_fft // 2 + 1) if onesided else ("n_fft", n_fft)
    if input._shape[-2] != expected:
        raise RuntimeError(
            f"{op}(): expected the frequency dimension (2nd to the last) of the input tensor to match {words} = "
            f"{expected} when onesided={onesided}, but got {input._shape[-2]}"
        )


def _require_window(op: str, window: Any, win_length: int, n_fft: int) -> None:
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{op}(): expected 0 < win_length <= n_fft, but got win_length={win_length}")
    if window is not None and tuple(window._shape) != (win_length,):
        raise ShapeError(
            f"{op}(): expected a 1D window tensor of size equal to win_length={win_length}, but got window with size "
            f"{list(window._shape)}"
        )


def _require_numbers(op: str, input: Any, ranks: tuple[int, int], words: str) -> None:
    if input.dtype.kind not in "fc":
        raise DtypeError(f"{op}(): expected a tensor of floating point or complex values, got {input.dtype.name}")
    if input.ndim not in ranks:
        raise ShapeError(f"{op}(): expected a {words} tensor, got shape {list(input._shape)}")
