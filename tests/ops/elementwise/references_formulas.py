"""References of ops that only formulas use: closed forms in NumPy, and derivatives of special functions by mpmath."""

from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import mp, mpf
from scipy import special

from .references_special import of_floats

DIGITS = 100  # the differences of a third derivative at 1e20 lose 60


def derivative_of(function: Callable[[Any], Any], of_size: bool = False) -> Callable[..., Any]:
    """The derivative of order n; `of_size`: at |x|."""

    def reference(n: int, self: Any) -> Any:
        with mp.workdps(DIGITS):
            points = [mp.mpmathify(x.item()) for x in self.ravel()]
            values = [mp.diff(function, abs(x) if of_size else x, n) for x in points]
        return np.array([complex(v) for v in values]).reshape(self.shape)

    return lambda **arguments: _like(reference(**arguments), arguments["self"])


def _like(values: Any, given: Any) -> Any:
    return values if given.dtype.kind == "c" else values.real


def sinc(x: Any) -> Any:
    return mp.sinc(mp.pi * x)


def erfc_ratio(n: int, self: Any) -> Any:
    """Repeated integrals of erfc are parabolic cylinder functions."""

    def one(x: float) -> float:
        with mp.workdps(DIGITS):
            z = mp.sqrt(2) * mpf(x)
            return float(mp.pcfd(-n - 1, z) / (mp.sqrt(2) * mp.pcfd(-n, z)))

    return np.vectorize(one)(self)


def k0e_derivative(n: int, self: Any) -> Any:
    """By the integral over t of (1 - cosh t)^n e^(-x (cosh t - 1))."""

    def one(x: float) -> float:
        end = mp.acosh(1 + 50 / x)
        return float(mp.quad(lambda t: (1 - mp.cosh(t)) ** n * mp.exp(-x * (mp.cosh(t) - 1)), [0, end]))

    return np.vectorize(one)(self)


FORMULAS: dict[str, Callable[..., Any]] = {
    "pow_number": lambda self, exponent: np.power(self, exponent),
    "times_power_of_two": lambda self, other: self * np.power(2.0, other),
    "exp2_by_result": lambda self: np.exp2(self),
    "expm1_by_result": lambda self: np.expm1(self),
    "tanh_by_result": lambda self: np.tanh(self),
    "sigmoid_by_result": lambda self: 1 / (1 + np.exp(-self)),
    "logistic_pdf": lambda self: 1 / (2 + 2 * np.cosh(self)),
    "one_minus_square": lambda self: (1 - self) * (1 + self),
    "inverse_one_plus_square": lambda self: 1 / (1 + self * self),
    "hypot_with_one": lambda self: np.sqrt(1 + self * self),
    "direction": lambda self, other: self / np.hypot(self, other),
    "_neg_view": lambda self: np.negative(self),
    "weighted_by": lambda self, weight: np.where(weight == 0, 0, self * weight),
    "noise_scale": lambda self, noise: np.where(noise == 0, 0, self * noise),
    "gaussian": lambda self: np.exp(-self * self),
    "normal_pdf": lambda self: np.exp(-self * self / 2) / np.sqrt(2 * np.pi),
    "normal_cdf": lambda self: special.erfc(-self / np.sqrt(2)) / 2,
    "limited_log_odds": lambda self, eps: np.log(np.clip(self, eps, 1 - eps)) - np.log1p(-np.clip(self, eps, 1 - eps)),
    "log_minus_digamma": of_floats(lambda x, y: np.log(y) - special.digamma(x)),
    "zeta_derivative": lambda n, self, other: (
        (-1.0) ** n * special.poch(self, n) * special.zeta(np.add(self, n), other)
    ),
    "erfinv_derivative": lambda self: np.sqrt(np.pi) / 2 * np.exp(special.erfinv(self) ** 2),
    "ndtri_derivative": lambda self: np.sqrt(2 * np.pi) * np.exp(special.ndtri(self) ** 2 / 2),
    "erfc_ratio": erfc_ratio,
    "sinc_derivative": derivative_of(sinc),
    "erfcx_derivative": derivative_of(lambda x: mp.exp(x * x) * mp.erfc(x)),
    "i0e_derivative": derivative_of(lambda x: mp.exp(-x) * mp.besseli(0, x), of_size=True),
    "i1_derivative": derivative_of(lambda x: mp.besseli(1, x)),
    "i1e_derivative": derivative_of(lambda x: mp.exp(-x) * mp.besseli(1, x), of_size=True),
    "k0e_derivative": k0e_derivative,
    "spherical_bessel_j0_derivative": derivative_of(mp.sinc),
    "bessel_j1_derivative": derivative_of(lambda x: mp.besselj(1, x)),
}
