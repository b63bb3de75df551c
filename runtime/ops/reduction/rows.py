"""Reductions as row programs."""

from ...kernels.row_language import (
    Each,
    ElementIndex,
    Row,
    abs,
    all,
    any,
    argmax,
    argmin,
    max,
    min,
    octave,
    prod,
    sqrt,
    sum,
    where,
)


def total(x: Row) -> Each:
    """sum_i x_i."""
    return sum(x)


def row_mean(x: Row, divisor: float) -> Each:
    """sum_i x_i / divisor."""
    return sum(x) / divisor


def product(x: Row) -> Each:
    """prod_i x_i."""
    return prod(x)


def length(x: Row) -> Each:
    """sqrt(sum_i x_i^2), of numbers over a power of two near the largest: no square leaves the range of the dtype."""
    unit = octave(max(abs(x)))
    ratio = x / unit
    return sqrt(sum(ratio * ratio)) * unit


def total_size(x: Row) -> Each:
    """sum_i |x_i|."""
    return sum(abs(x))


def not_zero(x: Row) -> Each:
    """How many x_i are not 0."""
    return sum(where(x != 0, 1.0, 0.0))


def length_of_power(x: Row, p: float) -> Each:
    """(sum_i |x_i|^p)^(1/p) for p > 0."""
    unit = octave(max(abs(x)))
    return sum((abs(x) / unit) ** p) ** (1 / p) * unit


def length_of_negative_power(x: Row, p: float) -> Each:
    """(sum_i |x_i|^p)^(1/p) for p < 0, of which the smallest number has the largest part; 0 where one is 0."""
    smallest = min(abs(x))
    unit = octave(smallest)
    return where(smallest == 0, 0.0, sum((abs(x) / unit) ** p) ** (1 / p) * unit)


def norm_inf(x: Row) -> Each:
    """max_i |x_i|."""
    return max(abs(x))


def norm_neg_inf(x: Row) -> Each:
    """min_i |x_i|."""
    return min(abs(x))


def row_amax(x: Row) -> Each:
    """max_i x_i."""
    return max(x)


def row_amin(x: Row) -> Each:
    """min_i x_i."""
    return min(x)


def max_with_indices(x: Row) -> tuple[Each, Each]:
    """max_i x_i, and where it first is."""
    result = max(x)
    index = argmax(x)
    return result, index


def min_with_indices(x: Row) -> tuple[Each, Each]:
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


def divided(x: Row, divisor: float) -> Row:
    """x / divisor."""
    return x / divisor


def selected_backward(x: Row, grad_row: Each, index_row: Each, i: ElementIndex) -> Row:
    """grad at the index, 0 elsewhere; of x only its places matter."""
    return where(i == index_row, grad_row, 0.0)
