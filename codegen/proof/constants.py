"""The constants of mathematics behind decimal numbers: 0.6931471805599453 is log(2), to the last digit."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import cache

from .algebra import Sum, function, number, power, variable

DIGITS = 13  # a number of fewer is meant as it stands
_ULPS = 2.5
_HALF = Fraction(1, 2)
_RATIONALS = [Fraction(a, b) for a in range(1, 5) for b in range(1, 5) if math.gcd(a, b) == 1]


@cache
def table() -> list[tuple[float, Sum]]:
    """Products of small rationals, roots of 2, powers of pi, and logarithms of 2 and 10."""
    pi, two = variable("PI"), number(2)
    roots = [(2.0 ** float(k), power(two, k)) for k in (Fraction(0), _HALF)]
    powers = [k * _HALF for k in range(-2, 3)]
    circles = [(math.pi ** float(k), power(pi, k) if k else number(1)) for k in powers]
    logarithms = [(1.0, number(1))]
    for base in (2, 10):
        exact = function("log", number(base))
        logarithms += [(math.log(base), exact), (1 / math.log(base), power(exact, Fraction(-1)))]
    found = []
    for rational, *parts in itertools.product(_RATIONALS, roots, circles, logarithms):
        value, exact = float(rational), number(rational)
        for factor, other in parts:
            value, exact = value * factor, exact * other
        found.append((value, exact))
    return found


@cache
def recognised(value: float) -> Sum:
    """The exact value that a decimal number stands for."""
    exact = Fraction(repr(value))
    if len(str(abs(exact.numerator)).strip("0")) < DIGITS:
        return number(exact)
    for candidate, meant in table():
        if abs(abs(value) - candidate) <= _ULPS * math.ulp(candidate):
            return meant if value > 0 else -meant
    return number(exact)
