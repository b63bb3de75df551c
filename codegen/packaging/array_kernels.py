"""The kernels that move, sort and multiply elements or draw numbers, and those over several arrays of optimizers."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

from specgrad.runtime.kernels.cuda import (
    bitonic_sort,
    gather,
    index_maps,
    radix_sort,
    random,
    scans,
    scatter,
    search,
    selection,
)
from specgrad.runtime.kernels.cuda import counting as cuda_counting
from specgrad.runtime.kernels.cuda.gemm import gemm_kernel
from specgrad.runtime.kernels.cuda.kernel import Array, Kernel, Signature
from specgrad.runtime.kernels.cuda.logcumsumexp import complex_logarithm_kernel
from specgrad.runtime.kernels.cuda.multi_tensor import FOLDS, Change, changing, counting, folding
from specgrad.runtime.kernels.cuda.sort_keys import key_dtype
from specgrad.runtime.kernels.cuda.storage import in_registers
from specgrad.runtime.kernels.cuda_launch import multi_tensor
from specgrad.runtime.ops.optim import cuda as optim

from .known_kernels import Known, dtype_of, launched

Named = tuple[str, Kernel, Signature]
U = np.dtype(np.uint32)
I32, I64, U64 = (np.dtype(t) for t in (np.int32, np.int64, np.uint64))
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
BOOL = np.dtype(np.bool_)
HALF, COMPLEX = np.dtype(ml_dtypes.bfloat16), np.dtype(np.complex128)
INT64_ARRAY, INT32_ARRAY = Array(I64), Array(I32)
NOTE = (Array(I64), I64, I64)
SIZES = ((U,) * 3,) * 2
STORED = {"float32": (F32, F32), "bfloat16": (HALF, F32), "int64": (I64, I64), "complex128": (COMPLEX, COMPLEX)}


def moving_kernels() -> Iterator[Known]:
    yield from (Known(*each, COMPLEX.name not in each[0]) for each in movers())
    yield from (Known(*each) for each in products())
    yield from (Known(*each, True) for each in drawing())


def movers() -> Iterator[Named]:
    for name, (stored, computed) in STORED.items():
        for what, kernel, signature in (*moves(Array(stored), computed), *joins(Array(stored), computed)):
            yield f"{what} {name}", kernel, signature
    yield "complex logarithms", complex_logarithm_kernel(COMPLEX), (Array(COMPLEX), Array(COMPLEX), U, U, U)
    yield "offsets", index_maps.OFFSETS, (INT32_ARRAY, (U,) * 3, SIZES, U, U)
    for wraps, out in product((True, False), (INT32_ARRAY, INT64_ARRAY)):
        name = f"rows{'' if wraps else ' from the front'}{'' if out == INT32_ARRAY else ' kept'}"
        yield name, gather.row_numbers(wraps), (INT64_ARRAY, (), out, *NOTE, (U,) * 3, SIZES, U)
    yield "rows of two", gather.row_numbers(True), (INT64_ARRAY, INT32_ARRAY, INT32_ARRAY, *NOTE, (U,) * 3, SIZES, U)
    yield "chosen", search.CHOSEN, (INT64_ARRAY, INT64_ARRAY, SIZES, U, U)
    yield "ordered", search.ORDER, (Array(BOOL), INT64_ARRAY, INT64_ARRAY, U)
    yield "bisected", search.bisecting(F64, True), (Array(F32), Array(F32), INT64_ARRAY, INT64_ARRAY, U, U, U, U, U)
    yield "matched", search.matching(F64), (Array(F32), Array(F32), Array(BOOL), U, BOOL, U)
    yield "flattened", gather.FLATTENED, (INT32_ARRAY, INT32_ARRAY, U, U, U, U)


def moves(x: Array, computed: np.dtype) -> Iterator[Named]:
    yield "flipped", index_maps.flip_kernel(computed), (x, x, ((U,) * 4,) * 3, SIZES, U)
    for name, upper in {"triangle": True, "lower triangle": False}.items():
        yield name, index_maps.triangles(computed, upper), (x, x, U, U, I32, U)
    outs = {"": x, " converted": Array(computed)}
    for wraps, index, (name, out) in product((True, False), (INT64_ARRAY, INT32_ARRAY), outs.items()):
        if name == "" or out != x:
            label = f"taken{name}{'' if wraps else ' from the front'}{'' if index == INT64_ARRAY else ' by rows'}"
            yield label, gather.taking(computed, wraps), (x, index, out, *NOTE, U, ((U,) * 3,) * 2, SIZES, U)
    for function in (index_maps.im2col, index_maps.col2im):
        kernel = index_maps.window_kernel(function, computed)
        yield function.__name__, kernel, (x, x, (U, U), (U,) * 5, (U,) * 5, U)
    yield "overlapped", index_maps.window_kernel(index_maps.overlapped, computed), (x, x, U, U, (U,) * 3, U)


def joins(x: Array, computed: np.dtype) -> Iterator[Named]:
    for name in scatter.OF_COMPLEX if computed.kind == "c" else scatter.JOINS:
        steps = ((U,) * 3,) * 2
        looking = scatter.collecting(scatter.looking, name, computed)
        yield f"looking {name}", looking, (x, INT32_ARRAY, x, x, (U,) * 3, steps, computed, U, U)
        result = scatter.collecting(scatter.found, name, computed)
        yield f"found {name}", result, (x, INT32_ARRAY, INT32_ARRAY, x, x, (U,) * 3, (U,) * 3, computed, U, U)
    for name in scans.STATES if computed.kind == "f" else scans.OF_INTEGERS:
        yield from phases(name, x, BOOL if name == "count" else computed)


def phases(name: str, x: Array, computed: np.dtype) -> Iterator[Named]:
    totals = tuple(Array(np.dtype(kind)) for kind in scans.types_of(name, computed))
    sources = (x,) * (1 + (name == "recurrence"))
    has_index = scans.STATES[name].write is scans.write_placed
    results = (INT64_ARRAY,) if name == "count" else (x, INT64_ARRAY)[: 1 + has_index]
    layout, parts = (U,) * 3, (U, U)
    for phase, signature in {
        "full": (sources, results, (), *layout, *parts),
        "between": (totals, totals, (), *layout, *parts),
        "after": (sources, results, totals, *layout, *parts),
    }.items():
        yield f"{name} {phase}", scans.scanning(scans.by_block, name, computed, phase), signature
    yield f"{name} alone", scans.scanning(scans.by_thread, name, computed), (sources, results, *layout, U)
    yield f"{name} of a part", scans.scanning(scans.by_part, name, computed), (sources, totals, *layout, *parts)


def products() -> Iterator[Named]:
    long = (I64,) * 3
    for name, (stored, computed) in (STORED | {"float64": (F64, F64), "int32": (I32, I32)}).items():
        signature = (*[Array(stored)] * 3, long, long, long, long, computed, computed)
        yield f"product {name}", gemm_kernel(computed), signature


def drawing() -> Iterator[Named]:
    int_types = (I64, U64, U64)
    for stored in (np.dtype(np.float16), HALF, F32, F64):
        width, chosen = (8, F64) if stored == F64 else (4, F32)
        limits: Any = (chosen,) * 3 if width == 8 else (*(chosen,) * 3, I32)
        for name, kernels, numbers in (
            ("uniform", random.UNIFORM, limits),
            ("normal", random.NORMAL, (chosen,) * 2),
            ("exponential", random.EXPONENTIAL, (chosen,)),
        ):
            yield f"{name} {stored}", kernels[width], (Array(stored), *int_types, numbers)
    for stored in (F32, I64):
        yield f"integers {stored}", random.INTEGERS, (Array(stored), *int_types, (I64, U64))
    for stored in (BOOL, F32):
        yield f"trials {stored}", random.TRIALS, (Array(stored), *int_types, (F64,))
        yield f"survivors {stored}", random.SURVIVORS, (Array(stored), *int_types, (U,))
    yield "int_types", random.RANDOM_BITS, (Array(U64), *int_types, ())
    yield "poisson counts", random.POISSON, (Array(F64), *int_types, Array(F64))
    yield "binomial counts", random.BINOMIAL, (Array(F64), *int_types, Array(F64), Array(F64))
    yield "log gamma numbers", random.LOG_GAMMA, (Array(F64), *int_types, Array(F64))


MAKERS = ("changing", "counting", "folding")
OF_RULE = "/"  # between the name of a rule and the number of its arrays


def multi_tensor_kernels() -> Iterator[Known]:
    for maker in MAKERS:
        for line, (name, stored, *rest), signature in launched(maker):
            kernel = kernel_of(name, dtype_of(stored), *rest)
            if kernel is not None:
                yield Known(line, kernel, signature, dtype_of(stored) != F64)


def kernel_of(name: str, stored: np.dtype, optional_flags: str = "", counts: str | None = None) -> Kernel | None:
    if not optional_flags:
        return folding(name, stored) if name in FOLDS else None
    change = change_named(name)
    there = tuple(each == "1" for each in optional_flags)
    if change is None or counts is None:
        return change and changing(change, stored, there)
    return counting(change, stored, there, tuple(dtype_of(each) for each in counts.split(",") if each))


def change_named(name: str) -> Change | None:
    rule, _, arrays = name.partition(OF_RULE)
    if not arrays:
        return _named().get(name)
    return optim.change_of(rule, int(arrays)) if hasattr(optim.rules, rule) else None


def _named() -> dict[str, Change]:
    result = vars(multi_tensor) | vars(optim)
    return {name: value for name, value in result.items() if isinstance(value, Change)}


class Changes:
    """The words of kernels over several arrays, for which it is told by which name a change was asked for."""

    def __init__(self) -> None:
        self.names = {change: name for name, change in _named().items()}

    def noting(self, change_of: Any) -> Any:
        def noted(rule: str, arrays: int) -> Change:
            change: Change = change_of(rule, arrays)
            self.names[change] = f"{rule}{OF_RULE}{arrays}"
            return change

        return noted

    def of_groups(self, change: Change, stored: np.dtype, optional_flags: tuple[bool, ...]) -> str:
        return f"changing {self.names[change]} {stored.name} {''.join(str(int(there)) for there in optional_flags)}"

    def of_counted(
        self, change: Change, stored: np.dtype, optional_flags: tuple[bool, ...], counts: tuple[np.dtype, ...]
    ) -> str:
        value = self.of_groups(change, stored, optional_flags).replace("changing", "counting")
        return f"{value} {''.join(f'{kind.name},' for kind in counts) or ','}"

    def of_fold(self, name: str, stored: np.dtype) -> str:
        return f"folding {name} {stored.name}"


FLOATS = [np.dtype(t) for t in (np.float16, ml_dtypes.bfloat16, np.float32, np.float64)]
INTEGER_DTYPES = [np.dtype(t) for t in (np.bool_, np.uint8, np.int32, np.int64)]
KEYS = (Array(U), Array(U64))
LINES = (U, U, U)
ORDERS: dict[str, Any] = {"": (), " in an order": INT32_ARRAY}


def sorting_kernels() -> Iterator[Known]:
    for stored in (*FLOATS, *INTEGER_DTYPES, U64):  # the last are drawn, and sorted for a permutation
        floats = of_floats(Array(stored)) if stored in FLOATS[2:] else ()
        for label, kernel, signature in (*sorts(stored), *of_ranks(stored), *of_runs(stored), *floats):
            yield Known(f"{label} of {stored.name}", kernel, signature)
    yield from (Known(*each) for each in (*of_keys(), *index_kernels()))


def results_of(stored: np.dtype) -> dict[str, tuple[Array, ...]]:
    return {"values": (Array(in_registers(stored)), INT64_ARRAY), "indices": (INT64_ARRAY,)}


def sorts(stored: np.dtype) -> Iterator[Named]:
    x, key = Array(stored), key_dtype(stored)
    for slots, kernel in bitonic_sort.SORTED.items():
        for name, results in (results_of(stored) | {"order": (INT32_ARRAY,)}).items():
            for order, value in ORDERS.items() if name == "order" else [("", ())]:
                signature = (x, value, results, LINES, LINES, key, key, U, U)
                yield f"{name} sorted in {slots} slots{order}", kernel, signature
    for order, value in ORDERS.items():
        yield f"keys{order}", radix_sort.KEYED, (x, value, Array(key), U, U, key, U)


def of_ranks(stored: np.dtype) -> Iterator[Named]:
    x = Array(stored)
    for name, results in results_of(stored).items():
        yield f"{name} picked", selection.PICKED, (x, INT32_ARRAY, results, U, U, U, U, U)
        for kind in (INT32_ARRAY, INT64_ARRAY) if len(results) > 1 else ():
            signature = (x, INT32_ARRAY, kind, results, U, U, U)
            yield f"{name} picked at {kind.dtype.name}", selection.PICKED_AT, signature
    yield "middle ranks", selection.MEDIAN_RANKS, (x, INT32_ARRAY, INT32_ARRAY, U, U, BOOL, U)


def of_runs(stored: np.dtype) -> Iterator[Named]:
    x, values = Array(stored), Array(in_registers(stored))
    yield "begins", cuda_counting.BEGINS, (x, INT32_ARRAY, INT32_ARRAY, U, U, U)
    for order, value in ORDERS.items():
        yield f"differs{order}", cuda_counting.DIFFERS, (x, value, Array(BOOL), U, U, U)
        yield f"firsts{order}", cuda_counting.FIRSTS, (x, value, INT64_ARRAY, values, U, U, U, U)


def of_floats(x: Array) -> Iterator[Named]:
    arguments = {"even": (x.dtype,) * 3, "between": (x,)}
    for name, numbers in arguments.items():
        yield f"in block {name}", cuda_counting.IN_BLOCK[name], (x, INT64_ARRAY, numbers, U, U)
        yield f"at once {name}", cuda_counting.AT_ONCE[name], (x, INT64_ARRAY, numbers, U, U)
    yield "found between", cuda_counting.BIN_SEARCH["between"], (x, KEYS[0], (x,), U, U)
    yield "weights", cuda_counting.SUMMED, (KEYS[0], INT32_ARRAY, x, x, U)
    yield "put back", selection.PUT_BACK, (x, INT64_ARRAY, x, U, U, U, U)


def of_keys() -> Iterator[Named]:
    for keys in KEYS:
        name = keys.dtype.name
        yield f"digits of {name}", radix_sort.COUNTED, (keys, INT32_ARRAY, U, U, U, U)
        for order, value in ORDERS.items():
            for retained, new in {"": (), " kept": keys}.items():
                signature = (keys, value, INT32_ARRAY, new, INT32_ARRAY, U, U, U, U)
                yield f"placed by digits of {name}{retained}{order}", radix_sort.PLACED, signature


def index_kernels() -> Iterator[Named]:
    yield "lengths of runs", cuda_counting.LENGTHS, (INT32_ARRAY, INT32_ARRAY, U, U)
    yield "sizes of runs", cuda_counting.COUNTED, (INT64_ARRAY, INT64_ARRAY, U, U)
    for order, value in ORDERS.items():
        yield f"numbers of runs{order}", cuda_counting.NUMBERED, (value, INT64_ARRAY, INT64_ARRAY, INT64_ARRAY, U)
    for stored in INTEGER_DTYPES[1:]:
        signature = (Array(stored), INT64_ARRAY, (), U, U)
        yield f"in block whole of {stored.name}", cuda_counting.IN_BLOCK["integer"], signature
        yield f"at once whole of {stored.name}", cuda_counting.AT_ONCE["integer"], signature
