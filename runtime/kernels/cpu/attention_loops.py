"""The loops of attention over batch, heads and blocks of queries; attention.py says what is computed.

A block's scores are rows against all keys, or with `causal` against those up to the block's last query: they stay in
the second-level cache, and no matrix of all scores is made. Operands come as rows of a table, by their number: (address,
distance of batch items, of heads, of rows), in bytes, or zeros where there is none. `scores` is such a block, its rows
as far apart as there are keys.
"""

from __future__ import annotations

import math

import numpy as np

from ..jit import jit
from ..places import address, matrix_at, row_at
from ..scalar import exp
from ..tiles import panel_product, panel_width
from .ordering import greatest
from .product import fill_panels

Array = np.ndarray

_REORDER = {"reassoc"}  # sums may be spread over the lanes of a register, in an order fixed when compiling
QUERY, KEY, VALUE, OUTPUT, BIAS, MASK, KEEP, GRAD, GRAD_QUERY, GRAD_KEY, GRAD_VALUE, GRAD_BIAS = range(12)


@jit
def attend(table: Array, sizes: Array, numbers: Array, causal: bool, logsumexp: Array) -> None:
    """Forward, for `sizes` batch, heads, heads for each key head, queries, keys, features, value features, block."""
    batch, heads, group, queries, keys, width, value_width, block = sizes
    panels, scores, left = _buffers(numbers, keys, width, block)
    for b in range(batch):
        for h in range(heads):
            if h % group == 0:
                _across(numbers, table[KEY], b, h // group, keys, width, panels)
            for start in range(0, queries, block):
                count = min(block, queries - start)
                seen = min(keys, start + count) if causal else keys
                _score(table, numbers, (b, h, start, count, seen), panels, left, scores, keys)
                _soften(table, numbers, (b, h, start, count, seen), causal, scores, keys, logsumexp[b, h])
                at = _place(table[OUTPUT], b, h, start)
                _times(
                    numbers, scores, keys, count, seen, table[VALUE], b, h // group, value_width, at, table[OUTPUT, 3]
                )
                _divide(numbers, at, table[OUTPUT, 3], count, value_width, scores, keys)


@jit
def _buffers(numbers: Array, keys: int, width: int, block: int) -> tuple[Array, Array, Array]:
    """Panels for transposed keys, a block of scores with two numbers more for each row, and one of queries."""
    columns = panel_width(numbers.dtype.type(0))
    panels = np.empty(((keys + columns - 1) // columns, width * columns), numbers.dtype)
    return panels, np.empty(block * (keys + 2), numbers.dtype), np.empty((block, width), numbers.dtype)
