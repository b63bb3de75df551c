"""Launches over several groups of arrays: a table in the device's memory says where they lie. While parameters,
gradients and estimates stay where they are, it stays, and a step is its launches alone. A graph has tables of its
own."""

import os
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ...device.cuda.array import DeviceArray
from ...device.cuda.current import current_stream
from ...device.cuda.driver import chosen, driver
from ...device.cuda.graph_capture import here_on
from ...locks import new_lock
from ..cuda.multi_tensor import Change, changing, counting, folding
from ..cuda.storage import in_registers
from . import arrays as memory
from .launch import launch

MAX_TABLES = 64
THREADS, WARP = 256, 32
CHUNK, LONG_CHUNK = 1 << 12, 1 << 16  # elements of a block
LONG = 1 << 26  # elements in all from which a block has more of them
INT32, INT64, FLOAT64 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64)

Group = tuple[DeviceArray | None, ...]  # flat arrays of one size and dtype; None for one that the function goes without
Rows = tuple[tuple[int, ...], ...]


class Table:
    """Where groups lie: their rows, the places of the blocks, and for each row how many blocks have arrived."""

    def __init__(self, rows: Rows, device: Any) -> None:
        sizes = [row[0] for row in rows]
        self.chunk = LONG_CHUNK if sum(sizes) > LONG else CHUNK
        parts = [max(-(-size // self.chunk), 1) for size in sizes]
        self.blocks, largest = sum(parts), max(sizes)
        self.threads = THREADS if largest > THREADS else max(-(-largest // WARP), 1) * WARP
        positions = [np.arange(count, dtype=INT64) + (row << 32) for row, count in enumerate(parts)]
        arrived = np.zeros(-(-len(rows) // 2), INT64)
        slot_values = np.concatenate([np.array(rows, INT64).ravel(), *positions, arrived])
        self.slot_values = memory.constant(slot_values, device)
        ends = len(rows) * len(rows[0]), len(rows) * len(rows[0]) + self.blocks
        self.rows, self.positions = self.slot_values[: ends[0]], self.slot_values[ends[0] : ends[1]]
        self.arrived = self.slot_values[ends[1] :].view(INT32)


_tables: OrderedDict[Any, Table] = OrderedDict()  # by driver, device, stream and rows; those used last at the end
_finding = new_lock()


def table_of(rows: Rows, device: Any) -> Table:
    if here_on(device.index) is not None:
        return Table(rows, device)
    key = chosen(), device.index, current_stream(device.index), rows
    with _finding:
        cached = _tables.get(key)
        if cached is None:
            cached = _tables[key] = Table(rows, device)
            if len(_tables) > MAX_TABLES:
                _tables.popitem(last=False)
        _tables.move_to_end(key)
    return cached


def row_of(arrays: Sequence[DeviceArray | None], counts: Sequence[DeviceArray] = ()) -> tuple[int, ...]:
    there = [array for array in arrays if array is not None]
    return (there[0].size, *[array.address for array in there], *[each.address for each in counts])


def change(made: Change, groups: Sequence[Group], numbers: Sequence[float] = ()) -> None:
    groups = [group for group in groups if _size(group)]
    if not groups:
        return
    stored, has_tensors, device = _kind(groups[0])
    table = table_of(tuple([row_of(group) for group in groups]), device)
    kernel, number = changing(made, stored, has_tensors), in_registers(stored).type
    args = tuple([number(value) for value in numbers])
    launch(kernel, table.blocks, table.threads, table.rows, table.positions, args, np.uint32(table.chunk))


def change_and_count(
    made: Change,
    groups: Sequence[Group],
    counts: Sequence[tuple[DeviceArray, ...]],
    rate: float | DeviceArray,
    settings: Sequence[float],
) -> None:
    """By a launch that makes its numbers of `counts`, the steps of each group and more, of `rate` and settings."""
    stored, has_tensors, device = _kind(groups[0])
    rows = tuple([row_of(group, own) for group, own in zip(groups, counts, strict=True)])
    table = table_of(rows, device)
    kernel = counting(made, stored, has_tensors, tuple([each.stored for each in counts[0]]))
    args = (rate, tuple(map(float, settings)), np.uint32(table.chunk))
    launch(kernel, table.blocks, table.threads, table.rows, table.positions, table.arrived, *args)


def folded(name: str, arrays: Sequence[DeviceArray]) -> DeviceArray:
    stored, _, device = _kind((arrays[0],))
    table = table_of(tuple([row_of((array,)) for array in arrays]), device)
    totals = memory.empty((table.blocks,), FLOAT64, device)
    launch(
        folding(name, stored), table.blocks, table.threads, table.rows, table.positions, totals, np.uint32(table.chunk)
    )
    return totals


def reals(array: DeviceArray) -> DeviceArray:
    return array.view(f"f{array.itemsize // 2}") if array.dtype.kind == "c" else array


def by_kind(arrays: Iterable[DeviceArray]) -> list[list[DeviceArray]]:
    results: dict[Any, list[DeviceArray]] = {}
    for array in map(reals, arrays):
        results.setdefault((array.stored, array.device), []).append(array)
    return list(results.values())


def filled(values: Any, numbers: Any) -> Any:
    return (numbers[0],)


FILL = Change(lambda target: target.device(filled), (True,))


def fill_all(arrays: Iterable[DeviceArray], value: float) -> None:
    for same in by_kind(arrays):
        change(FILL, [(array,) for array in same], (value,))


def fits_index32(elements: int) -> bool:
    limit = driver().max_elements
    return limit is None or elements <= limit


def _size(group: Group) -> int:
    return next(array.size for array in group if array is not None)


def _kind(group: Group) -> tuple[np.dtype, tuple[bool, ...], Any]:
    first = next(array for array in group if array is not None)
    return first.stored, tuple([array is not None for array in group]), first.device


def _forget() -> None:
    """A child has no device; a function of this module, as the interpreter keeps what it calls beyond all modules."""
    _tables.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
