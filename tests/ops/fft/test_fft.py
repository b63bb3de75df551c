"""Fourier transforms: what they refuse, their frequencies, and large ones."""

from typing import Any

import numpy as np
import pytest

import specgrad as sg

X = sg.ones(3, 4)

REFUSED: dict[str, tuple[type[Exception], str, Any]] = {
    "no numbers": (RuntimeError, "Invalid number of data points .0.", lambda: sg.fft.fft(X, n=0)),
    "no size": (RuntimeError, "Invalid number of data points .-1.", lambda: sg.fft.fft(X, n=-1)),
    "half of one": (RuntimeError, "Invalid number of data points .0.", lambda: sg.fft.irfft(X[:, :1])),
    "norm": (RuntimeError, 'Invalid normalization mode: "often"', lambda: sg.fft.ifft(X, norm="often")),
    "a number": (IndexError, "tensor has no dimensions", lambda: sg.fft.rfft(X[0, 0])),
    "dim": (IndexError, "Dimension out of range", lambda: sg.fft.fft(X, dim=2)),
    "complex": (RuntimeError, "real input", lambda: sg.fft.rfft(X * 1j)),
    "complex planes": (RuntimeError, "real input", lambda: sg.fft.ihfft2(X * 1j)),
    "twice": (RuntimeError, "unique", lambda: sg.fft.fftn(X, dim=(0, -2))),
    "lengths": (RuntimeError, "same length", lambda: sg.fft.fft2(X, s=(2,))),
    "too many sizes": (RuntimeError, "only has 2 dimensions", lambda: sg.fft.fftn(X, s=(2, 2, 2))),
    "no axis": (RuntimeError, "at least one axis", lambda: sg.fft.rfftn(X, dim=())),
    "no shift": (RuntimeError, "at least one axis", lambda: sg.fft.fftshift(X[0, 0])),
    "frequencies": (RuntimeError, "n >= 0", lambda: sg.fft.fftfreq(-1)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    """Bad arguments are errors of PyTorch's class that say what is wrong."""
    error, message, call = REFUSED[case]
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize("n", [0, 1, 4, 5])
def test_frequencies(n: int) -> None:
    """They are NumPy's, in the default dtype unless another one is asked for."""
    for name in ("fftfreq", "rfftfreq") if n else ("fftfreq",):
        found = getattr(sg.fft, name)(n, 0.5)
        assert found.dtype is sg.float32
        if n:
            exact = getattr(sg.fft, name)(n, d=0.5, dtype=sg.float64)
            np.testing.assert_allclose(exact.numpy(), getattr(np.fft, name)(n, 0.5))


def test_sizes_that_stay() -> None:
    """-1 among the sizes stands for that of the dimension; no dimension at all changes only the dtype."""
    x = sg.rand(3, 4)
    assert sg.fft.fft2(x, s=(-1, 6)).shape == (3, 6)
    assert sg.fft.fftn(x, dim=()).tolist() == (x + 0j).tolist()


def test_many_numbers() -> None:
    """Large transforms, which several threads share, are those of the parts; they are contiguous."""
    x = sg.rand(40, 2048)
    found = sg.fft.rfft(x)
    assert found.dtype is sg.complex64 and found.is_contiguous()
    np.testing.assert_allclose(found.numpy(), np.fft.rfft(x.numpy()), rtol=1e-4, atol=1e-3)
    assert sg.fft.fft(x.t(), dim=0).is_contiguous()
