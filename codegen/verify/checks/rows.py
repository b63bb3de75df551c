"""Check 16: row programs. The CPU's loop and the kernels for CUDA give what the program means on NumPy.

The device's threads are simulated, in three orders.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from specgrad.runtime.cuda import driver
from specgrad.runtime.cuda.simulated import ORDERS, launches
from specgrad.runtime.kernels import row_words, scalar
from specgrad.runtime.kernels.cpu.folding import Folding
from specgrad.runtime.tensor.base import adopt
from specgrad.runtime.tensor.row_shapes import RowInput, row_shape

from ...rows.language import Program
from ...rows.numpy_meaning import outputs_of
from ...rows.passes import Lowered
from ..entries import spec_entry
from ..errors import error_message
from ..point import Point
from ..report import Report
from .reference import difference, values


def check_rows(point: Point, report: Report) -> None:
    entry = spec_entry(point.op)
    if entry is None or entry.rows is None:
        return
    report.checks += 1
    requested = meant(entry.rows, values(point, point.arrays))
    matches = [output.array for output in point.call([adopt(array) for array in point.arrays])]
    _compare(point, "the loop for the CPU", matches, requested, report)
    driver.simulate()
    for order in ORDERS:
        before, launches.THREADS.order = launches.THREADS.order, order
        try:
            on_device = point.call([adopt(array).to("cuda") for array in point.arrays])
            matches = [output.detach().cpu().array for output in on_device]
        except Exception as error:
            report.find(point.op, "rows", f"at {point}, threads in {order} order: {error_message(error)}")
            return
        finally:
            launches.THREADS.order = before
        _compare(point, f"the kernel for CUDA, threads in {order} order", matches, requested, report)


def meant(program: Program, arguments: dict[str, Any]) -> list[np.ndarray]:
    """The outputs of a program on NumPy, in the shapes that the op gives them."""
    args = [RowInput(p.array, np.asarray(arguments[p.array]), p.kind) for p in program.arrays]
    dim, keepdim = arguments.get("dim", -1), bool(arguments.get("keepdim", False))
    seen = row_shape(program.name, args, dim, keepdim)
    before, along, after = seen.folded

    def shaped(array: np.ndarray, kind: str) -> np.ndarray:
        if kind == "row":
            return seen.fold(array).transpose(0, 2, 1).reshape(before * after, along)
        return array.reshape(-1) if kind == "shared" else array.reshape(-1, 1)

    arrays = {p.name: shaped(each.array, p.kind) for p, each in zip(program.arrays, args, strict=True)}
    numbers = {p.name: arguments[p.name] for p in program.of_kind("number")}
    result = outputs_of(program, arrays | numbers, along, row_namespace())
    of_rows = Lowered(program).rows
    return [_back(np.asarray(value), seen, name in of_rows) for name, value in result.items()]


def _back(value: np.ndarray, seen: Folding, is_row: bool) -> np.ndarray:
    before, along, after = seen.folded
    if not is_row:
        return value.reshape(seen.result)
    return seen.unfold(np.ascontiguousarray(value.reshape(before, after, along).transpose(0, 2, 1)))


def row_namespace() -> dict[str, Any]:
    """The words of programs on NumPy: folds, and scalar functions of arrays."""
    scalars = {name: f for name, f in vars(scalar).items() if callable(f) and not name.startswith("_")}
    known = {name: getattr(np, name, None) or np.vectorize(f, otypes=[float]) for name, f in scalars.items()}
    own = {name: f for name, f in vars(row_words).items() if callable(f)}
    return known | own


def _compare(point: Point, what: str, result: list[np.ndarray], requested: list[np.ndarray], report: Report) -> None:
    for got, right in zip(result, requested, strict=True):
        if text := difference(got, right):
            report.find(point.op, "rows", f"at {point}, {what}: {text} of the program")
            return
