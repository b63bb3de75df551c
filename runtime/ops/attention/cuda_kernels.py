"""The kernels of attention on a device: a warp for each query, along the scores of its keys."""

from typing import Any

from ...kernels.cuda.language import T, cuda
from ...kernels.scalar import exp, log

ALL = 0xFFFFFFFF
# Texts name these; a kernel has its own in their place.
index: Any = None
get_scores = get_bias = get_mask = get_keep = get_above = get_output = get_grads = get_logsumexp = index
put_scores = put_result = put_dropped = put_logsumexp = index


def seen(mask: Any, has_mask: Any, steps: Any, b: Any, h: Any, q: Any, j: Any, causal: Any) -> Any:
    if causal and j > q:
        return False
    if has_mask:
        at = index(index(b * steps[0]) + index(h * steps[1])) + index(index(q * steps[2]) + index(j * steps[3]))
        return get_mask(mask, index(at)) != 0
    return True


def dropout_mask(keep: Any, has_keep: Any, steps: Any, b: Any, h: Any, q: Any, j: Any) -> Any:
    if has_keep:
        at = index(index(b * steps[0]) + index(h * steps[1])) + index(index(q * steps[2]) + index(j * steps[3]))
        return get_keep(keep, index(at)) != 0
    return True


def biased(score: Any, bias: Any, has_bias: Any, steps: Any, b: Any, h: Any, q: Any, j: Any) -> Any:
    if has_bias:
        at = index(index(b * steps[0]) + index(h * steps[1])) + index(index(q * steps[2]) + index(j * steps[3]))
        return T(score + get_bias(bias, index(at)))
    return score


def across_max(value: Any) -> Any:
    """The greatest of a warp; nan when there is one."""
    for bits in (16, 8, 4, 2, 1):
        other = cuda.shfl_xor_sync(ALL, value, bits)
        value = value if value >= other or value != value else other
    return value


def across_sum(value: Any) -> Any:
    for bits in (16, 8, 4, 2, 1):
        value = T(value + cuda.shfl_xor_sync(ALL, value, bits))
    return value


def soften(
    scores: Any, bias: Any, mask: Any, keep: Any, result: Any, logsumexp: Any, extras: Any, sizes: Any, causal: Any,
    factor: Any, row_max: Any, total: Any,
) -> None:  # fmt: skip
    """Scores become weights that dropout has left; zeros, and inf, where a query sees nothing. `row_max` is -inf.

    `extras` says of bias, mask and keep whether there is one, and gives its steps.
    """
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        heads, queries, keys = sizes
        row, lane = index(i // 32), index(i % 32)
        q, p = index(row % queries), index(row // queries)
        h, b = index(p % heads), index(p // heads)
        start = index(row * keys)
        top = row_max
        j = lane
        while j < keys:
            if seen(mask, extras[1][0], extras[1][1], b, h, q, j, causal):
                value = biased(get_scores(scores, index(start + j)), bias, extras[0][0], extras[0][1], b, h, q, j)
                top = value if value > top or value != value else top
            j = index(j + 32)
        top = across_max(top)
        sum = T(0)
        j = lane
        while j < keys and top != row_max:
            if seen(mask, extras[1][0], extras[1][1], b, h, q, j, causal):
                value = biased(get_scores(scores, index(start + j)), bias, extras[0][0], extras[0][1], b, h, q, j)
                sum = T(sum + exp(T(value - top)))
            j = index(j + 32)
        sum = across_sum(sum)
        j = lane
        while j < keys:
            weight = T(0)
            if top != row_max and seen(mask, extras[1][0], extras[1][1], b, h, q, j, causal):
                value = biased(get_scores(scores, index(start + j)), bias, extras[0][0], extras[0][1], b, h, q, j)
                if dropout_mask(keep, extras[2][0], extras[2][1], b, h, q, j):
                    weight = T(exp(T(value - top)) / sum)
                    weight = T(weight * factor) if extras[2][0] else weight
            put_result(result, index(start + j), weight)
            j = index(j + 32)
        if lane == 0:
            put_logsumexp(logsumexp, row, T(top + log(sum)) if top != row_max else T(-row_max))


def weights_back(
    scores: Any, bias: Any, mask: Any, keep: Any, logsumexp: Any, grads: Any, above: Any, output: Any, result: Any,
    dropped: Any, extras: Any, sizes: Any, causal: Any, factor: Any, steps: Any, total: Any,
) -> None:  # fmt: skip
    """From scores and gradients of weights those of the scores, to `result`, and the weights that dropout has left.

    `steps` are those of the output and of its gradient, whose rows have `sizes[3]` elements.
    """
    i = index(index(cuda.blockIdx.x) * index(cuda.blockDim.x) + index(cuda.threadIdx.x))
    if i < total:
        heads, queries, keys, width = sizes
        row, lane = index(i // 32), index(i % 32)
        q, p = index(row % queries), index(row // queries)
        h, b = index(p % heads), index(p // heads)
        start = index(row * keys)
        one, two = steps
        here = index(index(b * one[0]) + index(h * one[1])) + index(q * one[2])
        there = index(index(b * two[0]) + index(h * two[1])) + index(q * two[2])
        mean = T(0)
        j = lane
        while j < width:
            product = get_output(output, index(here + index(j * one[3]))) * get_above(above, index(there + j * two[3]))
            mean = T(mean + product)
            j = index(j + 32)
        mean = across_sum(mean)
        total_log = get_logsumexp(logsumexp, row)
        j = lane
        while j < keys:
            weight, grad_score, left = T(0), T(0), T(0)
            at = index(start + j)
            if seen(mask, extras[1][0], extras[1][1], b, h, q, j, causal):
                value = biased(get_scores(scores, at), bias, extras[0][0], extras[0][1], b, h, q, j)
                weight = T(exp(T(value - total_log)))
                if dropout_mask(keep, extras[2][0], extras[2][1], b, h, q, j):
                    grad_score, left = get_grads(grads, at), weight
                    grad_score = T(grad_score * factor) if extras[2][0] else grad_score
                    left = T(left * factor) if extras[2][0] else left
            put_result(result, at, T(weight * T(grad_score - mean)))
            put_dropped(dropped, at, left)
            j = index(j + 32)
