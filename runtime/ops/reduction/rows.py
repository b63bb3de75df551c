"""Reductions as row programs."""

from __future__ import annotations

from ...kernels.row_words import (
    Each,
    Row,
    abs,
    all,
    any,
    argmax,
    argmin,
    exp,
    isfinite,
    log,
    max,
    maximum,
    min,
    prod,
    sqrt,
    sum,
    where,
)


def total(x: Row) -> Each:
    """sum_i x_i."""
    return sum(x)


def quotient_of_total(x: Row, divisor: float) -> Each:
    """sum_i x_i / divisor."""
    return sum(x) / divisor


def product(x: Row) -> Each:
    """prod_i x_i."""
    return prod(x)


def variance(x: Row, n: int, correction: float) -> Each:
    """sum_i (x_i - mean)^2 / max(n - correction, 0)."""
    average = sum(x) / n
    away = x - average
    return sum(away * away) / maximum(n - correction, 0)


def deviation(x: Row, n: int, correction: float) -> Each:
    """The square root of the variance."""
    average = sum(x) / n
    away = x - average
    return sqrt(sum(away * away) / maximum(n - correction, 0))


def length(x: Row) -> Each:
    """sqrt(sum_i x_i^2)."""
    return sqrt(sum(x * x))


def total_size(x: Row) -> Each:
    """sum_i |x_i|."""
    return sum(abs(x))


def not_zero(x: Row) -> Each:
    """How many x_i are not 0."""
    return sum(where(x != 0, 1.0, 0.0))


def length_of_power(x: Row, p: float) -> Each:
    """(sum_i |x_i|^p)^(1/p)."""
    return sum(abs(x) ** p) ** (1 / p)


def greatest_size(x: Row) -> Each:
    """max_i |x_i|."""
    return max(abs(x))


def least_size(x: Row) -> Each:
    """min_i |x_i|."""
    return min(abs(x))


def logsumexp(x: Row) -> Each:
    """log sum_i exp(x_i), without overflow."""
    top = max(x)
    shift = where(isfinite(top), top, 0.0)
    return log(sum(exp(x - shift))) + shift


def greatest(x: Row) -> Each:
    """max_i x_i."""
    return max(x)


def least(x: Row) -> Each:
    """min_i x_i."""
    return min(x)


def greatest_and_place(x: Row) -> tuple[Each, Each]:
    """max_i x_i, and where it first is."""
    result = max(x)
    index = argmax(x)
    return result, index


def least_and_place(x: Row) -> tuple[Each, Each]:
    """min_i x_i, and where it first is."""
    result = min(x)
    index = argmin(x)
    return result, index


def some(x: Row) -> Each:
    """Whether an x_i is not 0."""
    return any(x != 0)


def every(x: Row) -> Each:
    """Whether no x_i is 0."""
    return all(x != 0)
