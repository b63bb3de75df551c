"""Losses as row programs: of rows of differences, or of rows of scores with a class each."""

from __future__ import annotations

from ...kernels.row_words import Each, Place, Row, Shared, abs, at, exp, isfinite, log, max, sum, where


def squares(x: Row, target: Row) -> Each:
    """sum_i (x_i - target_i)^2."""
    return sum((x - target) * (x - target))


def differences(x: Row, target: Row) -> Each:
    """sum_i |x_i - target_i|."""
    return sum(abs(x - target))


def smooth_differences(x: Row, target: Row, beta: float) -> Each:
    """sum_i of the squares below beta, of the sizes above."""
    away = abs(x - target)
    return sum(where(away < beta, 0.5 * away * away / beta, away - 0.5 * beta))


def huber_differences(x: Row, target: Row, delta: float) -> Each:
    """sum_i of half the squares below delta, of delta times the sizes above."""
    away = abs(x - target)
    return sum(where(away < delta, 0.5 * away * away, delta * (away - 0.5 * delta)))


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
