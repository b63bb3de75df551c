"""Fourier transforms of frames, windows, and the way back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.signal import windows

import specgrad as sg

X = sg.tensor(np.random.default_rng(4).standard_normal((2, 40)))

WINDOWS: dict[str, Any] = {
    "hann_window": windows.hann,
    "hamming_window": windows.hamming,
    "blackman_window": windows.blackman,
    "bartlett_window": windows.bartlett,
    "kaiser_window": lambda n, sym: windows.kaiser(n, 12.0, sym=sym),
}


@pytest.mark.parametrize("periodic", [True, False])
@pytest.mark.parametrize("name", WINDOWS)
def test_windows(name: str, periodic: bool) -> None:
    """They are SciPy's, of any length, in the default dtype unless another one is asked for."""
    make = getattr(sg, name)
    for n in (1, 2, 7, 8):
        found = make(n, periodic, dtype=sg.float64)
        np.testing.assert_allclose(found.numpy(), WINDOWS[name](n, sym=not periodic), atol=1e-12)
    assert make(0).shape == (0,) and make(3).dtype is sg.float32
    with pytest.raises(RuntimeError, match=f"{name}.*non-negative"):
        make(-1)
    with pytest.raises(RuntimeError, match=f"{name}.*floating point"):
        make(3, dtype=sg.int64)


def test_windows_with_parameters() -> None:
    """Hamming's two numbers and Kaiser's one."""
    hamming = sg.hamming_window(6, True, 0.6, 0.3, dtype=sg.float64)
    np.testing.assert_allclose(hamming.numpy(), 0.6 - 0.3 * np.cos(np.arange(6) * np.pi / 3), atol=1e-12)
    kaiser = sg.kaiser_window(6, False, 3.0, dtype=sg.float64)
    np.testing.assert_allclose(kaiser.numpy(), windows.kaiser(6, 3.0), atol=1e-12)


@pytest.mark.parametrize("normalized", [False, True])
@pytest.mark.parametrize("onesided", [True, False])
@pytest.mark.parametrize(("window", "length"), [(None, 8), ("hann", 8), ("hann", 6)])
def test_there_and_back(window: str | None, length: int, onesided: bool, normalized: bool) -> None:
    """istft with the same arguments gives the signal again, as far as windows cover it, with the right gradient."""
    weights = None if window is None else sg.hann_window(length, dtype=sg.float64)
    given: dict[str, Any] = {"n_fft": 8, "hop_length": 2, "win_length": length, "window": weights}
    given |= {"normalized": normalized, "onesided": onesided}
    x = X.clone().requires_grad_()
    spectra = x.stft(**given, return_complex=True)
    assert spectra.shape == (2, 5 if onesided else 8, 21)
    back = sg.istft(spectra, **given, length=40)
    np.testing.assert_allclose(back.detach().numpy(), X.numpy(), atol=1e-12)
    (back**2).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), 2 * X.numpy(), atol=1e-10)


def test_forms_of_the_result() -> None:
    """Complex signals have all frequencies; both parts may come apart; without center nothing is padded."""
    full = sg.stft(X + 0j, 8, return_complex=True)
    half = sg.stft(X, 8, return_complex=True)
    np.testing.assert_allclose(full[:, :5].numpy(), half.numpy(), atol=1e-12)
    parts = sg.stft(X[0], 8, return_complex=False)
    np.testing.assert_allclose(parts.numpy(), np.stack([half[0].real.numpy(), half[0].imag.numpy()], -1))
    assert sg.stft(X, 8, center=False, return_complex=True).shape == (2, 5, 17)
    back = sg.istft(full, 8, return_complex=True)
    assert back.is_complex() and sg.istft(full, 8).dtype is sg.float64
    for mode in ("constant", "replicate", "circular"):
        assert sg.stft(X, 8, pad_mode=mode, return_complex=True).shape == half.shape


def test_more_than_there_is() -> None:
    """A length beyond the frames is filled with zeros, with a warning."""
    with pytest.warns(UserWarning, match="shorter than the length parameter"):
        found = sg.istft(sg.stft(X, 8, return_complex=True), 8, length=50)
    assert found.shape == (2, 50) and found[:, 44:].abs().sum() == 0


S = sg.zeros(5, 6, dtype=sg.complex64)
REFUSED: dict[str, tuple[type[Exception], str, Any]] = {
    "return_complex": (RuntimeError, "return_complex", lambda: sg.stft(X, 8)),
    "size": (RuntimeError, "0 < n_fft", lambda: sg.stft(X, 41, center=False, return_complex=True)),
    "hop": (RuntimeError, "hop_length > 0", lambda: sg.stft(X, 8, 0, return_complex=True)),
    "window's length": (RuntimeError, "win_length <= n_fft", lambda: sg.stft(X, 8, 2, 9, return_complex=True)),
    "window": (RuntimeError, "1D window", lambda: sg.stft(X, 8, window=sg.ones(7), return_complex=True)),
    "one side": (RuntimeError, "onesided", lambda: sg.stft(X + 0j, 8, onesided=True)),
    "rank": (RuntimeError, "1D or 2D", lambda: sg.stft(X[0, 0], 8, return_complex=True)),
    "integers": (RuntimeError, "floating point or complex", lambda: sg.stft(X.long(), 8, return_complex=True)),
    "padding": (NotImplementedError, "padding mode", lambda: sg.stft(X, 8, pad_mode="often", return_complex=True)),
    "real": (RuntimeError, "complex-valued input", lambda: sg.istft(S.real, 8)),
    "frequencies": (RuntimeError, "frequency dimension", lambda: sg.istft(S, 10, onesided=True)),
    "empty": (RuntimeError, "cannot be empty", lambda: sg.istft(S[:, :0], 8)),
    "gaps": (RuntimeError, "hop_length <= win_length", lambda: sg.istft(S, 8, 9)),
    "cover": (RuntimeError, "window overlap add min", lambda: sg.istft(S, 8, window=sg.hann_window(8), center=False)),
    "complex half": (RuntimeError, "onesided", lambda: sg.istft(S, 8, return_complex=True)),
    "complex window": (RuntimeError, "Complex windows", lambda: sg.istft(S, 8, window=sg.ones(8) + 0j)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    """Bad arguments are errors of PyTorch's class that say what is wrong."""
    error, message, call = REFUSED[case]
    with pytest.raises(error, match=message):
        call()
