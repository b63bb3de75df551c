"""Losses as row programs: of rows of differences, or of rows of scores with a class each."""

from __future__ import annotations

from ...kernels.row_words import Each, Place, Row, Shared, any, at, exp, isfinite, log, max, sum, where


def squares(x: Row, target: Row) -> Each:
    """sum_i (x_i - target_i)^2."""
    return sum((x - target) * (x - target))


def square_differences(x: Row, target: Row) -> Row:
    """(x - target)^2."""
    return (x - target) * (x - target)


def mse_slopes(x: Row, target: Row, grad: Row, factor: float) -> Row:
    """2 (x - target) grad factor, with a gradient for each element."""
    return 2.0 * (x - target) * grad * factor


def mse_slopes_of_one(x: Row, target: Row, grad_row: Each, factor: float) -> Row:
    """2 (x - target) grad factor, with one gradient for all."""
    return (x - target) * (2.0 * factor * grad_row)


def outside(target: Row, classes: int, ignored: int) -> Each:
    """Whether some target is neither a class nor the one that is ignored."""
    return any((target < 0 or target >= classes) and target != ignored)


def weighted_mean(x: Row, share: Row) -> tuple[Each, Each]:
    """sum_i x_i / sum_i share_i, and that sum."""
    weight = sum(share)
    result = sum(x) / weight
    return result, weight


def cross_entropy(x: Row, target_row: Each, weight_: Shared, ignored: int) -> tuple[Each, Each, Each]:
    """-log softmax(x) at the target times its weight, log sum exp(x), and the weight; 0 where the target is ignored."""
    top = max(x)
    shift = where(isfinite(top), top, 0.0)
    spread = log(sum(exp(x - shift))) + shift
    share = where(target_row == ignored, 0.0, at(weight_, target_row))
    result = where(target_row == ignored, 0.0, share * (spread - at(x, target_row)))
    return result, spread, share


def cross_entropy_backward(x: Row, scale_row: Each, target_row: Each, spread_row: Each, i: Place) -> Row:
    """scale (softmax(x) - 1 at the target)."""
    return scale_row * (exp(x - spread_row) - where(i == target_row, 1.0, 0.0))


def nll_loss(x: Row, target_row: Each, weight_: Shared, ignored: int) -> tuple[Each, Each]:
    """-x at the target times its weight, and the weight; 0 where the target is ignored."""
    share = where(target_row == ignored, 0.0, at(weight_, target_row))
    result = where(target_row == ignored, 0.0, -share * at(x, target_row))
    return result, share


def nll_slopes(x: Row, scale_row: Each, target_row: Each, weight_: Shared, ignored: int, i: Place) -> Row:
    """-scale weight at the target, 0 elsewhere; x says where rows lie alone."""
    return where(i == target_row, -scale_row, 0.0) * where(target_row == ignored, 0.0, weight_)
