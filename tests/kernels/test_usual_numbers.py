"""Powers by an exponent that has a loop of its own are what the exponent says, in every dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.kernels.cpu import exp, pow_tensor_scalar, remainder
from specgrad.runtime.kernels.usual_numbers import with_usual_numbers

VALUES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 1e3, -1e-3, float("inf"), float("-inf"), float("nan")]
ROUNDING = {sg.float64: 1e-15, sg.float32: 2e-7, sg.float16: 1e-3, sg.bfloat16: 8e-3}


def test_only_powers_are_written_anew() -> None:
    assert with_usual_numbers(pow_tensor_scalar.forward) is not pow_tensor_scalar.forward
    for kernel in (pow_tensor_scalar.backward_1, exp.forward, remainder.forward_number):
        assert with_usual_numbers(kernel) is kernel


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize("exponent", [2, 3, 0.5, 1, -1, -2, 2.5, 0])
def test_floats(dtype: Any, exponent: float) -> None:
    """NumPy's power of the same numbers, in float64; a root of -inf is nan, and that of -0 is one."""
    x = sg.tensor(VALUES * 7, dtype=dtype)
    given = x.double().numpy()
    with np.errstate(all="ignore"):
        wanted = np.sqrt(given) if exponent == 0.5 else given**exponent
        wanted = sg.from_numpy(wanted).to(dtype).double().numpy()  # what is too large for a dtype is inf in it
    np.testing.assert_allclose((x**exponent).double().numpy(), wanted, rtol=ROUNDING[dtype])
    strided = sg.stack([x, x], 1)[:, 0]
    np.testing.assert_allclose((strided**exponent).double().numpy(), wanted, rtol=ROUNDING[dtype])


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 5])
def test_integers(exponent: int) -> None:
    x = sg.arange(-20, 20)
    assert (x**exponent).tolist() == [n**exponent for n in range(-20, 20)]
