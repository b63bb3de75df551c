"""References of activations, and of ops on signs, parts, bits and divisors."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special


def gated(self: Any, dim: int = -1) -> Any:
    """One half times the logistic function of the other."""
    first, second = np.split(self, 2, dim)
    return first * special.expit(second)


def shrunk(self: Any, lambd: float = 0.5) -> Any:
    """Moved towards zero."""
    return np.sign(self) * np.maximum(abs(self) - lambd, 0)


def leaky(self: Any, weight: Any) -> Any:
    """One slope below zero for each channel, or for all."""
    multi_count = weight.size > 1 and self.ndim > 1
    derivatives = weight.reshape(-1, *[1] * (self.ndim - 2)) if multi_count else weight
    return np.where(self > 0, self, self * derivatives)


def finite(self: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    """NumPy's function of the same name, whose nan is 0.0 by default."""
    return np.nan_to_num(self, nan=0.0 if nan is None else nan, posinf=posinf, neginf=neginf)


def shifted(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """A shift by a number of bits that may be out of range."""

    def shift(self: Any, other: Any) -> Any:
        result = function(self, np.clip(other, 0, 63))
        beyond = np.where(self < 0, -1, 0) if function is np.right_shift else 0
        return np.where((other < 0) | (other > 63), beyond, result)

    return shift


def doubled(x: Any) -> Any:
    """In double precision."""
    return np.asarray(x, np.complex128 if np.iscomplexobj(x) else np.float64)


ACTIVATIONS: dict[str, Callable[..., Any]] = {
    "celu": lambda self, alpha=1.0: np.where(self > 0, self, alpha * np.expm1(np.minimum(self, 0) / alpha)),
    "selu": lambda self: 1.0507009873554805 * np.where(self > 0, self, 1.6732632423543772 * np.expm1(self)),
    "mish": lambda self: self * np.tanh(np.logaddexp(0, self)),
    "hardsigmoid": lambda self: np.clip(self + 3, 0, 6) / 6,
    "hardswish": lambda self: self * np.clip(self + 3, 0, 6) / 6,
    "hardshrink": lambda self, lambd=0.5: np.where(abs(self) > lambd, self, 0),
    "softshrink": shrunk,
    "tanhshrink": lambda self: self - np.tanh(self),
    "softsign": lambda self: self / (1 + abs(self)),
    "threshold": lambda self, bound, value: np.where(self > bound, self, value),
    "glu": gated,
    "prelu": leaky,
    "channel_leak": lambda self, weight: np.where(self > 0, self, self * weight),
}
PARTS: dict[str, Callable[..., Any]] = {
    "signbit": lambda self: np.signbit(np.asarray(self, float)),
    "copysign": lambda self, other: np.copysign(self, other),
    "nextafter": lambda self, other: np.nextafter(self, other),
    "frexp": lambda self: np.frexp(self),
    "ldexp": lambda self, other: self * 2.0**other,
    "isposinf": lambda self: np.equal(self, np.inf),
    "isneginf": lambda self: np.equal(self, -np.inf),
    "isreal": lambda self: np.isreal(self),
    "nan_to_num": finite,
    "replace_odd": finite,
    "heaviside": lambda self, values: np.where(self == 0, values, self > 0),
    "deg2rad": lambda self: np.deg2rad(self),
    "rad2deg": lambda self: np.rad2deg(self),
    "positive": lambda self: self,
    "float_power": lambda self, exponent: np.power(doubled(self), doubled(exponent)),
    "complex": lambda real, imag: real + 1j * imag,
    "polar": lambda abs, angle: abs * np.exp(1j * angle),
    "angle": lambda self: np.angle(np.asarray(self, np.result_type(self, float))),
    "view_as_real": lambda self: np.stack([self.real, self.imag], -1),
    "view_as_complex": lambda self: self[..., 0] + 1j * self[..., 1],
    "bitwise_left_shift": shifted(np.left_shift),
    "bitwise_right_shift": shifted(np.right_shift),
    "gcd": lambda self, other: np.gcd(self, other),
    "lcm": lambda self, other: np.lcm(self, other),
}
