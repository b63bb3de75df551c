"""Plans of attention and of its gradients: operands in any order of batch, heads and rows, rows contiguous."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...kernels.cpu.contiguous_copy import zeros
from ...kernels.cpu.matmul import PRODUCTS
from ...kernels.cpu.plan import Array, Ints, Layout, Plan, Step, strides_of
from . import cpu_plan_loops as loops


class Matrices(NamedTuple):
    """Where the matrices of an operand lie: elements before the first one, and from one batch item, head, row to the
    next."""

    shape: Ints  # batch, heads, rows, features
    first: int
    steps: Ints


ABSENT = Matrices((), -1, (0, 0, 0))


def attention(
    query: Layout, key: Layout, value: Layout, bias: Layout | None, mask: Layout | None, keep: Layout | None,
    keep_scale: float, is_causal: bool, scale: float, rows_first: bool,
) -> Plan | None:  # fmt: skip
    shape = (*query.shape[:3], value.shape[-1])
    operands = [matrices(layout, rows_first) for layout in (query, key, value, Layout(shape, None))]
    extras = [_broadcast(extra, operands) for extra in (bias, mask, keep)]
    return _forward(located([*operands, *extras], is_causal), (0, 1, 2, 3, 4, 5), shape, scale, keep_scale)


def attention_backward(
    output_mask: tuple[bool, ...], grad: Layout, query: Layout, key: Layout, value: Layout, bias: Layout | None,
    mask: Layout | None, keep: Layout | None, output: Layout, logsumexp: Layout, keep_scale: float, is_causal: bool,
    scale: float, rows_first: bool,
) -> Plan | None:  # fmt: skip
    if logsumexp.strides is not None:
        return None
    inputs, operands = (query, key, value), [matrices(x, rows_first) for x in (query, key, value, output, grad)]
    pairs = zip(inputs, output_mask, strict=False)
    to = [matrices(Layout(x.shape, None), rows_first) if yes else ABSENT for x, yes in pairs]
    extras = [_broadcast(extra, operands) for extra in (bias, mask, keep)]
    offsets = [*operands, *to, *extras, _grad_bias(bias, output_mask[3], operands)]
    numbered = enumerate(zip((*inputs, bias), output_mask, strict=True))
    shapes = [(i, x.shape) if yes and x is not None else (4 + i, (1,)) for i, (x, yes) in numbered]
    return _backward(located(offsets, is_causal), (2, 3, 4, 8, 1, 5, 6, 7, 9), tuple(shapes), scale, keep_scale)


def self_attention(
    projected: Layout, heads: int, bias: Layout | None, mask: Layout | None, keep: Layout | None, keep_scale: float,
    is_causal: bool, scale: float,
) -> Plan | None:  # fmt: skip
    batch, rows, width = projected.shape
    split_heads_shape = Layout((batch, rows, heads, width // (3 * heads)), None)
    operands = [*_thirds(projected, heads), matrices(split_heads_shape, True)]
    extras = [_broadcast(extra, operands) for extra in (bias, mask, keep)]
    table = located([*operands, *extras], is_causal)
    return _forward(table, (0, 0, 0, 2, 3, 4), (batch, rows, width // 3), scale, keep_scale)


def self_attention_backward(
    output_mask: tuple[bool, ...], grad: Layout, projected: Layout, heads: int, bias: Layout | None,
    mask: Layout | None, keep: Layout | None, output: Layout, logsumexp: Layout, keep_scale: float, is_causal: bool,
    scale: float,
) -> Plan | None:  # fmt: skip
    if not output_mask[0] or any(x.strides is not None for x in (output, logsumexp, grad)):
        return None
    batch, rows, width = projected.shape
    split_heads_shape = matrices(Layout((batch, rows, heads, width // (3 * heads)), None), True)
    operands = [*_thirds(projected, heads), split_heads_shape, split_heads_shape]
    to = _thirds(Layout(projected.shape, None), heads)
    extras = [_broadcast(extra, operands) for extra in (bias, mask, keep)]
    table = located([*operands, *to, *extras, _grad_bias(bias, output_mask[1], operands)], is_causal)
    for_bias = (1, bias.shape) if bias is not None and output_mask[1] else (2, (1,))
    results = *((0, projected.shape),) * 3, for_bias
    return _backward(table, (2, 2, 2, 7, 1, 4, 5, 6, 8), results, scale, keep_scale)


def _forward(table: Array | None, operands: Ints, shape: Ints, scale: float, keep_scale: float) -> Plan | None:
    if table is None:
        return None
    batch, heads, group, queries = (int(size) for size in table[:4])
    results = (0, shape), (1, (batch, heads, queries))
    rows = batch * heads // group, 1
    return (Step(loops.attend_at, operands, results, (scale, keep_scale), (), rows, _work(table), tables=(table,)),)


def _backward(
    table: Array | None, operands: Ints, results: tuple[tuple[int, Ints], ...], scale: float, keep_scale: float
) -> Plan | None:
    """The plan of the call that adds the gradients to zeros; that of a bias is added up in one thread."""
    if table is None:
        return None
    pairs, has_bias = int(table[0] * table[1] // table[2]), table[-4] >= 0
    rows, numbers = (pairs, pairs if has_bias else 1), (scale, keep_scale)
    step = Step(loops.attend_backward_at, operands, results, numbers, (), rows, _work(table), tables=(table,))
    return (*[zeros(*result) for result in dict.fromkeys(results)], step)


def _grad_bias(bias: Layout | None, output_mask: bool, operands: Sequence[Matrices | None]) -> Matrices | None:
    return _broadcast(Layout(bias.shape, None), operands) if bias is not None and output_mask else ABSENT


def _work(table: Array) -> int:
    batch, heads, _, queries, keys, width, value_width = (int(size) for size in table[: loops.SIZES])
    return batch * heads * queries * keys * (width + value_width) // PRODUCTS


def located(operands: Sequence[Matrices | None], is_causal: bool) -> Array | None:
    """Where operands lie, queries, keys, values first; None where rows are not contiguous, or nothing is left."""
    if any(operand is None for operand in operands):
        return None
    matches = [operand for operand in operands if operand is not None]
    (batch, heads, queries, width), (_, key_heads, keys, _), (*_, value_width) = (x.shape for x in matches[:3])
    if not batch * heads * queries * keys * width * value_width:
        return None
    sizes = batch, heads, heads // key_heads, queries, keys, width, value_width
    offsets = [number for operand in matches for number in (operand.first, *operand.steps)]
    return np.array([*sizes, int(is_causal), *offsets], np.int64)


def _broadcast(extra: Layout | None, operands: Sequence[Matrices | None]) -> Matrices | None:
    """What is added to scores, or multiplies them, with steps of 0 for sizes of 1; None of rows not contiguous."""
    if extra is None or operands[1] is None:
        return ABSENT
    if extra.shape[3] != operands[1].shape[2]:
        return None
    result = matrices(extra, False)
    if result is None:
        return None
    steps = tuple([0 if n == 1 else step for n, step in zip(extra.shape, result.steps, strict=False)])
    return result._replace(steps=steps)


def matrices(layout: Layout, rows_first: bool) -> Matrices | None:
    """The matrices of an operand, rows or heads first; None where rows are not contiguous."""
    strides = strides_of(layout)
    if strides[3] != 1 and layout.shape[3] != 1:
        return None
    batch, one, other, width = layout.shape
    by_rows = (batch, other, one, width), 0, (strides[0], strides[2], strides[1])
    return Matrices(*by_rows) if rows_first else Matrices(layout.shape, 0, strides[:3])


def _thirds(projected: Layout, heads: int) -> list[Matrices | None]:
    strides = strides_of(projected)
    batch, rows, width = projected.shape
    each = width // (3 * heads)
    if strides[2] != 1:
        return [None] * 3
    steps = strides[0], each, strides[1]
    return [Matrices((batch, heads, rows, each), third * width // 3, steps) for third in range(3)]
