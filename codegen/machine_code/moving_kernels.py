"""The kernels that move elements, scans, products of matrices and random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import ml_dtypes
import numpy as np

from specgrad.runtime.kernels.cuda import draws, scan_states, scans
from specgrad.runtime.kernels.cuda.gemm import gemm_kernel
from specgrad.runtime.kernels.cuda.kernel import Array, Kernel, Signature
from specgrad.runtime.kernels.cuda.moving import collecting, places, searching, taking, windows
from specgrad.runtime.kernels.cuda.moving.logarithms import complex_logarithm_kernel

from .known import Known

Named = tuple[str, Kernel, Signature]
U = np.dtype(np.uint32)
I32, I64, U64 = (np.dtype(t) for t in (np.int32, np.int64, np.uint64))
F32, F64 = np.dtype(np.float32), np.dtype(np.float64)
BOOL = np.dtype(np.bool_)
HALF, COMPLEX = np.dtype(ml_dtypes.bfloat16), np.dtype(np.complex128)
INDEX_TYPE, ROWS = Array(I64), Array(I32)
NOTE = (Array(I64), I64, I64)
SIZES = ((U,) * 3,) * 2
STORED = {"float32": (F32, F32), "bfloat16": (HALF, F32), "int64": (I64, I64), "complex128": (COMPLEX, COMPLEX)}


def moving_kernels() -> Iterator[Known]:
    """All of them; what draws is carried, and what moves elements of the dtypes in which networks are trained."""
    for label, kernel, signature in movers():
        yield Known(label, kernel, signature, COMPLEX.name not in label)
    for label, kernel, signature in products():
        yield Known(label, kernel, signature)
    for label, kernel, signature in drawing():
        yield Known(label, kernel, signature, True)


def movers() -> Iterator[Named]:
    for name, (stored, computed) in STORED.items():
        for what, kernel, signature in (*moves(Array(stored), computed), *joins(Array(stored), computed)):
            yield f"{what} {name}", kernel, signature
    yield "complex logarithms", complex_logarithm_kernel(COMPLEX), (Array(COMPLEX), Array(COMPLEX), U, U, U)
    yield "offsets", places.OFFSETS, (ROWS, (U,) * 3, SIZES, U, U)
    for wraps, out in product((True, False), (ROWS, INDEX_TYPE)):
        name = f"rows{'' if wraps else ' from the front'}{'' if out == ROWS else ' kept'}"
        yield name, taking.row_numbers(wraps), (INDEX_TYPE, (), out, *NOTE, (U,) * 3, SIZES, U)
    yield "rows of two", taking.row_numbers(True), (INDEX_TYPE, ROWS, ROWS, *NOTE, (U,) * 3, SIZES, U)
    yield "chosen", searching.CHOSEN, (INDEX_TYPE, INDEX_TYPE, SIZES, U, U)
    yield "ordered", searching.ORDER, (Array(BOOL), INDEX_TYPE, INDEX_TYPE, U)
    yield "bisected", searching.bisecting(F64, True), (Array(F32), Array(F32), INDEX_TYPE, INDEX_TYPE, U, U, U, U, U)
    yield "matched", searching.matching(F64), (Array(F32), Array(F32), Array(BOOL), U, BOOL, U)
    yield "flattened", taking.FLATTENED, (ROWS, ROWS, U, U, U, U)


def moves(x: Array, computed: np.dtype) -> Iterator[Named]:
    yield "flipped", places.flip_kernel(computed), (x, x, ((U,) * 4,) * 3, SIZES, U)
    for name, upper in {"triangle": True, "lower triangle": False}.items():
        yield name, places.triangles(computed, upper), (x, x, U, U, I32, U)
    outs = {"": x, " converted": Array(computed)}
    for wraps, index, (name, out) in product((True, False), (INDEX_TYPE, ROWS), outs.items()):
        if name == "" or out != x:
            label = f"taken{name}{'' if wraps else ' from the front'}{'' if index == INDEX_TYPE else ' by rows'}"
            yield label, taking.taking(computed, wraps), (x, index, out, *NOTE, U, ((U,) * 3,) * 2, SIZES, U)
    for function in (windows.im2col, windows.col2im):
        kernel = windows.window_kernel(function, computed)
        yield function.__name__, kernel, (x, x, (U, U), (U,) * 5, (U,) * 5, U)
    yield "overlapped", windows.window_kernel(windows.overlapped, computed), (x, x, U, U, (U,) * 3, U)


def joins(x: Array, computed: np.dtype) -> Iterator[Named]:
    for name in collecting.OF_COMPLEX if computed.kind == "c" else collecting.JOINS:
        steps = ((U,) * 3,) * 2
        looking = collecting.collecting(collecting.looking, name, computed)
        yield f"looking {name}", looking, (x, ROWS, x, x, (U,) * 3, steps, computed, U, U)
        result = collecting.collecting(collecting.found, name, computed)
        yield f"found {name}", result, (x, ROWS, ROWS, x, x, (U,) * 3, (U,) * 3, computed, U, U)
    for name in scan_states.STATES if computed.kind == "f" else scan_states.OF_INTEGERS:
        yield from phases(name, x, BOOL if name == "count" else computed)


def phases(name: str, x: Array, computed: np.dtype) -> Iterator[Named]:
    totals = tuple(Array(np.dtype(kind)) for kind in scan_states.types_of(name, computed))
    sources = (x,) * (1 + (name == "recurrence"))
    results = (INDEX_TYPE,) if name == "count" else (x, INDEX_TYPE)[: 1 + (name in ("maximum", "minimum"))]
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
    """Random numbers, in all floats that they are stored as."""
    int_types = (I64, U64, U64)
    for stored in (np.dtype(np.float16), HALF, F32, F64):
        width, chosen = (8, F64) if stored == F64 else (4, F32)
        limits: Any = (chosen,) * 3 if width == 8 else (*(chosen,) * 3, I32)
        for name, kernels, numbers in (
            ("uniform", draws.UNIFORM, limits),
            ("normal", draws.NORMAL, (chosen,) * 2),
            ("exponential", draws.EXPONENTIAL, (chosen,)),
        ):
            yield f"{name} {stored}", kernels[width], (Array(stored), *int_types, numbers)
    for stored in (F32, I64):
        yield f"integers {stored}", draws.INTEGERS, (Array(stored), *int_types, (I64, U64))
    for stored in (BOOL, F32):
        yield f"trials {stored}", draws.TRIALS, (Array(stored), *int_types, (F64,))
        yield f"survivors {stored}", draws.SURVIVORS, (Array(stored), *int_types, (U,))
    yield "int_types", draws.RANDOM_BITS, (Array(U64), *int_types, ())
    yield "poisson counts", draws.POISSON, (Array(F64), *int_types, Array(F64))
    yield "binomial counts", draws.BINOMIAL, (Array(F64), *int_types, Array(F64), Array(F64))
    yield "log gamma numbers", draws.LOG_GAMMA, (Array(F64), *int_types, Array(F64))
