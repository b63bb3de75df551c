"""Attention on a device: products of all queries and keys, a warp for the weights of each query, products with values.

Operands may lie in any order of batch, heads and rows: (batch, heads, rows, features), or with `rows_first`
(batch, rows, heads, features). Of 16-bit floats without bias, mask and dropout cuDNN computes it and its gradients
where it is there, which keeps no scores.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray as Array
from ...device.cuda.current import current_stream
from ...device.cuda.math_modes import math_modes
from ...kernels.cuda_launch import arrays as memory
from ...kernels.cuda_launch import per_element
from ...kernels.cuda_launch.arrays import broadcast, narrowed, over, permuted, reshaped, swapped
from ...kernels.cuda_libraries.cudnn_protocol import Attention, AttentionGradients, Layout
from ...kernels.cuda_libraries.libraries import attentions
from ...kernels.cuda_libraries.matmul import is_half, multiply
from ...kernels.cuda_libraries.operands import has_rows, stored_as
from ..reduction.cuda import sum_to_size
from . import cuda_kernels as kernels

LANES = 32  # of a warp
Extras = tuple[Array | None, Array | None, Array | None]  # bias, mask, keep


def attention(
    query: Array, key: Array, value: Array, bias: Array | None, mask: Array | None, keep: Array | None,
    keep_scale: float, is_causal: bool, scale: float, rows_first: bool,
) -> tuple[Array, Array]:  # fmt: skip
    result = like(query, (*query.shape[:3], value.shape[3]))
    operands = [by_heads(a, rows_first) for a in (query, key, value, result)]
    logsumexp = memory.empty(operands[0].shape[:3], query.dtype, query.device)
    attend(operands, (bias, mask, keep), keep_scale, is_causal, scale, logsumexp)
    return result, logsumexp


def attend(
    operands: Sequence[Array], extras: Extras, keep_scale: float, is_causal: bool, scale: float, logsumexp: Array
) -> None:
    q, k, v, output = operands
    if not output.size or not k.shape[2]:
        memory.fill(output.as_read(output.stored), 0)
        memory.fill(logsumexp, np.inf)
        return
    if all(extra is None for extra in extras) and library_attends(operands, is_causal, scale, logsumexp):
        return
    shape = (*q.shape[:3], k.shape[2])
    scores = scores_of(q, k, scale)
    weights = like(v, shape) if is_half(v) else scores
    arrays, numbers = located(extras, shape, scores)
    args = scores, *arrays, weights, logsumexp, numbers, shape[1:], is_causal
    factors = float(keep_scale), float("-inf")
    per_element.run(kernels.soften, logsumexp.size * LANES, q.dtype, *args, *factors)
    for g, group in groups(q, k):
        multiply_heads(of_group(weights, g, group), v, of_group(output, g, group), 1, 0)


def library_attends(operands: Sequence[Array], is_causal: bool, scale: float, logsumexp: Array) -> bool:
    library = attentions() if is_half(operands[0]) else None
    if library is None:
        return False
    args = [*as_operands(operands[:3]), operands[3]]
    *inputs, output = (a.address for a in args)
    stream = current_stream(logsumexp.device.index or 0)
    return library.attend(described(args, is_causal, scale), tuple(inputs), (output, logsumexp.address), stream)


def library_gives_gradients(
    operands: Sequence[Array], is_causal: bool, scale: float, logsumexp: Array, results: Sequence[Array | None]
) -> bool:
    library = attentions() if is_half(operands[0]) else None
    if library is None:
        return False
    inputs = zip(results, operands[:3], strict=True)
    into = [like(operands[0], a.shape) if result is None else result for result, a in inputs]
    if not all(is_half(a) and has_rows(a) for a in into):
        return False
    value, totals = as_operands(operands), memory.contiguous(logsumexp)
    layouts = layout_of(into[0]), layout_of(into[1]), layout_of(into[2])
    full = described(value, is_causal, scale), layout_of(value[4]), layouts, math_modes.deterministic
    addresses = *(a.address for a in value), totals.address
    stream = current_stream(logsumexp.device.index or 0)
    return library.attend_gradients(AttentionGradients(*full), addresses, tuple(a.address for a in into), stream)


def as_operands(arrays: Sequence[Array]) -> list[Array]:
    args = [stored_as(a, arrays[0].stored) for a in arrays]
    return [a if has_rows(a) else memory.moved(a) for a in args]


def described(operands: Sequence[Array], is_causal: bool, scale: float) -> Attention:
    q, k, v, output = map(layout_of, operands[:4])
    return Attention(operands[0].stored, q, k, v, output, is_causal, float(scale))


def layout_of(a: Array) -> Layout:
    return Layout(a.shape, steps_of(a))


def scores_of(q: Array, k: Array, scale: float) -> Array:
    scores = memory.empty((*q.shape[:3], k.shape[2]), q.dtype, q.device)
    for g, group in groups(q, k):
        multiply_heads(of_group(q, g, group), swapped(k), of_group(scores, g, group), scale, 0)
    return scores


def groups(q: Array, k: Array) -> list[tuple[int, int]]:
    group = q.shape[1] // k.shape[1] if k.shape[1] else 1
    return [(g, group) for g in range(group)]


def of_group(a: Array, g: int, group: int) -> Array:
    steps = a.byte_strides
    shape = (a.shape[0], a.shape[1] // group, *a.shape[2:])
    return over(a, shape, (steps[0], steps[1] * group, *steps[2:]), g * steps[1])


def multiply_heads(a: Array, b: Array, into: Array, alpha: float, beta: float) -> None:
    """into = alpha a b + beta into for each batch item and head: one product, of copies where steps forbid it."""
    result = into if is_one_batch(into) else memory.moved(into) if beta else like(into, into.shape)
    multiply(one_batch(a), one_batch(b), flat_heads(result), alpha, beta)
    if result is not into:
        memory.copy(into, result)


def one_batch(a: Array) -> Array:
    """Batch and heads as one dim; where steps do not allow it, those of a copy, whose matrices lie as they lay."""
    if is_one_batch(a):
        return flat_heads(a)
    steps = a.byte_strides
    return flat_heads(memory.moved(a) if steps[2] >= steps[3] else swapped(memory.moved(swapped(a))))


def is_one_batch(a: Array) -> bool:
    return 1 in a.shape[:2] or a.byte_strides[0] == a.byte_strides[1] * a.shape[1]


def flat_heads(a: Array) -> Array:
    step = a.byte_strides[0 if a.shape[1] == 1 else 1]
    return over(a, (a.shape[0] * a.shape[1], *a.shape[2:]), (step, *a.byte_strides[2:]))


def like(a: Array, shape: tuple[int, ...]) -> Array:
    """Memory of the dtype that an array has in memory, where that is one of 16-bit floats."""
    return memory.empty(shape, a.stored if is_half(a) else a.dtype, a.device).as_read(a.dtype)


def by_heads(a: Array, rows_first: bool) -> Array:
    return permuted(a, 0, 2, 1, 3) if rows_first else a


def located(extras: Extras, shape: tuple[int, ...], like_: Array) -> tuple[list[Array], tuple[Any, ...]]:
    numbers = ((False, (0, 0, 0, 0)) if a is None else (True, steps_of(broadcast(a, shape))) for a in extras)
    return [like_ if extra is None else extra for extra in extras], tuple(numbers)


def steps_of(a: Array) -> tuple[int, ...]:
    return tuple(step // a.itemsize for step in a.byte_strides)


def attention_backward(
    output_mask: Sequence[bool], grad: Array, query: Array, key: Array, value: Array, bias: Array | None,
    mask: Array | None, keep: Array | None, output: Array, logsumexp: Array, keep_scale: float, is_causal: bool,
    scale: float, rows_first: bool,
) -> tuple[Array | None, ...]:  # fmt: skip
    inputs = zip(output_mask, (query, key, value), strict=False)
    results = [like(query, a.shape) if yes else None for yes, a in inputs]
    operands = [by_heads(a, rows_first) for a in (query, key, value, output, grad)]
    heads = [None if a is None else by_heads(a, rows_first) for a in results]
    args = (bias, mask, keep), logsumexp, keep_scale, is_causal, scale
    return *results, gradients(operands, *args, heads, bias if output_mask[3] else None)


def gradients(
    operands: Sequence[Array], extras: Extras, logsumexp: Array, keep_scale: float, is_causal: bool, scale: float,
    results: Sequence[Array | None], bias: Array | None,
) -> Array | None:  # fmt: skip
    """Fill the results of query, key and value that are there; the gradient of a bias."""
    q, k, v, output, above = operands
    shape = (*q.shape[:3], k.shape[2])
    if not output.size or not k.shape[2]:
        for result in results:
            if result is not None:
                memory.fill(result.as_read(result.stored), 0)
        return None if bias is None else memory.zeros(bias.shape, bias.dtype, bias.device)
    plain = all(extra is None for extra in extras)
    if plain and library_gives_gradients(operands, is_causal, scale, logsumexp, results):
        return None
    scores, grads = scores_of(q, k, scale), scores_of(above, v, 1)
    derivatives, dropped = (like(v, shape) if is_half(v) else a for a in (grads, scores))
    arrays, numbers = located(extras, shape, scores)
    args = scores, *arrays, memory.contiguous(logsumexp), grads, above, output, derivatives, dropped, numbers
    sizes, steps = (*shape[1:], v.shape[3]), (steps_of(output), steps_of(above))
    rest = sizes, is_causal, float(keep_scale), steps
    per_element.run(kernels.weights_back, logsumexp.size * LANES, q.dtype, *args, *rest)
    query, key, value = results
    key_sum, value_sum = (sum_for(a, q.shape[1] > k.shape[1]) for a in (key, value))
    for g, group in groups(q, k):
        own = [of_group(a, g, group) for a in (derivatives, dropped, q, above)]
        if query is not None:
            multiply_heads(own[0], k, of_group(query, g, group), scale, 0)
        if key_sum is not None:
            multiply_heads(swapped(own[0]), own[2], key_sum, scale, int(g > 0))
        if value_sum is not None:
            multiply_heads(swapped(own[1]), own[3], value_sum, 1, int(g > 0))
    for result, total in ((key, key_sum), (value, value_sum)):
        if result is not None and total is not None and total is not result:
            memory.copy(result.as_read(result.stored), total)
    return None if bias is None else sum_to_size(derivatives, bias.shape)


def sum_for(result: Array | None, multi_query: bool) -> Array | None:
    """Where a gradient is summed up: 16-bit floats would be rounded with each of several terms."""
    is_rounded = result is not None and multi_query and is_half(result)
    return memory.empty(result.shape, result.dtype, result.device) if is_rounded and result is not None else result


def self_attention(
    projected: Array, heads: int, bias: Array | None, mask: Array | None, keep: Array | None, keep_scale: float,
    is_causal: bool, scale: float,
) -> tuple[Array, Array]:  # fmt: skip
    query, key, value = thirds(projected, heads)
    output, logsumexp = attention(query, key, value, bias, mask, keep, keep_scale, is_causal, scale, True)
    return output.reshape(*projected.shape[:2], projected.shape[2] // 3), logsumexp


def self_attention_backward(
    output_mask: Sequence[bool], grad: Array, projected: Array, heads: int, bias: Array | None, mask: Array | None,
    keep: Array | None, output: Array, logsumexp: Array, keep_scale: float, is_causal: bool, scale: float,
) -> tuple[Array | None, ...]:  # fmt: skip
    result = like(projected, projected.shape) if output_mask[0] else None
    split_heads_shape = (*projected.shape[:2], heads, projected.shape[2] // (3 * heads))
    split = [*thirds(projected, heads), reshaped(output, *split_heads_shape), reshaped(grad, *split_heads_shape)]
    to = [None] * 3 if result is None else [by_heads(a, True) for a in thirds(result, heads)]
    operands = [by_heads(a, True) for a in split]
    args = (bias, mask, keep), logsumexp, keep_scale, is_causal, scale
    return result, gradients(operands, *args, to, bias if output_mask[1] else None)


def thirds(projected: Array, heads: int) -> list[Array]:
    batch, rows, width = projected.shape
    steps, each = projected.byte_strides, width // 3
    shape, byte_strides = (batch, rows, heads, each // heads), (*steps[:2], steps[2] * (each // heads), steps[2])
    parts = (narrowed(projected, 2, k * each, (k + 1) * each) for k in range(3))
    return [over(part, shape, byte_strides) for part in parts]
