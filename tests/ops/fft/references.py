"""References of Fourier transforms: NumPy's, and those that it lacks from their definition."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy import fft

SCALES = ("backward", "ortho", "forward"), ("forward", "ortho", "backward")


def matrix(n: int, normalization: int, sign: float) -> Any:
    """The transform of n numbers as a matrix."""
    k = np.arange(n)
    return np.exp(sign * 2j * np.pi * np.outer(k, k) / n) / n ** (normalization / 2)


def by_matrices(x: Any, dim: Any, normalization: int, forward: bool = True) -> Any:
    """A transform along dimensions by its definition."""
    for d in dim:
        transposed = matrix(x.shape[d], normalization, -1 if forward else 1) @ np.moveaxis(
            x, d, -2 if x.ndim > 1 else 0
        )
        x = np.moveaxis(transposed, -2 if x.ndim > 1 else 0, d)
    return x.astype(np.complex128)


def half(x: Any, dim: int) -> Any:
    """The first n // 2 + 1 numbers along a dimension."""
    return np.take(x, range(x.shape[dim] // 2 + 1), dim)


def of_pairs(x: Any, dim: int, n: int, pairs: float) -> Any:
    """Half of a symmetric spectrum of n numbers: those that are not their own mirror image are multiplied."""
    k = np.arange(n // 2 + 1)
    return np.moveaxis(np.moveaxis(x, dim, -1) * np.where(-k % n == k, 1, pairs), -1, dim)


def with_lengths(x: Any, lengths: Any, dim: Any) -> Any:
    """Cut, or filled up with zeros, along dimensions."""
    for n, d in zip(lengths, dim, strict=True):
        x = np.take(x, range(min(n, x.shape[d])), d)
        x = np.pad(x, [(0, n - x.shape[d] if e == d else 0) for e in range(x.ndim)])
    return x


def transformed(self: Any, lengths: Any, dim: Any, normalization: int, forward: bool) -> Any:
    """A transform of other lengths by its definition."""
    return by_matrices(with_lengths(self, lengths, dim), dim, normalization, forward)


def to_half(self: Any, lengths: Any, dim: Any, normalization: int, forward: bool, pairs: float = 1.0) -> Any:
    """The half of a transform by its definition, with weights."""
    found = half(transformed(self, lengths, dim, normalization, forward), dim[-1])
    return of_pairs(found, dim[-1], lengths[-1], pairs)


def from_half(self: Any, lengths: Any, dim: Any, normalization: int, forward: bool, pairs: float = 1.0) -> Any:
    """NumPy's irfftn, by the names of the op, of a spectrum with weights; of conjugates there is what is forward."""
    if not self.size:
        return np.zeros(with_lengths(self, lengths, dim).shape)
    spectrum = with_lengths(self, (*lengths[:-1], lengths[-1] // 2 + 1), dim)
    spectrum = of_pairs(np.conj(spectrum) if forward else spectrum, dim[-1], lengths[-1], pairs)
    return fft.irfftn(spectrum, lengths, dim, SCALES[1][normalization])


def along(transform: Callable[..., Any]) -> Callable[..., Any]:
    """NumPy's function of one dimension under PyTorch's names."""
    return lambda self, n=None, dim=-1, norm=None: transform(self, n, dim, norm)


def over(transform: Callable[..., Any], default: Any = None) -> Callable[..., Any]:
    """NumPy's function of several dimensions under PyTorch's names."""

    def reference(self: Any, s: Any = None, dim: Any = default, norm: Any = None) -> Any:
        dims = range(self.ndim)[-len(s or self.shape) :] if dim is None else dim
        return transform(self, s, tuple(dims), norm)

    return reference


OPPOSITE = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def symmetric(self: Any, s: Any, dim: Any, norm: Any) -> Any:
    """The real spectrum of a symmetric signal: NumPy has the function of one dimension only."""
    return fft.irfftn(np.conj(self), s, dim, OPPOSITE[norm])


def inverse_symmetric(self: Any, s: Any, dim: Any, norm: Any) -> Any:
    """Back to half of the signal."""
    return np.conj(fft.rfftn(self, s, dim, OPPOSITE[norm]))


def spectrogram(
    self: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Any = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool = True,
    align_to_window: bool = False,
) -> Any:
    """Frame by frame; as many frequencies as tell all."""
    if self.ndim == 2:
        options = (n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, True, align_to_window)
        return np.array([spectrogram(row, *options) for row in self])
    x = self
    if center:
        x = np.pad(x, n_fft // 2, {"replicate": "edge", "circular": "wrap"}.get(pad_mode, pad_mode))
    beside = n_fft - (win_length or n_fft)
    x = np.pad(x, (beside // 2, beside - beside // 2)) if align_to_window else x
    begins = range(0, len(x) - n_fft + 1, hop_length or n_fft // 4)
    frames = [fft.fft(x[i : i + n_fft] * in_the_middle(window, win_length, n_fft)) for i in begins]
    found = np.array(frames).T / np.sqrt(n_fft if normalized else 1)
    real = not np.iscomplexobj(self) and not np.iscomplexobj(window) if onesided is None else onesided
    return found[: n_fft // 2 + 1] if real else found


def signal(
    self: Any,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    center: bool = True,
    normalized: bool = False,
    length: int | None = None,
) -> Any:
    """Frames times windows added up, over the squares of the windows added up."""
    if self.ndim == 3:
        return np.array([signal(one, n_fft, hop_length, win_length, center, normalized, length) for one in self])
    half = self if len(self) < n_fft else self[: n_fft // 2 + 1]
    window, hop = in_the_middle(None, win_length, n_fft), hop_length or n_fft // 4
    total = np.zeros((2, n_fft + hop * (self.shape[1] - 1)))
    for t in range(self.shape[1]):
        frame = fft.irfft(half[:, t], n_fft, norm="ortho" if normalized else None)
        total[:, hop * t : hop * t + n_fft] += frame * window, window**2
    cut = n_fft // 2 if center else 0
    total = total[:, cut : total.shape[1] - cut]
    return (total[0] / total[1])[:length]


def in_the_middle(window: Any, win_length: int | None, n_fft: int) -> Any:
    """The window, ones if not given, with zeros around it."""
    length = win_length or n_fft
    left = (n_fft - length) // 2
    return np.pad(np.ones(length) if window is None else window, (left, n_fft - length - left))


FOURIER: dict[str, Callable[..., Any]] = {
    "fft_c2c": transformed,
    "fft_r2c": to_half,
    "fft_c2r": from_half,
    "fft_fft": along(fft.fft),
    "fft_ifft": along(fft.ifft),
    "fft_rfft": along(fft.rfft),
    "fft_irfft": along(fft.irfft),
    "fft_hfft": along(fft.hfft),
    "fft_ihfft": along(fft.ihfft),
    "fft_fft2": over(fft.fftn, (-2, -1)),
    "fft_ifft2": over(fft.ifftn, (-2, -1)),
    "fft_rfft2": over(fft.rfftn, (-2, -1)),
    "fft_irfft2": over(fft.irfftn, (-2, -1)),
    "fft_hfft2": over(symmetric, (-2, -1)),
    "fft_ihfft2": over(inverse_symmetric, (-2, -1)),
    "fft_fftn": over(fft.fftn),
    "fft_ifftn": over(fft.ifftn),
    "fft_rfftn": over(fft.rfftn),
    "fft_irfftn": over(fft.irfftn),
    "fft_hfftn": over(symmetric),
    "fft_ihfftn": over(inverse_symmetric),
    "fft_fftshift": lambda self, dim=None: fft.fftshift(self, dim),
    "fft_ifftshift": lambda self, dim=None: fft.ifftshift(self, dim),
    "stft": spectrogram,
    "istft": signal,
}
