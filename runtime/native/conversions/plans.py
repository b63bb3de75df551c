"""Which kernels native code converts with, found by pairs of kinds, and the plan of an op that converts."""

from __future__ import annotations

import functools
from collections import Counter
from typing import Any

import numpy as np

from ...kernels.compile.row_entries import SUFFIX
from ...kernels.cpu.dtypes import conversions as kernels
from ...kernels.llvm.native_code.element_kinds import BOOL, INT8, INT16, KINDS, UINT8
from ...pool.calls import kernel_address
from ..interned import PAIRS, Converting, converting_slots
from ..plans import array_of, memory, record_plan, resolver
from .convert import ConversionPlan

WORTH = 8  # conversions of a pair that NumPy does before a kernel is worth its loading
_query_counts: Counter[int] = Counter()


def kernel_of(number: int) -> int:
    """The address of the kernel for a pair of kinds, 0 where it has not been asked for often enough; and behind all
    pairs of its entry for rows."""
    in_rows, pair = divmod(number, PAIRS)
    _query_counts[pair] += 1
    if _query_counts[pair] <= WORTH:
        return 0
    kind, to = divmod(pair, KINDS)
    short = kernels.shortened if to in (INT8, INT16, UINT8) else kernels.converted
    return kernel_address(kernels.truth if to == BOOL else short, [array_of(kind), array_of(to)], SUFFIX * in_rows)


@functools.cache
def let_convert() -> None:
    kernel_slots = converting_slots[Converting.word("kernels") :]
    Converting.put(converting_slots, "resolver", resolver(kernel_slots, kernel_of))


def conversion_plan(op: Any) -> np.ndarray:
    let_convert()
    return ConversionPlan.pack(node=memory(record_plan(op.node, op.operands, False)))
