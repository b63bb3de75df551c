"""The kernels that sort, and that find ranks, runs and bins: of all dtypes that elements of lines have."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import ml_dtypes
import numpy as np

from specgrad.runtime.kernels.cuda.kernel import Array, Kernel, Signature
from specgrad.runtime.kernels.cuda.sorting import bins, radix, ranks, runs, short
from specgrad.runtime.kernels.cuda.sorting.keys import key_dtype
from specgrad.runtime.kernels.cuda.storage import in_registers

from .known import Known

Named = tuple[str, Kernel, Signature]
FLOATS = [np.dtype(t) for t in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)]
INTEGER_DTYPES = [np.dtype(t) for t in (np.bool_, np.uint8, np.int32, np.int64)]
U = np.dtype(np.uint32)
BOOL = np.dtype(np.bool_)
INT32_ARRAY, INT64_ARRAY, KEYS = (
    Array(np.dtype(np.int32)),
    Array(np.dtype(np.int64)),
    (Array(U), Array(np.dtype(np.uint64))),
)
SLOT_DTYPE = np.dtype(np.uint64)  # that are drawn, and sorted for a permutation
LINES = (U, U, U)
ORDERS: dict[str, Any] = {"": (), " in an order": INT32_ARRAY}


def sorting_kernels() -> Iterator[Known]:
    """All of them; none is carried."""
    for stored in (*FLOATS, *INTEGER_DTYPES, SLOT_DTYPE):
        for label, kernel, signature in (*sorts(stored), *of_ranks(stored), *of_runs(stored)):
            yield Known(f"{label} of {stored.name}", kernel, signature)
    for stored in FLOATS[2:]:
        for label, kernel, signature in of_floats(Array(stored)):
            yield Known(f"{label} of {stored.name}", kernel, signature)
    for label, kernel, signature in (*of_keys(), *index_kernels()):
        yield Known(label, kernel, signature)


def results_of(stored: np.dtype) -> dict[str, tuple[Array, ...]]:
    """What is written of sorted elements."""
    return {"values": (Array(in_registers(stored)), INT64_ARRAY), "indices": (INT64_ARRAY,)}


def sorts(stored: np.dtype) -> Iterator[Named]:
    """Lines in shared memory, and the keys of long ones."""
    x, key = Array(stored), key_dtype(stored)
    for slots, kernel in short.SORTED.items():
        for name, results in (results_of(stored) | {"order": (INT32_ARRAY,)}).items():
            for order, value in ORDERS.items() if name == "order" else [("", ())]:
                signature = (x, value, results, LINES, LINES, key, key, U, U)
                yield f"{name} sorted in {slots} slots{order}", kernel, signature
    for order, value in ORDERS.items():
        yield f"keys{order}", radix.KEYED, (x, value, Array(key), U, U, key, U)


def of_ranks(stored: np.dtype) -> Iterator[Named]:
    x = Array(stored)
    for name, results in results_of(stored).items():
        yield f"{name} picked", ranks.PICKED, (x, INT32_ARRAY, results, U, U, U, U, U)
        for kind in (INT32_ARRAY, INT64_ARRAY) if len(results) > 1 else ():
            signature = (x, INT32_ARRAY, kind, results, U, U, U)
            yield f"{name} picked at {kind.dtype.name}", ranks.PICKED_AT, signature
    yield "middle ranks", ranks.MEDIAN_RANKS, (x, INT32_ARRAY, INT32_ARRAY, U, U, BOOL, U)


def of_runs(stored: np.dtype) -> Iterator[Named]:
    x, values = Array(stored), Array(in_registers(stored))
    yield "begins", runs.BEGINS, (x, INT32_ARRAY, INT32_ARRAY, U, U, U)
    for order, value in ORDERS.items():
        yield f"differs{order}", runs.DIFFERS, (x, value, Array(BOOL), U, U, U)
        yield f"firsts{order}", runs.FIRSTS, (x, value, INT64_ARRAY, values, U, U, U, U)


def of_floats(x: Array) -> Iterator[Named]:
    """Bins of floats and their weights, and gradients that go back to where elements were."""
    arguments = {"even": (x.dtype,) * 3, "between": (x,)}
    for name, numbers in arguments.items():
        yield f"in block {name}", bins.IN_BLOCK[name], (x, INT64_ARRAY, numbers, U, U)
        yield f"at once {name}", bins.AT_ONCE[name], (x, INT64_ARRAY, numbers, U, U)
    yield "found between", bins.BIN_SEARCH["between"], (x, KEYS[0], (x,), U, U)
    yield "weights", bins.SUMMED, (KEYS[0], INT32_ARRAY, x, x, U)
    yield "put back", ranks.PUT_BACK, (x, INT64_ARRAY, x, U, U, U, U)


def of_keys() -> Iterator[Named]:
    for keys in KEYS:
        name = keys.dtype.name
        yield f"digits of {name}", radix.COUNTED, (keys, INT32_ARRAY, U, U, U, U)
        for order, value in ORDERS.items():
            for retained, new in {"": (), " kept": keys}.items():
                signature = (keys, value, INT32_ARRAY, new, INT32_ARRAY, U, U, U, U)
                yield f"placed by digits of {name}{retained}{order}", radix.PLACED, signature


def index_kernels() -> Iterator[Named]:
    """Kernels over places and whole numbers alone."""
    yield "lengths of runs", runs.LENGTHS, (INT32_ARRAY, INT32_ARRAY, U, U)
    yield "sizes of runs", runs.COUNTED, (INT64_ARRAY, INT64_ARRAY, U, U)
    for order, value in ORDERS.items():
        yield f"numbers of runs{order}", runs.NUMBERED, (value, INT64_ARRAY, INT64_ARRAY, INT64_ARRAY, U)
    for stored in INTEGER_DTYPES[1:]:
        yield f"in block whole of {stored.name}", bins.IN_BLOCK["integer"], (Array(stored), INT64_ARRAY, (), U, U)
        yield f"at once whole of {stored.name}", bins.AT_ONCE["integer"], (Array(stored), INT64_ARRAY, (), U, U)
