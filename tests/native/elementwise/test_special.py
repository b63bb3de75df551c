"""Element-wise ops whose gradients are computed by other ops, and those that take a number as their second operand:
small calls run natively and are recorded."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.special

import specgrad as sg
from specgrad.generated import kernels
from specgrad.runtime.native.registration import supported

pytestmark = pytest.mark.skipif(not supported(), reason="there is no native code here")

X = np.linspace(0.3, 3.0, 12)
CASES = {
    "lgamma": (kernels.LGAMMA, sg.lgamma, scipy.special.gammaln, scipy.special.digamma),
    "digamma": (kernels.DIGAMMA, sg.digamma, scipy.special.digamma, lambda x: scipy.special.polygamma(1, x)),
    "log_ndtr": (
        kernels.LOG_NDTR,
        sg.special.log_ndtr,
        scipy.special.log_ndtr,
        lambda x: np.exp(-0.5 * x * x - scipy.special.log_ndtr(x)) / np.sqrt(2 * np.pi),
    ),
    "i0": (kernels.I0, sg.i0, scipy.special.i0, scipy.special.i1),
    "bessel_j0": (kernels.BESSEL_J0, sg.special.bessel_j0, scipy.special.j0, lambda x: -scipy.special.j1(x)),
}


@pytest.mark.parametrize("name", CASES)
def test_gradients_by_ops(name: str) -> None:
    """Result and gradient are SciPy's, of any layout."""
    op, function, requested, derivative = CASES[name]
    for array in (X, X.reshape(3, 4).T):
        x = sg.tensor(array, requires_grad=True)
        function(x)  # what compiles the kernel
        assert op.launch(x.detach()) is not None
        result = function(x)
        result.sum().backward()
        assert result.grad_fn is not None
        np.testing.assert_allclose(result.detach().numpy(), requested(array), rtol=1e-12)
        np.testing.assert_allclose(x.grad.numpy(), derivative(array), rtol=1e-12)


NUMBERS = {
    "fmod": (kernels.FMOD, sg.fmod, np.fmod, lambda x, y: np.ones_like(x)),
    "atan2": (kernels.ATAN2, sg.atan2, np.arctan2, lambda x, y: y / (x * x + y * y)),
    "hypot": (kernels.HYPOT, sg.hypot, np.hypot, lambda x, y: x / np.hypot(x, y)),
    "xlogy": (kernels.XLOGY_TENSOR, sg.xlogy, scipy.special.xlogy, lambda x, y: np.full_like(x, np.log(y))),
}


@pytest.mark.parametrize("number", [2, 0.7])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_in_the_place_of_tensors(name: str, number: float) -> None:
    """Results and gradients are NumPy's; numbers keep the dtype of floats."""
    op, function, requested, derivative = NUMBERS[name]
    for array in (X, X.reshape(3, 4).T):
        x = sg.tensor(array, requires_grad=True)
        function(x, number)
        assert op.launch(x.detach(), number) is not None
        result = function(x, number)
        result.sum().backward()
        np.testing.assert_allclose(result.detach().numpy(), requested(array, number), rtol=1e-12)
        np.testing.assert_allclose(x.grad.numpy(), derivative(array, number), rtol=1e-12)
        assert function(x.detach().float(), number).dtype is sg.float32


@pytest.mark.parametrize("function", [sg.fmod, sg.atan2, sg.copysign])
def test_a_number_is_no_first_operand(function: Any) -> None:
    """Only operators take one there."""
    x = sg.tensor(X)
    function(x, 2.0)
    for _ in range(2):
        with pytest.raises(TypeError):
            function(2.0, x)


@pytest.mark.parametrize("dtype", [sg.float16, sg.bfloat16])
def test_wider_tensors_beside_16_bits(dtype: Any) -> None:
    """A tensor without dimensions is read as float32, also where native code knows the layout from other dtypes."""
    x, y = sg.tensor(X, dtype=sg.float32), sg.tensor(0.84)
    for _ in range(3):
        sg.hypot(x, y)
    half = x.to(dtype)
    requested = sg.hypot(half.float(), y).to(dtype)
    for _ in range(3):
        assert sg.equal(sg.hypot(half, y), requested)
