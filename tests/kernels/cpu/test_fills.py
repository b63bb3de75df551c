"""Large arrays of one value, which several threads write: the bits that NumPy writes."""

from __future__ import annotations

import numpy as np
import pytest

import specgrad as sg
from specgrad.runtime.kernels.cpu import allocate_and_fill
from specgrad.runtime.kernels.cpu.allocate_and_fill import filled, zeros

VALUES = ((np.float32, -0.0), (np.float64, np.nan), (np.int32, -(2**31)), (np.int64, 2**63 - 1), (np.complex64, 1 - 2j))


@pytest.mark.parametrize("loaded", [False, True])
@pytest.mark.parametrize("count", [0, 5, 300_001])
def test_same_bits_as_numpy(monkeypatch: pytest.MonkeyPatch, count: int, loaded: bool) -> None:
    """Of any dtype, by two threads or by one."""
    monkeypatch.setattr(allocate_and_fill, "is_loaded", lambda: loaded)
    before = sg.get_num_threads()
    sg.set_num_threads(2)
    try:
        for dtype, value in (*VALUES, (np.int8, -3), (np.complex128, 2j)):
            kind = np.dtype(dtype)
            assert filled(np.empty(count, kind), value).tobytes() == np.full(count, value, kind).tobytes()
            assert zeros(count, kind).tobytes() == np.zeros(count, kind).tobytes()
    finally:
        sg.set_num_threads(before)
