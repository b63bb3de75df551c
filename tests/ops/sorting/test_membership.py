"""Membership among a few elements, which native code finds by comparing, and among many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg

rng = np.random.default_rng(0)


@pytest.mark.parametrize("dtype", [sg.float32, sg.float64, sg.bfloat16, sg.int64, sg.int32, sg.uint8])
@pytest.mark.parametrize("invert", [False, True])
def test_values(invert: bool, dtype: Any) -> None:
    for shape in ((), (1,), (3, 5), (0,), (2600,)):
        for small_count in (0, 1, 3, 32, 33, 100):
            x = sg.tensor(rng.integers(0, 50, shape)).to(dtype)
            requested = sg.tensor(rng.integers(0, 50, small_count)).to(dtype)
            expected = np.isin(x.double().numpy(), requested.double().numpy(), invert=invert)
            for given in (x, x.mT.contiguous().mT if x.ndim > 1 else x):
                for _ in range(2):
                    found = sg.isin(given, requested, invert=invert)
                    assert found.dtype is sg.bool
                    np.testing.assert_array_equal(found.numpy(), expected)


def test_nan_equals_nothing_and_zeros_are_equal() -> None:
    x, requested = sg.tensor([np.nan, 0.0, -0.0, np.inf]), sg.tensor([np.nan, -0.0, np.inf])
    for _ in range(2):
        assert sg.isin(x, requested).tolist() == [False, True, True, True]
        assert sg.isin(x, requested, invert=True).tolist() == [True, False, False, False]
