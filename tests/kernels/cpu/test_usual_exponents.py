"""Powers by an exponent that has a loop of its own are what the exponent says, in every dtype."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import specgrad as sg
from specgrad.generated.kernels.cpu import arithmetic, exponential
from specgrad.runtime.kernels.cpu.elementwise_fast_range import with_fast_numbers

VALUES = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 3.0, 1e3, -1e-3, float("inf"), float("-inf"), float("nan")]
ROUNDING = {sg.float64: 1e-15, sg.float32: 2e-7, sg.float16: 1e-3, sg.bfloat16: 8e-3}


def test_only_powers_are_written_anew() -> None:
    for kernel in (arithmetic.pow_tensor_scalar_forward, arithmetic.pow_tensor_scalar_backward_1):
        assert with_fast_numbers(kernel) is not kernel
    for kernel in (exponential.exp_forward, exponential.exp_backward_1, arithmetic.remainder_forward_number):
        assert with_fast_numbers(kernel) is kernel


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize("exponent", [2, 3, 0.5, 1, -1, -2, 2.5, 0])
def test_floats(dtype: Any, exponent: float) -> None:
    """NumPy's power of the same numbers, in float64; a root of -inf is nan, and that of -0 is one."""
    x = sg.tensor(VALUES * 7, dtype=dtype)
    given = x.double().numpy()
    with np.errstate(all="ignore"):
        requested = np.sqrt(given) if exponent == 0.5 else given**exponent
        requested = sg.from_numpy(requested).to(dtype).double().numpy()  # what is too large for a dtype is inf in it
    np.testing.assert_allclose((x**exponent).double().numpy(), requested, rtol=ROUNDING[dtype])
    strided = sg.stack([x, x], 1)[:, 0]
    np.testing.assert_allclose((strided**exponent).double().numpy(), requested, rtol=ROUNDING[dtype])


@pytest.mark.parametrize("dtype", ROUNDING, ids=str)
@pytest.mark.parametrize("exponent", [2, 3, 0.5, 1, -1, 2.5, 0])
def test_derivatives(dtype: Any, exponent: float) -> None:
    """Central differences of NumPy's power in float64 at numbers that every dtype has."""
    x = sg.tensor([0.5, 0.75, 1.0, 1.5, 2.0, 3.0] * 7, dtype=dtype, requires_grad=True)
    above = sg.tensor([1.0, -2.0, 0.5] * 14, dtype=dtype)
    (x**exponent).backward(above)
    given, step = x.detach().double().numpy(), 1e-6
    requested = above.double().numpy() * ((given + step) ** exponent - (given - step) ** exponent) / (2 * step)
    np.testing.assert_allclose(x.grad.double().numpy(), requested, rtol=max(2 * ROUNDING[dtype], 1e-8), atol=1e-8)


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 5])
def test_integers(exponent: int) -> None:
    x = sg.arange(-20, 20)
    assert (x**exponent).tolist() == [n**exponent for n in range(-20, 20)]
