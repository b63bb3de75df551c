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
    """Gradients go through the recursion."""
    x = sg.tensor(X).requires_grad_()
    assert sg.autograd.gradcheck(lambda t: getattr(sg.special, name)(t, 4), (x,))


def test_two_numbers() -> None:
    """There is no tensor to be like."""
    with pytest.raises(TypeError, match=r"legendre_polynomial_p\(\): expected a tensor"):
        sg.special.legendre_polynomial_p(0.5, 2)
