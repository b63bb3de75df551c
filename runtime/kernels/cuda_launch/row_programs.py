"""Row programs on a device: which team has a row, how many launches there are, and what they are given. All of that
depends on sizes alone, so that the same numbers give the same bits."""

import importlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...device.cuda.array import DeviceArray
from ..cpu.reduce_layout import Folding
from ..cpu.row_shapes import Dim, Output, RowInput, output_shapes, row_shape, with_all_rows
from ..cpu.row_shapes import rows_of as rows_of_args
from ..cuda.row_programs import BLOCK_ELEMENTS, row_kernel, wide_of
from . import arrays as memory
from .arrays import in_order as in_order
from .launch import launch

WARP = 32  # lanes of a warp, and columns of a block
THREADS = 256  # of a block of several teams, and of one that has a part of a row
LONG_ROW_THREADS = 512  # threads of a block that has, of a long row, all or a part
MAX_LANES = LONG_ROW_THREADS // WARP  # of a column
HELD = LONG_ROW_THREADS * BLOCK_ELEMENTS  # elements of the longest row that a block has in registers
SPLIT = 1 << 14  # elements of a part, at least, where rows are split among blocks
ALONE = 1 << 11  # the same where no element waits for others
BLOCKS = 512  # that keep a device busy
INT32_ELEMENTS = 1 << 31  # elements of arrays whose places are 32 bits
MAX_ROW_ELEMENTS = (1 << 32) - (
    1 << 20
)  # rows, and elements of one: these are counted with 32 bits, in steps of a team's lanes
UINT32, UINT64 = np.uint32, np.uint64


class Rows(NamedTuple):
    """Where rows lie: a layout of kernels/cuda/row_programs.py, how many they are and of how many elements."""

    kind: str
    amount: int
    along: int
    layout: tuple[int, ...]


def run(
    name: str, module: str, args: Sequence[RowInput], numbers: Sequence[Any], outputs: Sequence[Output],
    dim: Dim, keepdim: bool, output_mask: Sequence[bool] = (),
) -> Any:  # fmt: skip
    args = with_all_rows(args)
    result = row_shape(name, args, dim, keepdim)
    totals = [k for k, output in enumerate(outputs) if output.kind == "shared"]
    if totals and result.folded[2] > 1:
        raise NotImplementedError(f"{name}(): sums over rows are of rows along the last dimensions")
    source = rows_of_args(args).array
    arrays = [as_rows(each.array, result) if each.kind == "row" else _one_row(each, source, result) for each in args]
    shapes = output_shapes(result, outputs, dim)
    shapes = [folded_shape(result) if o.kind == "row" else s for s, o in zip(shapes, outputs, strict=True)]
    made = [
        memory.empty(shape, np.dtype(o.dtype), source.device) if o.dtype else memory.result(source, shape)
        for shape, o in zip(shapes, outputs, strict=True)
    ]
    rows = rows_of(*result.folded)
    compute(module, rows, arrays, [array for k, array in enumerate(made) if k not in totals], numbers)
    if any(yes for k, yes in enumerate(output_mask or [True] * len(outputs)) if k in totals):
        columns = Rows("columns", rows.along, rows.amount, (rows.amount, rows.along))
        compute(f"{module}_sums", columns, arrays, [made[k] for k in totals], numbers)
    shaped = [unfolded(array, result) if o.kind == "row" else array for array, o in zip(made, outputs, strict=True)]
    if output_mask:
        return tuple([each if yes else None for each, yes in zip(shaped, output_mask, strict=True)])
    return shaped[0] if len(shaped) == 1 else tuple(shaped)


def _one_row(each: RowInput, source: DeviceArray, result: Folding) -> DeviceArray:
    if each.array is not None:
        return in_order(each.array)
    made = memory.scratch(source, (result.folded[1] if each.kind == "shared" else result.count,))
    memory.fill(made, each.default or 0)
    return made


def program(name: str) -> str:
    return f"{__name__.partition('.runtime.')[0]}.generated.kernels.programs.cuda_{name}"


def over(
    name: str, arrays: Sequence[DeviceArray], dim: Dim, *numbers: Any, keepdim: bool = False,
    outputs: Sequence[Output] = (Output("each"),),
) -> Any:  # fmt: skip
    args = [RowInput(f"argument {k}", array, "row") for k, array in enumerate(arrays, 1)]
    return run(name, program(name), args, numbers, outputs, dim, keepdim)


def rows_of(before: int, along: int, after: int) -> Rows:
    if after == 1:
        return Rows("rows", before, along, (along,))
    return Rows("columns", before * after, along, (along, after))


def as_rows(array: DeviceArray, result: Folding) -> DeviceArray:
    return in_order(transposed(array, result.order) if result.order else array)


def transposed(array: DeviceArray, order: Sequence[int]) -> DeviceArray:
    steps = array.byte_strides
    return array.with_strides(tuple(array.shape[d] for d in order), tuple(steps[d] for d in order))


def folded_shape(result: Folding) -> tuple[int, ...]:
    return tuple(result.shape[d] for d in result.order) if result.order else result.shape


def unfolded(array: DeviceArray, result: Folding) -> DeviceArray:
    if not result.order:
        return array
    back = sorted(range(len(result.order)), key=result.order.__getitem__)
    return memory.moved(transposed(array, back))


def compute(
    module: str, rows: Rows, arrays: Sequence[DeviceArray], made: Sequence[DeviceArray], numbers: Sequence[Any] = ()
) -> None:
    """Fill the outputs `made` from arrays in row order; `rows`: where the rows lie of those with all elements."""
    if not rows.amount:
        return
    if max(rows.amount, rows.along) > MAX_ROW_ELEMENTS:
        raise RuntimeError(
            f"expected at most {MAX_ROW_ELEMENTS} rows of at most {MAX_ROW_ELEMENTS} elements, but got {rows}"
        )
    flat = [array.ravel() for array in arrays], [array.ravel() for array in made]
    parts = parts_of(rows, SPLIT if importlib.import_module(module).PARTS else ALONE)
    if parts > 1:
        split(module, rows, *flat, numbers, parts)
        return
    name, thread_group, blocks, threads = thread_group_of(rows, arrays[0].dtype.itemsize)
    kernel = row_kernel(module, name, thread_group, rows.kind, arrays[0].dtype, needs_int64(rows))
    sizes = UINT32(rows.along), UINT32(rows.amount)
    launch(kernel, blocks, threads, *flat[0], *flat[1], *numbers, *sizes, layout_of(rows))


def needs_int64(rows: Rows) -> bool:
    return rows.amount * rows.along >= INT32_ELEMENTS


def layout_of(rows: Rows) -> tuple[Any, ...]:
    return tuple(map(UINT64 if needs_int64(rows) else UINT32, rows.layout))


def thread_group_of(rows: Rows, itemsize: int = 4) -> tuple[str, str, int, Any]:
    """The kernel for rows, and who works on one, with the launch's blocks and threads. Rows are in registers, of as few
    lanes as can have them, unless they are too long; elements of two registers take half as many."""
    count, along = rows.amount, rows.along
    if rows.kind == "columns":
        lanes = lanes_of_column(along)
        if lanes == 1:
            threads = threads_of(count)
            return "held", "thread", -(-count // threads), threads
        return "held" if along <= lanes * BLOCK_ELEMENTS else "full", "columns", -(-count // WARP), (WARP, lanes, 1)
    lanes = power_of_two(-(-along // BLOCK_ELEMENTS))
    if lanes <= WARP:
        thread_groups = threads_of(count * lanes) // lanes
        return "held", "warp", -(-count // thread_groups), (lanes, thread_groups, 1)
    return ("held", "block", count, lanes) if lanes <= held_by(itemsize) else ("full", "block", count, LONG_ROW_THREADS)


def threads_of(lanes: int) -> int:
    return min(THREADS, -(-lanes // WARP) * WARP)


def held_by(itemsize: int) -> int:
    """The most threads of a block that has a row in registers: there are 128 for each of 512."""
    return LONG_ROW_THREADS if itemsize <= 4 else LONG_ROW_THREADS // 2


def power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()


def lanes_of_column(along: int) -> int:
    return min(max(-(-along // BLOCK_ELEMENTS), 1), MAX_LANES)


def threads_of_part(along: int) -> int:
    return THREADS if along <= HELD else LONG_ROW_THREADS


def parts_of(rows: Rows, min_columns: int) -> int:
    """Among how many blocks a row is split, for parts of so many elements at least: several for few long rows."""
    columns = rows.kind == "columns"
    thread_groups = -(-rows.amount // WARP) if columns else rows.amount
    requested = min(BLOCKS // max(thread_groups, 1), rows.along // (min_columns // WARP if columns else min_columns))
    return max(requested, 1)


def split(
    module: str, rows: Rows, arrays: Sequence[DeviceArray], made: Sequence[DeviceArray], numbers: Sequence[Any],
    parts: int,
) -> None:  # fmt: skip
    computed, columns = arrays[0].dtype, rows.kind == "columns"
    thread_group = "columns" if columns else "block"
    thread_groups = -(-rows.amount // WARP) if columns else rows.amount
    threads = (WARP, lanes_of_column(rows.along), 1) if columns else threads_of_part(rows.along)
    sizes = (UINT32(rows.along), UINT32(rows.amount), UINT32(parts), UINT32(-(-rows.along // parts)))
    rest = (*numbers, *sizes, layout_of(rows))
    kinds = {"T": computed, "W": wide_of(computed), "int32": np.dtype(np.int32), "uint32": np.dtype(np.uint32)}
    known: list[DeviceArray] = []
    for number, held in enumerate(importlib.import_module(module).PARTS, 1):
        own = [memory.empty((rows.amount * parts,), kinds[kind], arrays[0].device) for _, kind in held]
        kernel = row_kernel(module, f"fold_{number}", thread_group, rows.kind, computed, needs_int64(rows))
        launch(kernel, thread_groups * parts, threads, *arrays, *known, *own, *rest)
        known += own
    kernel = row_kernel(module, "finish", thread_group, rows.kind, computed, needs_int64(rows))
    launch(kernel, thread_groups * parts, threads, *arrays, *known, *made, *rest)
