"""specgrad.signal.windows: SciPy's windows, symmetric and periodic."""

import numpy as np
import pytest
from scipy.signal import windows as expected

import specgrad as sg
from specgrad.signal import windows

CALLS: dict[str, dict[str, object]] = {
    "bartlett": {},
    "blackman": {},
    "cosine": {},
    "hamming": {},
    "hann": {},
    "nuttall": {},
    "gaussian": {"std": 1.7},
    "general_cosine": {"a": [0.5, 0.3, 0.2, 0.1]},
    "general_hamming": {"alpha": 0.7},
    "kaiser": {"beta": 5.0},
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("sym", [True, False])
def test_as_scipy(name: str, sym: bool) -> None:
    """All weights in float64, of windows of 0, 1 and more; in float32 they are rounded once."""
    for length in (0, 1, 2, 5, 12):
        found = getattr(windows, name)(length, sym=sym, dtype=sg.float64, **CALLS[name])
        weights = getattr(expected, name)(length, sym=sym, **CALLS[name])
        np.testing.assert_allclose(found.numpy(), weights, rtol=1e-13, atol=1e-15)
        rounded = getattr(windows, name)(length, sym=sym, **CALLS[name])
        np.testing.assert_array_equal(rounded.numpy(), found.numpy().astype(np.float32))


@pytest.mark.parametrize("sym", [True, False])
def test_exponential(sym: bool) -> None:
    """The centre lies in the middle, or where a periodic window has it."""
    found = windows.exponential(7, tau=2.5, sym=sym, dtype=sg.float64)
    np.testing.assert_allclose(found.numpy(), expected.exponential(7, None, 2.5, sym), rtol=1e-14)
    moved = windows.exponential(7, center=2.0, sym=False, dtype=sg.float64)
    np.testing.assert_allclose(moved.numpy(), expected.exponential(7, 2.0, 1.0, False), rtol=1e-14)


def test_options() -> None:
    """The default dtype, `requires_grad`, and the only layout."""
    assert windows.hann(4).dtype is sg.float32
    assert windows.hann(4, requires_grad=True, layout=sg.strided).requires_grad


def test_refused() -> None:
    """Lengths, dtypes and parameters that PyTorch refuses are ValueErrors, as there."""
    for call in (
        lambda: windows.hann(-1),
        lambda: windows.hann(4, dtype=sg.float16),
        lambda: windows.hann(4, dtype=sg.int64),
        lambda: windows.gaussian(4, std=0.0),
        lambda: windows.exponential(4, tau=-1.0),
        lambda: windows.exponential(4, center=1.0),
        lambda: windows.kaiser(4, beta=-1.0),
        lambda: windows.general_cosine(4, a=[]),
    ):
        with pytest.raises(ValueError):
            call()
    with pytest.raises(TypeError):
        windows.general_cosine(4, a=0.5)
    with pytest.raises(TypeError):
        windows.hann(4.5)
