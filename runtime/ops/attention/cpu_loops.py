"""The loops of attention over batch, heads and blocks of queries; cpu.py says what is computed.

The scores of a block are rows against all keys, or with `causal` against those up to the block's last query: they stay
in the second-level cache, and no matrix of all scores is made. The last two arguments are the range of pairs of a batch
item and a head of keys. A block's `spot` is (batch item, head, key head, first query, queries, keys).
"""

import math

import numpy as np

from ...compiler.jit import jit
from ...kernels.cpu.loops import exponentials, scale
from ...kernels.cpu.matmul import fill_panels, multiply_at
from ...kernels.cpu.sums import REORDER, plain_sum
from ...kernels.llvm.addresses import address, empty_matrix, matrix_at, row_at
from ...kernels.llvm.matmul_tiles import panel_bytes, panel_width
from ...kernels.llvm.reduce import range_of
from ...kernels.scalar import exp

Array = np.ndarray
Spot = tuple[int, ...]
Sizes = tuple[int, ...]

SCORES = 1 << 17  # bytes that the scores of a block may take up
MAX_QUERIES, FEWEST_QUERIES = 96, 6  # of a block: a multiple of the rows of a tile
# Rows of the table of operands: (address, distance of batch items, of heads, of rows), in bytes; zeros for none.
QUERY, KEY, VALUE, OUTPUT, BIAS, MASK, KEEP, GRAD, GRAD_QUERY, GRAD_KEY, GRAD_VALUE, GRAD_BIAS = range(12)


@jit
def attend(
    table: Array, sizes: Sizes, causal: bool, scale: float, keep_scale: float, logsumexp: Array, first: int, last: int
) -> None:
    """Forward. `sizes`: batch, heads, heads of each key head, queries, keys, features of keys, of values."""
    _, heads, group, queries, keys, width, value_width = sizes
    like, block = logsumexp.dtype.type(0), queries_of_block(keys, logsumexp.itemsize)
    left, scores = empty_matrix(like, block, width), empty_matrix(like, block, keys)
    panels = _panels(keys, width, left)
    for pair in range(first, last):
        b, key_head = pair // (heads // group), pair % (heads // group)
        _pack_panels(table[KEY], b, key_head, panels, keys, width)
        for h in range(key_head * group, (key_head + 1) * group):
            value = _matrix(left, table[VALUE], b, h // group, keys, value_width)
            output = _matrix(left, table[OUTPUT], b, h, queries, value_width)
            for start in range(0, queries, block):
                spot = _spot(b, h, group, start, min(block, queries - start), keys, causal)
                _score(table, spot, scale, panels, left, scores)
                for i in range(spot[4]):
                    logsumexp[b, h, start + i] = soften(_seen(scores, spot, causal, i))
                if table[KEEP, 0]:
                    _drop_some(table, spot, keep_scale, scores, scores)
                _times(scores, spot, value, output)


@jit
def attend_backward(
    table: Array, sizes: Sizes, causal: bool, scale: float, keep_scale: float, logsumexp: Array, first: int, last: int
) -> None:
    """The gradients whose addresses are in the table; those of keys, values and bias are added to the arrays there."""
    _, heads, group, queries, keys, width, value_width = sizes
    like, block = logsumexp.dtype.type(0), queries_of_block(keys, logsumexp.itemsize)
    left, scores = empty_matrix(like, block, width), empty_matrix(like, block, keys)
    grads = empty_matrix(like, block, keys)
    panels, value_panels = _panels(keys, width, left), _panels(keys, value_width, left)
    for pair in range(first, last):
        b, key_head = pair // (heads // group), pair % (heads // group)
        _pack_panels(table[KEY], b, key_head, panels, keys, width)
        _pack_panels(table[VALUE], b, key_head, value_panels, keys, value_width)
        for h in range(key_head * group, (key_head + 1) * group):
            for start in range(0, queries, block):
                spot = _spot(b, h, group, start, min(block, queries - start), keys, causal)
                _score(table, spot, scale, panels, left, scores)
                for i in range(spot[4]):
                    weigh(_seen(scores, spot, causal, i), logsumexp[b, h, start + i])
                grad = _matrix(left, table[GRAD], b, h, queries, value_width)[start:]
                _add_grad_value(table, spot, keep_scale, scores, grads, grad, keys)
                _times_panels(address(grad), grad.strides[0], value_panels, spot, grads)
                _scores_backward(table, spot, value_width, keep_scale, scores, grads)
                _add_grad_inputs(table, spot, scale, scores, left, queries, keys)


@jit
def queries_of_block(keys: int, size: int) -> int:
    rows = SCORES // (keys * size) // FEWEST_QUERIES * FEWEST_QUERIES
    return min(max(rows, FEWEST_QUERIES), MAX_QUERIES)


@jit
def locate_all(query: Array, key: Array, value: Array, output: Array) -> Array:
    table = empty_matrix(0, GRAD_BIAS + 1, 4)
    table[:] = 0
    locate(table, QUERY, query)
    locate(table, KEY, key)
    locate(table, VALUE, value)
    locate(table, OUTPUT, output)
    return table


@jit
def locate(table: Array, number: int, array: Array) -> None:
    table[number, 0] = address(array)
    for dim in range(3):
        table[number, dim + 1] = array.strides[dim]


@jit(forceinline=True)
def _panels(columns: int, depth: int, like: Array) -> Array:
    width = panel_width(like.dtype.type(0))
    return empty_matrix(like.dtype.type(0), (columns + width - 1) // width, depth * width)


@jit(forceinline=True)
def _spot(b: int, h: int, group: int, start: int, count: int, keys: int, causal: bool) -> Spot:
    return b, h, h // group, start, count, min(keys, start + count) if causal else keys


@jit(forceinline=True)
def _matrix(like: Array, entry: Array, b: int, h: int, rows: int, columns: int) -> Array:
    return matrix_at(like.dtype.type(0), entry[0] + b * entry[1] + h * entry[2], rows, columns, entry[3])


@jit(forceinline=True)
def _row(like: float, entry: Array, spot: Spot, head: int, i: int, count: int) -> Array:
    return row_at(like, entry[0] + spot[0] * entry[1] + head * entry[2] + (spot[3] + i) * entry[3], count)


@jit(forceinline=True)
def _pack_panels(entry: Array, b: int, h: int, panels: Array, rows: int, columns: int) -> None:
    start, like = entry[0] + b * entry[1] + h * entry[2], panels.dtype.type(0)
    fill_panels(like, start, entry[3], True, columns, rows, address(panels), panels.strides[0])


@jit
def _score(table: Array, spot: Spot, scale: float, panels: Array, left: Array, scores: Array) -> None:
    like, count, seen = left.dtype.type(0), spot[4], spot[5]
    for i in range(count):
        scaled(_row(like, table[QUERY], spot, spot[1], i, left.shape[1]), scale, left[i])
    _times_panels(address(left), left.strides[0], panels, spot, scores)
    for i in range(count):
        row = scores[i, :seen]
        if table[BIAS, 0]:
            add_row(_row(like, table[BIAS], spot, spot[1], i, seen), row)
        if table[MASK, 0]:
            masked(_row(np.uint8(0), table[MASK], spot, spot[1], i, seen), row)


@jit(inline="always")
def _seen(scores: Array, spot: Spot, causal: bool, i: int) -> Array:
    """The scores of query i of a block for the keys that it may see; those behind become zeros, weights of nothing."""
    end = min(spot[3] + i + 1, spot[5]) if causal else spot[5]
    scores[i, end : spot[5]] = 0
    return scores[i, :end]


@jit
def _drop_some(table: Array, spot: Spot, keep_scale: float, weights: Array, to: Array) -> None:
    for i in range(spot[4]):
        keep = _row(np.uint8(0), table[KEEP], spot, spot[1], i, spot[5])
        drop(weights[i, : spot[5]], keep, keep_scale, to[i, : spot[5]])


@jit
def _scores_backward(
    table: Array, spot: Spot, value_width: int, keep_scale: float, scores: Array, grads: Array
) -> None:
    """Writes the gradients of scores over the weights, from those of dropped weights; adds them to the bias's."""
    like = scores.dtype.type(0)
    if table[KEEP, 0]:
        _drop_some(table, spot, keep_scale, grads, grads)
    for i in range(spot[4]):
        row, grad = scores[i, : spot[5]], _row(like, table[GRAD], spot, spot[1], i, value_width)
        weights_backward(
            row, grads[i, : spot[5]], row_dot(grad, _row(like, table[OUTPUT], spot, spot[1], i, value_width))
        )
        if table[GRAD_BIAS, 0]:
            add_row(row, _row(like, table[GRAD_BIAS], spot, spot[1], i, spot[5]))


@jit
def _add_grad_value(
    table: Array, spot: Spot, keep_scale: float, weights: Array, dropped: Array, grad: Array, keys: int
) -> None:
    if not table[GRAD_VALUE, 0]:
        return
    to = _matrix(weights, table[GRAD_VALUE], spot[0], spot[2], keys, grad.shape[1])
    if table[KEEP, 0]:
        _drop_some(table, spot, keep_scale, weights, dropped)
        _add_across(dropped, spot, grad, to)
    else:
        _add_across(weights, spot, grad, to)


@jit
def _add_grad_inputs(
    table: Array, spot: Spot, scale: float, grads: Array, left: Array, queries: int, keys: int
) -> None:
    width = left.shape[1]
    if table[GRAD_KEY, 0]:
        _add_across(grads, spot, left, _matrix(left, table[GRAD_KEY], spot[0], spot[2], keys, width))
    if table[GRAD_QUERY, 0]:
        key = _matrix(left, table[KEY], spot[0], spot[2], keys, width)
        _times(grads, spot, key, _matrix(left, table[GRAD_QUERY], spot[0], spot[1], queries, width))
        for i in range(spot[4]):
            row = _row(left.dtype.type(0), table[GRAD_QUERY], spot, spot[1], i, width)
            scaled(row, scale, row)


@jit(forceinline=True)
def _times(block: Array, spot: Spot, right: Array, to: Array) -> None:
    like, at, there = block.dtype.type(0), address(block), address(to) + spot[3] * to.strides[0]
    row, size, width = block.strides[0], block.itemsize, right.shape[1]
    b = address(right), right.strides[0]
    _multiply(like, at, row, size, b[0], b[1], panel_bytes(), there, to.strides[0], spot[4], spot[5], width, False)


@jit(forceinline=True)
def _times_panels(left: int, left_row: int, panels: Array, spot: Spot, to: Array) -> None:
    like, b, depth = to.dtype.type(0), address(panels), panels.shape[1] // panel_width(to.dtype.type(0))
    if not depth:
        to[:] = 0
        return
    row, panel, size = panel_bytes(), panels.strides[0], to.itemsize
    _multiply(like, left, left_row, size, b, row, panel, address(to), to.strides[0], spot[4], depth, spot[5], False)


@jit(forceinline=True)
def _add_across(block: Array, spot: Spot, right: Array, to: Array) -> None:
    """to + block^T right, over a block's queries."""
    like, row, size, width = block.dtype.type(0), block.strides[0], block.itemsize, right.shape[1]
    at, b, there = address(block), address(right), address(to)
    _multiply(
        like, at, size, row, b, right.strides[0], panel_bytes(), there, to.strides[0], spot[5], spot[4], width, True
    )


@jit
def _multiply(
    like: float, a: int, a_row: int, a_col: int, b: int, b_row: int, b_panel: int, c: int, c_row: int, rows: int,
    depth: int, columns: int, add: bool,
) -> None:  # fmt: skip
    """`multiply_at`, compiled once for all of its calls here."""
    multiply_at(like, a, a_row, a_col, b, b_row, b_panel, c, c_row, rows, depth, columns, add)


@jit
def soften(row: Array) -> float:
    """Turns scores into weights and returns log(sum(exp(scores))); zeros, and inf, where all scores are -inf."""
    low, top = range_of(row)
    if top == -math.inf:
        row[:] = 0
        return math.inf
    exponentials(row, low, top, row)
    total = plain_sum(row)
    scale(row, row.dtype.type(1 / total), row)
    return top + math.log(total)


@jit
def weigh(row: Array, logsumexp: float) -> None:
    """Turns scores into weights by the logarithm of their sum of exponentials, which `soften` returned."""
    for x in range(row.size):
        row[x] = exp(row[x] - logsumexp)


@jit
def weights_backward(weights: Array, grads: Array, mean: float) -> None:
    for x in range(weights.size):
        weights[x] *= grads[x] - mean


@jit(fastmath=REORDER)
def row_dot(a: Array, b: Array) -> float:
    total = a.dtype.type(0)
    for x in range(a.size):
        total += a[x] * b[x]
    return total


@jit
def scaled(row: Array, scale: float, to: Array) -> None:
    factor = row.dtype.type(scale)
    for x in range(row.size):
        to[x] = row[x] * factor


@jit
def add_row(row: Array, to: Array) -> None:
    for x in range(to.size):
        to[x] += row[x]


@jit
def masked(mask: Array, row: Array) -> None:
    low = row.dtype.type(-math.inf)
    for x in range(row.size):
        row[x] = row[x] if mask[x] else low


@jit
def drop(row: Array, keep: Array, scale: float, to: Array) -> None:
    factor, nothing = row.dtype.type(scale), row.dtype.type(0)
    for x in range(row.size):
        to[x] = row[x] * factor if keep[x] else nothing
