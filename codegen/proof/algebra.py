"""Exact arithmetic with expressions: generalised polynomials, and whether one is zero.

A value is a sum of terms, each a rational number times a product of atoms to rational powers. An atom is a variable, a
function of values (`sin(x)`), exp of one product, or the base of a power that is no whole one: 1 + x*x in
sqrt(1 + x*x). So every value has one form as long as no base and no sine takes part; `is_zero` multiplies bases out
and writes sin^2 as 1 - cos^2. What it calls zero is zero wherever both sides are defined; the converse need not hold.
`recognised` finds the constant that a decimal number stands for: 0.6931471805599453 is log(2), to the last digit.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

MAX_TERMS = 3_000  # of a sum: beyond it nothing is proved


class TooLarge(Exception):
    """A sum of more terms than anybody wants to multiply out."""


@dataclass(frozen=True)
class Atom:
    """An indivisible factor: `kind` is variable, function, exp or base, `name` a variable's or a function's."""

    kind: str
    name: str
    operands: tuple[Sum, ...] = ()

    @cached_property
    def key(self) -> str:
        inside = ", ".join(operand.key for operand in self.operands)
        return f"{self.name}({inside})" if self.operands else self.name

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Atom) and self.key == other.key

    def __lt__(self, other: Atom) -> bool:
        return self.key < other.key


Product = tuple[tuple[Atom, Fraction], ...]  # atoms in order, each with its power, which is not 0
ONE: Product = ()


class Sum:
    """A generalised polynomial; never changed once it is made."""

    def __init__(self, terms: Mapping[Product, Fraction]) -> None:
        self.terms = {product: factor for product, factor in terms.items() if factor}
        if len(self.terms) > MAX_TERMS:
            raise TooLarge

    @cached_property
    def key(self) -> str:
        return " + ".join(sorted(f"{factor}*{_expression(product)}" for product, factor in self.terms.items())) or "0"

    def __add__(self, other: Sum) -> Sum:
        terms = dict(self.terms)
        for product, factor in other.terms.items():
            terms[product] = terms.get(product, Fraction(0)) + factor
        return Sum(terms)

    def __neg__(self) -> Sum:
        return Sum({product: -factor for product, factor in self.terms.items()})

    def __sub__(self, other: Sum) -> Sum:
        return self + -other

    def __mul__(self, other: Sum) -> Sum:
        if len(self.terms) * len(other.terms) > MAX_TERMS * 10:
            raise TooLarge
        terms: dict[Product, Fraction] = {}
        for left, a in self.terms.items():
            for right, b in other.terms.items():
                product, integral = multiplied(left, right)
                terms[product] = terms.get(product, Fraction(0)) + a * b * integral
        return Sum(terms)

    @property
    def constant(self) -> Fraction | None:
        return self.terms.get(ONE, Fraction(0)) if not self.terms or list(self.terms) == [ONE] else None

    def single(self) -> tuple[Product, Fraction] | None:
        return next(iter(self.terms.items())) if len(self.terms) == 1 else None

    def atoms(self) -> set[Atom]:
        return {atom for product in self.terms for atom, _ in product}


def number(value: Fraction | int) -> Sum:
    return Sum({ONE: Fraction(value)})


def variable(name: str) -> Sum:
    return of(Atom("variable", name))


def of(atom: Atom, power: Fraction | int = 1) -> Sum:
    return Sum({((atom, Fraction(power)),): Fraction(1)}) if power else number(1)


def function(name: str, *operands: Sum) -> Sum:
    return of(Atom("function", name, operands))


def multiplied(left: Product, right: Product) -> tuple[Product, Fraction]:
    """Two products in one, and the number that the roots in them have become: sqrt(2) * sqrt(2) is 2."""
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, Fraction(0)) + power
    return settled(powers)


def settled(powers: dict[Atom, Fraction]) -> tuple[Product, Fraction]:
    factor = Fraction(1)
    for atom, power in powers.items():
        base = atom.operands[0].constant if atom.kind == "base" else None
        if base is not None and not 0 <= power < 1:
            powers[atom], factor = power - math.floor(power), factor * base ** math.floor(power)
    return tuple(sorted((atom, power) for atom, power in powers.items() if power)), factor


def power(value: Sum, exponent: Fraction) -> Sum:
    """A value to a rational power; a root is taken of what is positive, as the square root in real numbers is."""
    integral = exponent.denominator == 1
    if integral and 0 <= exponent <= 4 and len(value.terms) <= 4:
        return _integer_power(value, int(exponent))
    single = value.single()
    if single is not None and (integral or _is_positive(*single)):
        product, factor = single
        raised, integer_part = settled({atom: p * exponent for atom, p in product})
        return Sum({raised: integer_part}) * _number_power(factor, exponent)
    if not value.terms:
        raise ZeroDivisionError
    # The positive rational that all factors are integer multiples of, without common divisor
    factors = list(value.terms.values())
    content = Fraction(math.gcd(*(f.numerator for f in factors)), math.lcm(*(f.denominator for f in factors)))
    primitive = Sum({product: factor / content for product, factor in value.terms.items()})
    return _number_power(content, exponent) * of(Atom("base", "base", (primitive,)), exponent)


def _is_positive(product: Product, factor: Fraction) -> bool:
    """Whether a root of a term is the term of the roots: x^(1/2), and whatever is made of exponentials."""
    plain = [(atom, p) for atom, p in product if atom.kind != "exp" and atom.name != "pi"]
    return factor > 0 and (not plain or (len(plain) == 1 and plain[0][1] == 1))


def _number_power(value: Fraction, exponent: Fraction) -> Sum:
    """A rational number to a rational power: what is left of prime factors to whole powers is a base."""
    if exponent.denominator == 1:
        return number(value ** int(exponent))
    result = number(1)
    for prime, times in _prime_factors(value):
        total = times * exponent
        rest = total - math.floor(total)
        base = Atom("base", "base", (number(prime),))
        result = result * number(Fraction(prime) ** math.floor(total)) * of(base, rest)
    return result


def _prime_factors(value: Fraction) -> Iterator[tuple[int, int]]:
    """(prime, power) of a positive rational; a large factor counts as one."""
    for part, sign in ((value.numerator, 1), (value.denominator, -1)):
        divisor = 2
        while divisor * divisor <= part and divisor < 1000:
            times = 0
            while part % divisor == 0:
                part, times = part // divisor, times + 1
            if times:
                yield divisor, sign * times
            divisor += 1
        if part > 1:
            yield part, sign


def _integer_power(value: Sum, exponent: int) -> Sum:
    return math.prod([value] * exponent, start=number(1))


def exponential(value: Sum) -> Sum:
    """exp of a sum: the product of what its terms give; exp(c log(v)) is v^c."""
    result = number(1)
    for product, factor in value.terms.items():
        logarithm = product[0][0] if len(product) == 1 and product[0][1] == 1 else None
        if logarithm is not None and logarithm.name == "log":
            result = result * power(logarithm.operands[0], factor)
        else:
            result = result * of(Atom("exp", "exp", (Sum({product: Fraction(1)}),)), factor)
    return result


# ---- is it zero? -----------------------------------------------------------------------------------------------------


def is_zero(value: Sum) -> bool:
    sums = [value]
    while sums:
        one = sums.pop()
        outermost = sorted(one.atoms(), key=lambda atom: (-len(atom.key), atom.key))  # before what it holds
        atom = next((a for a in outermost if _can_be_opened(one, a)), None)
        if atom is None:
            if one.terms:
                return False
            continue
        # The sums that must all be zero, without whole powers of a base, or without squares of a sine
        lowest = min(dict(product).get(atom, Fraction(0)) for product in one.terms)
        by_rest: dict[Fraction, Sum] = {}
        for product, factor in one.terms.items():
            powers = dict(product)
            above = powers.pop(atom, Fraction(0)) - lowest  # multiplied through: it is not zero where both are defined
            rest = above - math.floor(above)
            term = Sum({tuple(sorted(powers.items())): factor}) * _replaced(atom, math.floor(above))
            by_rest[rest] = by_rest.get(rest, number(0)) + term
        sums += by_rest.values()
    return True


def _can_be_opened(value: Sum, atom: Atom) -> bool:
    powers = [dict(product).get(atom, Fraction(0)) for product in value.terms]
    if atom.kind == "base":
        return any(p.denominator == 1 and p for p in powers) or len({p - math.floor(p) for p in powers}) > 1
    return atom.name == "sin" and (max(powers) >= 2 or min(powers) < 0)


def _replaced(atom: Atom, times: int) -> Sum:
    if atom.kind == "base":
        return _integer_power(atom.operands[0], times)
    cosine = function("cos", *atom.operands)
    return _integer_power(number(1) - cosine * cosine, times // 2) * of(atom, times % 2)


def _expression(product: Product) -> str:
    return "*".join(f"{atom.key}^{power}" for atom, power in product)


DIGITS = 13  # a number of fewer is meant as it stands
_ULPS = 2.5
_HALF = Fraction(1, 2)
_RATIONALS = [Fraction(a, b) for a in range(1, 5) for b in range(1, 5) if math.gcd(a, b) == 1]


@cache
def table() -> list[tuple[float, Sum]]:
    pi, two = variable("PI"), number(2)
    roots = [(2.0 ** float(k), power(two, k)) for k in (Fraction(0), _HALF)]
    powers = [k * _HALF for k in range(-2, 3)]
    circles = [(math.pi ** float(k), power(pi, k) if k else number(1)) for k in powers]
    logarithms = [(1.0, number(1))]
    for base in (2, 10):
        exact = function("log", number(base))
        logarithms += [(math.log(base), exact), (1 / math.log(base), power(exact, Fraction(-1)))]
    matches = []
    for rational, *parts in itertools.product(_RATIONALS, roots, circles, logarithms):
        value, exact = float(rational), number(rational)
        for factor, other in parts:
            value, exact = value * factor, exact * other
        matches.append((value, exact))
    return matches


@cache
def recognised(value: float) -> Sum:
    exact = Fraction(repr(value))
    if len(str(abs(exact.numerator)).strip("0")) < DIGITS:
        return number(exact)
    for candidate, meant in table():
        if abs(abs(value) - candidate) <= _ULPS * math.ulp(candidate):
            return meant if value > 0 else -meant
    return number(exact)
