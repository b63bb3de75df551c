"""Kernels that move elements, and scans, compile to machine code for which the registers of a thread are enough."""

from __future__ import annotations

from collections.abc import Iterator

import ml_dtypes
import numpy as np
import pytest

from specgrad.runtime.kernels.cuda import scan_states, scans
from specgrad.runtime.kernels.cuda.compile import ptx, to_cubin
from specgrad.runtime.kernels.cuda.kernel import Kernel
from specgrad.runtime.kernels.cuda.moving import collecting, places, searching, taking, windows
from specgrad.runtime.kernels.cuda.moving.logarithms import complex_logarithm_kernel
from specgrad.runtime.kernels.cuda.signature import Array, Signature

U, I32, I64 = np.dtype(np.uint32), np.dtype(np.int32), np.dtype(np.int64)
F32, F64, BOOL = np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.bool_)
HALF, COMPLEX = np.dtype(ml_dtypes.bfloat16), np.dtype(np.complex128)
PLACES, ROWS = Array(I64), Array(I32)
NOTE = (Array(I64), I64, I64)
SIZES = ((U,) * 3,) * 2
STORED = {"float32": (F32, F32), "bfloat16": (HALF, F32), "int64": (I64, I64), "complex128": (COMPLEX, COMPLEX)}


def kernels() -> Iterator[tuple[str, Kernel, Signature]]:
    for name, (stored, computed) in STORED.items():
        for what, kernel, signature in (*moves(Array(stored), computed), *joins(Array(stored), computed)):
            yield f"{what} {name}", kernel, signature
    yield "complex logarithms", complex_logarithm_kernel(COMPLEX), (Array(COMPLEX), Array(COMPLEX), U, U, U)
    yield "offsets", places.OFFSETS, (ROWS, (U,) * 3, SIZES, U, U)
    yield "rows", taking.row_numbers(True), (PLACES, (), ROWS, *NOTE, (U,) * 3, SIZES, U)
    yield "rows of two", taking.row_numbers(True), (PLACES, ROWS, ROWS, *NOTE, (U,) * 3, SIZES, U)
    yield "chosen", searching.CHOSEN, (PLACES, PLACES, SIZES, U, U)
    yield "ordered", searching.ORDER, (Array(BOOL), PLACES, PLACES, U)
    yield "bisected", searching.bisecting(F64, True), (Array(F32), Array(F32), PLACES, PLACES, U, U, U, U, U)
    yield "matched", searching.matching(F64), (Array(F32), Array(F32), Array(BOOL), U, BOOL, U)
    yield "flattened", taking.FLATTENED, (ROWS, ROWS, U, U, U, U)


def moves(x: Array, computed: np.dtype) -> Iterator[tuple[str, Kernel, Signature]]:
    yield "turned", places.turning(computed), (x, x, ((U,) * 4,) * 3, SIZES, U)
    yield "triangle", places.triangles(computed, True), (x, x, U, U, I32, U)
    yield "taken", taking.taking(computed, True), (x, PLACES, x, *NOTE, U, ((U,) * 3,) * 2, SIZES, U)
    for function in (windows.im2col, windows.col2im):
        kernel = windows.window_kernel(function, computed)
        yield function.__name__, kernel, (x, x, (U, U), (U,) * 5, (U,) * 5, U)
    yield "overlapped", windows.window_kernel(windows.overlapped, computed), (x, x, U, U, (U,) * 3, U)


def joins(x: Array, computed: np.dtype) -> Iterator[tuple[str, Kernel, Signature]]:
    for name in collecting.JOINS if computed.kind != "c" else ("last", "sum", "mean"):
        steps = ((U,) * 3,) * 2
        looking = collecting.collecting(collecting.looking, name, computed)
        yield f"looking {name}", looking, (x, ROWS, x, x, (U,) * 3, steps, computed, U, U)
        found = collecting.collecting(collecting.found, name, computed)
        yield f"found {name}", found, (x, ROWS, ROWS, x, x, (U,) * 3, (U,) * 3, computed, U, U)
    for name in scan_states.STATES if computed.kind == "f" else ("sum", "product", "recurrence"):
        yield from phases(name, x, BOOL if name == "count" else computed)


def phases(name: str, x: Array, computed: np.dtype) -> Iterator[tuple[str, Kernel, Signature]]:
    totals = tuple(Array(np.dtype(kind)) for kind in scan_states.types_of(name, computed))
    sources = (x,) * (1 + (name == "recurrence"))
    results = (PLACES,) if name == "count" else (x, PLACES)[: 1 + (name in ("greatest", "least"))]
    layout, parts = (U,) * 3, (U, U)
    for phase, signature in {
        "whole": (sources, results, (), *layout, *parts),
        "between": (totals, totals, (), *layout, *parts),
        "after": (sources, results, totals, *layout, *parts),
    }.items():
        yield f"{name} {phase}", scans.scanning(scans.by_block, name, computed, phase), signature
    yield f"{name} alone", scans.scanning(scans.by_thread, name, computed), (sources, results, *layout, U)
    yield f"{name} of a part", scans.scanning(scans.by_part, name, computed), (sources, totals, *layout, *parts)


ALL = {label: (kernel, signature) for label, kernel, signature in kernels()}


@pytest.mark.parametrize("label", ALL)
def test_compiles_within_registers(label: str) -> None:
    kernel, signature = ALL[label]
    code = to_cubin(ptx(kernel.make, signature), (9, 0))
    assert (code.stack, code.spilled) == (0, 0) and code.registers <= 64
