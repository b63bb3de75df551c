"""The kernels of sorts, ranks, runs and bins compile for all capabilities, within the registers of a thread."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

from specgrad.codegen.packaging.cubins import SHORT, read_table
from specgrad.runtime.kernels.cuda import bitonic_sort, counting, radix_sort, selection, sort_keys
from specgrad.runtime.kernels.cuda import counting as runs
from specgrad.runtime.kernels.cuda.compile import ptx, to_cubin
from specgrad.runtime.kernels.cuda.kernel import TARGETS, Kernel
from specgrad.runtime.kernels.cuda.signature import Array, Signature
from specgrad.runtime.kernels.cuda.storage import in_registers

U, I32, BOOL = np.dtype(np.uint32), np.dtype(np.int32), np.dtype(np.bool_)
INDEX_TYPE, ROWS = Array(np.dtype(np.int64)), Array(I32)
STORED = [np.dtype(t) for t in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64, np.int8, np.int64, np.bool_)]


def kernels() -> Iterator[tuple[str, Kernel, Signature]]:
    for stored in STORED:
        for what, kernel, signature in of_elements(stored):
            yield f"{what} {stored.name}", kernel, signature
    for kind in (sort_keys.UINT32, sort_keys.UINT64):
        row = Array(kind)
        yield f"counted {kind}", radix_sort.COUNTED, (row, ROWS, U, U, U, U)
        for order, last in ((ROWS, row), ((), row), (ROWS, ()), ((), ())):
            signature = (row, order, ROWS, last, ROWS, U, U, U, U)
            yield f"placed {kind} {bool(order)} {bool(last)}", radix_sort.PLACED, signature
    for order in ((), ROWS):
        yield f"numbered {bool(order)}", runs.NUMBERED, (order, INDEX_TYPE, INDEX_TYPE, INDEX_TYPE, U)
    yield "sizes", runs.COUNTED, (INDEX_TYPE, INDEX_TYPE, U, U)
    yield "lengths", runs.LENGTHS, (ROWS, ROWS, U, U)


def of_elements(stored: np.dtype) -> Iterator[tuple[str, Kernel, Signature]]:
    x, kind = Array(stored), sort_keys.key_dtype(stored)
    both = Array(in_registers(stored)), INDEX_TYPE
    for results in (both, both[1:], (ROWS,)):
        shown = ", ".join(part.dtype.name for part in results)
        for slots, kernel in bitonic_sort.SORTED.items():
            for order in ((), ROWS):
                signature = (x, order, results, (U,) * 3, (U,) * 3, kind, kind, U, U)
                yield f"sorted in {slots} to {shown} {bool(order)}", kernel, signature
    for results in (both, both[1:]):
        yield f"picked {len(results)}", selection.PICKED, (x, ROWS, results, U, U, U, U, U)
    yield "picked at", selection.PICKED_AT, (x, ROWS, ROWS, both, U, U, U)
    yield "put back", selection.PUT_BACK, (x, INDEX_TYPE, x, U, U, U, U)
    yield "middle", selection.MEDIAN_RANKS, (x, ROWS, ROWS, U, U, BOOL, U)
    for order in ((), ROWS):
        yield f"keyed {bool(order)}", radix_sort.KEYED, (x, order, Array(kind), U, U, kind, U)
        yield f"differs {bool(order)}", runs.DIFFERS, (x, order, Array(BOOL), U, U, U)
        yield f"firsts {bool(order)}", runs.FIRSTS, (x, order, INDEX_TYPE, both[0], U, U, U, U)
    yield from of_bins(x, in_registers(stored))
    yield "begins", runs.BEGINS, (x, ROWS, ROWS, U, U, U)


def of_bins(x: Array, computed: np.dtype) -> Iterator[tuple[str, Kernel, Signature]]:
    given = {"integer": (), "even": (computed,) * 3, "between": (Array(computed),)}
    for name, part in given.items():
        if (name == "integer") != (computed.kind == "f"):
            yield f"{name} in a block", counting.IN_BLOCK[name], (x, INDEX_TYPE, part, U, U)
            yield f"{name} at once", counting.AT_ONCE[name], (x, INDEX_TYPE, part, U, U)
    if computed.kind == "f":
        yield "bins", counting.BIN_SEARCH["between"], (x, Array(sort_keys.UINT32), given["between"], U, U)
        yield "weights", counting.SUMMED, (Array(sort_keys.UINT32), ROWS, x, Array(computed), U)


ALL = {label: (kernel, signature) for label, kernel, signature in kernels()}


# What a thread takes for each capability: `test_compile.py` holds that the table is that of today's texts.
KNOWN = {digest: reserved for reserved, digest in read_table().values()}


def reserved(kernel: Kernel, signature: Signature) -> list[str]:
    """The registers of a thread for each capability, and its stack where it has one: known, or found by compiling."""
    known = KNOWN.get(kernel.digest(signature)[:SHORT])
    if known is not None:
        return known.split(", ")
    text = ptx(kernel.make, signature)
    codes = [to_cubin(text, target) for target in TARGETS]
    return [f"{code.registers} + {code.stack}" if code.stack or code.spilled else f"{code.registers}" for code in codes]


@pytest.mark.parametrize("label", ALL)
def test_compiles_within_registers(label: str) -> None:
    """And without a stack."""
    found = reserved(*ALL[label])
    assert len(found) == len(TARGETS) and all(int(each) <= 64 for each in found)
