"""Orthogonal polynomials against SciPy's, and against what defines them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import special

import specgrad as sg
from tests.examples import array


def third(n: int, x: Any) -> Any:
    """V_n by its angle."""
    angle = np.arccos(x)
    return np.cos((n + 0.5) * angle) / np.cos(angle / 2)


def fourth(n: int, x: Any) -> Any:
    """W_n by its angle."""
    angle = np.arccos(x)
    return np.sin((n + 0.5) * angle) / np.sin(angle / 2)


REFERENCES: dict[str, Callable[[int, Any], Any]] = {
    "chebyshev_polynomial_t": special.eval_chebyt,
    "chebyshev_polynomial_u": special.eval_chebyu,
    "chebyshev_polynomial_v": third,
    "chebyshev_polynomial_w": fourth,
    "shifted_chebyshev_polynomial_t": special.eval_sh_chebyt,
    "shifted_chebyshev_polynomial_u": special.eval_sh_chebyu,
    "shifted_chebyshev_polynomial_v": lambda n, x: third(n, 2 * x - 1),
    "shifted_chebyshev_polynomial_w": lambda n, x: fourth(n, 2 * x - 1),
    "hermite_polynomial_h": special.eval_hermite,
    "hermite_polynomial_he": special.eval_hermitenorm,
    "laguerre_polynomial_l": special.eval_laguerre,
    "legendre_polynomial_p": special.eval_legendre,
}
X = np.linspace(0.05, 0.95, 5)


@pytest.mark.parametrize("name", REFERENCES)
def test_values(lib: Any, name: str) -> None:
    """For one degree, and for degrees in a tensor, which broadcasts and whose fractions are cut off."""
    function, x = getattr(lib.special, name), lib.tensor(X)
    degrees = [-1, 0, 1, 2, 5, 8]
    right = [REFERENCES[name](n, X) if n >= 0 else 0 * X for n in degrees]
    for n, expected in zip(degrees, right, strict=True):
        np.testing.assert_allclose(array(function(x, n)), expected, rtol=1e-9, atol=1e-9)
    found = function(x, lib.tensor(degrees, dtype=lib.float64)[:, None] + 0.0)
    np.testing.assert_allclose(array(found), right, rtol=1e-9, atol=1e-9)
    assert function(lib.tensor([1, 2]), 3).dtype is lib.float32 and function(0.5, lib.tensor([1, 2])).shape == (2,)
    out = lib.zeros(5, dtype=lib.float64)
    assert function(x, 3, out=out) is out and lib.equal(out, function(x, 3))


@pytest.mark.parametrize("name", REFERENCES)
def test_slopes(name: str) -> None:
    """The slopes are polynomials of lower degrees, as are theirs."""
    x, degrees = sg.tensor(X).requires_grad_(), sg.tensor([0.0, 1.0, 2.5, 4.0, -1.0]).double()
    for n in (4, degrees):
        assert sg.autograd.gradcheck(lambda t, n=n: getattr(sg.special, name)(t, n), (x,))
        assert sg.autograd.gradgradcheck(lambda t, n=n: getattr(sg.special, name)(t, n), (x,))


@pytest.mark.parametrize("name", REFERENCES)
def test_layouts_and_dtypes(name: str) -> None:
    """Operands that broadcast, lie apart or have no elements; float32 is computed in float64."""
    function = getattr(sg.special, name)
    x, n = np.linspace(0.05, 0.95, 12).reshape(3, 4), np.array([0, 1, 3, 6])
    for dtype, tolerance in ((sg.float64, 1e-9), (sg.float32, 1e-6), (sg.bfloat16, 1e-2)):
        given, degrees = sg.tensor(x).to(dtype), sg.tensor(n)
        expected = np.stack([REFERENCES[name](k, given.double().numpy()[:, i]) for i, k in enumerate(n)], 1)
        for left in (given, given.T.contiguous().T, given.repeat_interleave(2, 1)[:, ::2]):
            for right in (degrees, degrees.to(dtype), degrees.to(dtype).expand(3, 4)):
                for _ in range(2):
                    found = function(left, right).double().numpy()
                    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)
        assert function(given[:0], 3).shape == (0, 4)
        assert function(given[0, 0], degrees[2]).shape == () and function(given, degrees).dtype is dtype


def test_no_degrees() -> None:
    """There is no polynomial of a degree that is nan, nor one beyond a million; of degree 0 it is 1 everywhere."""
    for name in REFERENCES:
        found = getattr(sg.special, name)(
            sg.tensor([0.5, np.nan]), sg.tensor([[np.nan], [np.inf], [2e6], [0.0], [-3.0]])
        )
        expected = [[np.nan] * 2, [np.nan] * 2, [np.nan] * 2, [1, 1], [0, 0]]
        np.testing.assert_array_equal(found.numpy(), expected)


def test_two_numbers() -> None:
    """There is no tensor to be like."""
    with pytest.raises(TypeError, match=r"legendre_polynomial_p\(\): expected a tensor"):
        sg.special.legendre_polynomial_p(0.5, 2)
