"""References of the section fft of derivatives.yaml: what its ops give, in terms of NumPy and SciPy."""

import numpy as np
import scipy


def fft_c2c(self, lengths, dim, normalization, forward):
    return (
        scipy.fft.fftn(self + 0j, lengths, dim, ("backward", "ortho", "forward")[normalization])
        if forward
        else scipy.fft.ifftn(self + 0j, lengths, dim, ("forward", "ortho", "backward")[normalization])
    )


def fft_r2c(self, lengths, dim, normalization, forward, pairs):
    whole = scipy.fft.rfftn(self, lengths, dim, ("backward", "ortho", "forward")[normalization])
    weights = np.where(2 * np.arange(lengths[-1] // 2 + 1) % lengths[-1] == 0, 1, pairs)
    return np.moveaxis(np.moveaxis(whole if forward else np.conj(whole), dim[-1], -1) * weights, -1, dim[-1])


def fft_c2r(self, lengths, dim, normalization, forward, pairs):
    norms = ("backward", "ortho", "forward") if forward else ("forward", "ortho", "backward")
    x = np.moveaxis(np.moveaxis(self, dim[-1], -1)[..., : lengths[-1] // 2 + 1], -1, dim[-1])
    weights = np.where(2 * np.arange(x.shape[dim[-1]]) % lengths[-1] == 0, 1, pairs)
    given = np.moveaxis(np.moveaxis(x, dim[-1], -1) * weights, -1, dim[-1])
    return (
        scipy.fft.hfftn(given, lengths, dim, norms[normalization])
        if forward
        else scipy.fft.irfftn(given, lengths, dim, norms[normalization])
    )


def stft_center(
    self, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided, return_complex, align_to_window
):
    size = win_length or n_fft
    beside = ((n_fft - (win_length or n_fft)) // 2, (n_fft - (win_length or n_fft) + 1) // 2)
    half = n_fft // 2
    one = np.isrealobj(self) and np.isrealobj(window) if onesided is None else onesided
    w = np.pad(np.ones(size) if window is None else window, beside)
    x = np.pad(
        self,
        [*[(0, 0) for n in self.shape[1:]], (half, half) if center else beside if align_to_window else (0, 0)],
        dict(replicate="edge", circular="wrap").get(pad_mode, pad_mode) if center else "constant",
    )
    y = np.swapaxes(
        np.fft.fft(
            np.lib.stride_tricks.sliding_window_view(x, n_fft, -1)[..., :: hop_length or n_fft // 4, :] * w,
            norm="ortho" if normalized else None,
        )[..., : half + 1 if one else n_fft],
        -1,
        -2,
    )
    return np.stack([y.real, y.imag], -1) if return_complex is False else y


def istft(self, n_fft, hop_length, win_length, window, center, normalized, length, return_complex):
    hop = hop_length or n_fft // 4
    size = win_length or n_fft
    frames = self.shape[-1]
    w = np.pad(np.ones(size) if window is None else window, ((n_fft - size) // 2, (n_fft - size + 1) // 2))
    x = (
        np.fft.ifft(self, n_fft, -2, "ortho" if normalized else None)
        if return_complex
        else np.fft.irfft(self[..., : n_fft // 2 + 1, :], n_fft, -2, "ortho" if normalized else None)
    ).swapaxes(-1, -2)
    whole = np.linalg.lstsq(
        np.concatenate([np.eye(n_fft, n_fft + hop * (frames - 1), hop * f) * w[:, None] for f in range(frames)]),
        x.reshape(-1, n_fft * frames).T,
    )[0].T.reshape(*self.shape[:-2], -1)
    return whole[
        ...,
        n_fft // 2 * center : n_fft // 2 * center + length
        if length is not None
        else whole.shape[-1] - n_fft // 2 * center,
    ]
