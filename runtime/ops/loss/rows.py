"""Losses as row programs: of rows of scores with a class each."""

from ...kernels.row_language import Each, ElementIndex, Row, Shared, at, exp, isinf, isneginf, log, max, sum, where


def weighted_mean(x: Row, share: Row) -> tuple[Each, Each]:
    """sum_i x_i / sum_i share_i, and that sum."""
    weight = sum(share)
    result = sum(x) / weight
    return result, weight


def weighted_total(x: Row, share: Row) -> tuple[Each, Each]:
    """sum_i x_i, and sum_i share_i."""
    result = sum(x)
    weight = sum(share)
    return result, weight


def row_ratio(x: Row, divisor_row: Each) -> Row:
    """x / divisor."""
    return x / divisor_row


def cross_entropy(x: Row, target_row: Each, weight_: Shared, ignored: int) -> tuple[Each, Each, Each]:
    """-log softmax(x) at the target times its weight, log sum exp(x), and the weight; 0 where the target is ignored."""
    top = max(x)
    shift = where(isneginf(top), 0.0, top)
    log_total = log(sum(exp(where(isinf(x) and x > 0, 0.0, x - shift))))
    own = at(x, target_row)
    share = where(target_row == ignored, 0.0, at(weight_, target_row))
    result = where(share == 0, 0.0, share * (log_total - where(isinf(own) and own > 0, 0.0, own - shift)))
    return result, where(target_row == ignored, 0.0, log_total + shift), share


def cross_entropy_backward(
    x: Row, grad_row: Each, target_row: Each, logsumexp_row: Each, weight_: Shared, ignored: int, i: ElementIndex
) -> Row:
    """grad times the target's weight times (softmax(x) - 1 at the target); 0 where the target is ignored."""
    factor = where(target_row == ignored, 0.0, grad_row * at(weight_, target_row))
    return factor * (exp(where(isinf(x) and x > 0, 0.0, x - logsumexp_row)) - where(i == target_row, 1.0, 0.0))


def smoothed_cross_entropy(
    x: Row, target_row: Each, weight_: Shared, n: int, ignored: int, smoothing: float
) -> tuple[Each, Each, Each]:
    """(1 - smoothing) of what `cross_entropy` is, and smoothing / n of its sum over all classes as targets."""
    top = max(x)
    shift = where(isneginf(top), 0.0, top)
    scores = where(isinf(x) and x > 0, 0.0, x - shift)
    row_logsumexp = log(sum(exp(scores)))
    every = sum(weight_) * row_logsumexp - sum(where(weight_ == 0, 0.0, weight_ * scores))
    share = where(target_row == ignored, 0.0, at(weight_, target_row))
    chosen = at(x, target_row)
    score = where(isinf(chosen) and chosen > 0, 0.0, chosen - shift)
    own = where(share == 0, 0.0, (1 - smoothing) * share * (row_logsumexp - score))
    result = where(target_row == ignored, 0.0, own + smoothing / n * every)
    log_sum = where(target_row == ignored, 0.0, row_logsumexp + shift)
    return result, log_sum, share


def smoothed_cross_entropy_backward(
    x: Row, grad_row: Each, target_row: Each, logsumexp_row: Each, weight_: Shared, n: int, ignored: int,
    smoothing: float, i: ElementIndex,
) -> Row:  # fmt: skip
    """grad times the gradient of `smoothed_cross_entropy`; 0 where the target is ignored."""
    own = (1 - smoothing) * at(weight_, target_row)
    even = smoothing / n
    pulled = exp(where(isinf(x) and x > 0, 0.0, x - logsumexp_row)) * (own + even * sum(weight_)) - even * weight_
    return where(target_row == ignored, 0.0, grad_row * (pulled - where(i == target_row, own, 0.0)))


def nll_loss(x: Row, target_row: Each, weight_: Shared, ignored: int) -> tuple[Each, Each]:
    """-x at the target times its weight, and the weight; 0 where the target is ignored."""
    share = where(target_row == ignored, 0.0, at(weight_, target_row))
    result = where(share == 0, 0.0, -share * at(x, target_row))
    return result, share


def nll_row_backward(x: Row, grad_row: Each, target_row: Each, weight_: Shared, ignored: int, i: ElementIndex) -> Row:
    """-grad weight at the target, 0 elsewhere and where the target is ignored; of x only its places matter."""
    return where(i == target_row and target_row != ignored, -grad_row * weight_, 0.0)
