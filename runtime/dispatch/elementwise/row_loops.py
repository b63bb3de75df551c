"""Handing operands of any layout to the kernel of an element-wise op: flat arrays, rows of them, or copies."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...kernels.cpu.aligned import empty
from ...kernels.cpu.movement.copies import copied
from ...kernels.table import ElementKernels
from ...modes.overrides.classes import known
from ...pool.parallel_for import by_slices
from ...tensor.base import TensorBase, from_flat
from ...tensor.casting import cast, copy_cast
from ...tensor.devices import CPU
from ...tensor.dtypes import bool_
from ...tensor.layouts import relaid
from ...tensor.memory_format import Strides
from ...tensor.shapes import Shape
from .loop_nest import Rows, broadcast_rows, permuted_rows, rows
from .native_rows import has_rows, remember_rows

REAL = frozenset((int, float))
LONGEST_SAME = 1 << 16  # elements of a row that is the same for all: it is to stay in a cache
BLOCK = 1 << 17  # elements that are computed at a time where one number stands for all of an operand


def launch(
    kernels: ElementKernels,
    attribute: str,
    operands: Sequence[Any],
    read_dtypes: Sequence[Any],
    shape: Shape,
    numbers: Sequence[Any],
    outs: Sequence[np.ndarray],
) -> None:
    """Run a kernel over operands of any layout: at once where all are flat or numbers, else by rows, or on copies.

    `wanted` is the dtype in which the kernel reads each operand, None for as it is. Kernels are compiled for numbers
    and for rows in float32 and float64 only: operands of other dtypes are copied, which costs less than compiling more.
    """
    native = any(to is not None and to.char in "fd" for to in read_dtypes)
    args, layouts, flat = memories(operands, read_dtypes, shape) if native else ([], [], False)
    if flat:
        check_lengths(args, [outs[0].size] * len(args))
        by_slices(getattr(kernels, attribute), (*args, *numbers, *outs), outs[0].size)
        return
    if native and are_numbers_or_flat(layouts, shape):
        by_blocks(getattr(kernels, attribute), args, layouts, numbers, outs)
        return
    plan = rows(shape, tuple(layouts), len(numbers), len(outs)) if native else None
    if plan is None and native and by_strided_rows(kernels, attribute, args, layouts, shape, numbers, outs):
        return
    if plan is None:
        args = [flat_operand(value, to, shape) for value, to in zip(operands, read_dtypes, strict=True)]
        by_slices(getattr(kernels, attribute), (*args, *numbers, *outs), outs[0].size)
        return
    by_rows(kernels, attribute, args, numbers, outs, plan)


def launch_into(
    kernels: ElementKernels,
    attribute: str,
    operands: Sequence[Any],
    read_dtypes: Sequence[Any],
    shape: Shape,
    numbers: Sequence[Any],
    into: Any,
) -> bool:
    """Run a kernel that writes to a tensor of any layout; False where it has to write somewhere else first."""
    if into._flat is not None:
        launch(kernels, attribute, operands, read_dtypes, shape, numbers, (into._flat,))
        return True
    if not any(to is not None and to.char in "fd" for to in read_dtypes):
        return False
    value, layouts, _ = memories(operands, read_dtypes, shape)
    plan = rows(shape, tuple(layouts), len(numbers), 1, into._strides)
    if plan is None:
        return False
    memory = into._storage[into._offset :]
    check_lengths([memory], [plan.read_extent(len(plan.steps) - 1)])
    by_rows(kernels, attribute, value, numbers, (memory,), plan)
    return True


def are_numbers_or_flat(layouts: Sequence[Any], shape: Shape) -> bool:
    """Whether every operand is a number, a contiguous tensor, or one number that stands for all elements."""
    return all(layout is None or (layout[0] == shape and is_flat_or_one(layout[1])) for layout in layouts)


def is_flat_or_one(strides: Strides | None) -> bool:
    """Whether these are the usual strides, or all of them 0: the gradient of a sum has such."""
    return strides is None or not any(strides)


def by_blocks(
    kernel: Any, args: Sequence[Any], layouts: Sequence[Any], numbers: Sequence[Any], outs: Sequence[Any]
) -> None:
    """Run a kernel of flat arrays where some operands are one number for all elements: of these it reads the same array
    again and again, so that it need not be compiled for numbers in their place."""
    size = outs[0].size
    alone = [k for k, layout in enumerate(layouts) if layout is not None and layout[1] is not None]
    check_lengths(args, [min(1, size) if k in alone else size for k in range(len(args))])
    blocks = {k: np.full(min(size, BLOCK), args[k][:1]) for k in alone}
    for start in range(0, size, BLOCK):
        count = min(BLOCK, size - start)
        arrays = [blocks[k][:count] if k in blocks else part(value, start, count) for k, value in enumerate(args)]
        by_slices(kernel, (*arrays, *numbers, *[out[start : start + count] for out in outs]), count)


def part(value: Any, start: int, count: int) -> Any:
    """A range of an array; a number as it is."""
    return value[start : start + count] if isinstance(value, np.ndarray) else value


def by_rows(
    kernels: ElementKernels, attribute: str, args: list[Any], numbers: Sequence[Any], outs: Sequence[Any], plan: Any
) -> None:
    check_lengths(args, [plan.read_extent(k) for k in range(len(args))])
    for index in plan.repeated:
        args[index] = repeated_operand(args[index], plan, index)
    kernels.run_rows(attribute, (*args, *numbers, *outs), plan)


def repeated_operand(memory: np.ndarray, plan: Rows, index: int) -> Any:
    """One number for each row; one that is the same for all rows as a row of it, for which kernels are compiled anyway:
    the gradient of a sum is such a number."""
    same = plan.outer * plan.inner > 1 and not plan.steps[index].any()
    return np.full(plan.size, memory[0]) if same and plan.size <= LONGEST_SAME else (memory,)


def by_strided_rows(
    kernels: ElementKernels,
    attribute: str,
    args: Sequence[Any],
    layouts: Sequence[Any],
    shape: Shape,
    numbers: Sequence[Any],
    outs: Sequence[Any],
) -> bool:
    """Run a kernel row by row where one operand lies column by column; False where that is not so."""
    result = permuted_rows(tuple(shape), tuple(layouts), len(numbers), len(outs))
    if result is None:
        return False
    plan, position, stride = result
    needed = [plan.read_extent(k) for k in range(len(args))]
    needed[position] = plan.inner + (plan.size - 1) * stride
    check_lengths(args, needed)
    operands = [(value,) if k in plan.repeated else value for k, value in enumerate(args)]
    kernels.run_strided(attribute, (*operands, *numbers, *outs), plan, position, stride)
    return True


def memories(operands: Sequence[Any], read_dtypes: Sequence[Any], shape: Shape) -> tuple[list[Any], list[Any], bool]:
    """The memory of each operand and its layout, None for numbers; and whether all are flat arrays or numbers."""
    args: list[Any] = []
    layouts: list[Any] = []
    flat = True
    for value, to in zip(operands, read_dtypes):  # noqa: B905  (strict= costs as much as the body)
        if not isinstance(value, TensorBase):
            args.append(to.type(value))
            layouts.append(None)
            continue
        memory, strides = value._flat, value._strides
        if to is not None and value._dtype.np is not to:
            memory, strides = cast(value.array, to).reshape(-1), None
        elif memory is None:
            memory, flat = value._storage[value._offset :], False
        else:
            strides = None
        if not value._shape and shape:
            args.append(memory[0])
            layouts.append(None)
            continue
        if value._shape != shape:
            flat = False
        args.append(memory)
        layouts.append((value._shape, strides))
    return args, layouts, flat


def check_lengths(args: Sequence[Any], needed: Sequence[int]) -> None:
    """Whether each array is as long as its tensor's layout says: a kernel does not look where an array ends."""
    for memory, length in zip(args, needed, strict=True):
        if isinstance(memory, np.ndarray) and memory.size < length:
            raise RuntimeError(
                f"a tensor was given other memory (`.data`) by another thread while an op was reading it: expected "
                f"{length} elements, but got {memory.size}"
            )


def run_rows(op: Any, name: str, operands: tuple[Any, ...], numbers: tuple[Any, ...]) -> Any:
    """An op on tensors of one native dtype that broadcast or are strided; None for others, or without steady steps.

    Of 16-bit floats and int64 the rows are found for native code, and the result is None.
    """
    if type(operands[0]) not in known or type(operands[1]) not in known:
        return None
    kind: Any = getattr(operands[0], "_dtype", None)
    if kind is None or operands[0]._vmap_level is not None or not has_rows(op, kind):
        return None
    if getattr(operands[1], "_dtype", None) is not kind:
        return None
    if operands[0]._device is not CPU or operands[1]._device is not CPU:
        return None
    if not all(number.__class__ in REAL for number in numbers) or asks_refused(op, operands):
        return None
    try:
        floats = tuple(map(float, numbers))
    except OverflowError:
        return None
    args: list[Any] = []
    layouts = []
    for value in operands:
        if value._tangent is not None or value._vmap_level is not None:
            return None
        memory = value._flat
        args.append(value._storage[value._offset :] if memory is None else memory)
        layouts.append((value._shape, value._strides))
    shape, strides, count, plan = broadcast_rows(name, tuple(layouts), len(numbers))
    remember_rows(op, layouts, plan, count, shape, strides)
    if plan is None and strides is None:
        note_packed_rows(op, name, layouts, len(numbers))
    if plan is None or len(plan.loops) > 2 or not operands[0]._dtype.native:  # native code has these rows from now on
        return None
    check_lengths(args, [plan.read_extent(k) for k in range(len(args))])
    for index in plan.repeated:
        args[index] = (args[index],)
    final: Any = bool_ if op.result_dtypes[0] == "bool" else kind
    flat = empty(count, final.np)
    op.kernels.run_rows("forward", (*args, *floats, flat), plan)
    return relaid(from_flat(flat, shape, final), strides)


def asks_refused(op: Any, operands: tuple[Any, ...]) -> bool:
    """Whether a tensor asks for a gradient that is not defined."""
    return any(value._requires_grad and name in op.refuses for name, value in zip(op.operands, operands, strict=True))


def note_packed_rows(op: Any, name: str, layouts: list[Any], numbers: int) -> None:
    """Let native code find the rows of two layouts of which those that lie apart are packed first."""
    packed = [(shape, None) for shape, _ in layouts]
    shape, strides, count, plan = broadcast_rows(name, tuple(packed), numbers)
    remember_rows(op, packed, plan, count, shape, strides)


def note_rows(op: Any, operands: tuple[Any, ...], numbers: int) -> None:
    """Let native code find the rows of two tensors, or of one that lies apart in memory."""
    tensors = [value for value in operands if isinstance(value, TensorBase)]
    if len(operands) <= 2 and tensors:
        layouts = [(value._shape, value._strides) for value in (tensors[0], tensors[-1])]
        shape, strides, count, plan = broadcast_rows(op.name, tuple(layouts), numbers)
        remember_rows(op, layouts, plan, count, shape, strides)


def note_rows_of_converted(op: Any, operands: tuple[Any, ...], computed: Any, numbers: int) -> None:
    """Let native code find the rows of two tensors of which it brings one to the dtype of the other first."""
    tensors = [value for value in operands if isinstance(value, TensorBase)]
    if len(tensors) < 2 or tensors[0]._dtype is tensors[1]._dtype or not has_rows(op, computed):
        return
    layouts = [(value._shape, value._strides if value._dtype is computed else None) for value in tensors]
    shape, strides, count, plan = broadcast_rows(op.name, tuple(layouts), numbers)
    remember_rows(op, layouts, plan, count, shape, strides)


def flat_operand(value: Any, to: Any, shape: Shape) -> np.ndarray:
    """A 1-D contiguous array of dtype `to` (None: as it is) with the elements of `value` broadcast to `shape`."""
    if not isinstance(value, TensorBase):
        flat = empty(prod(shape), np.dtype(to))
        flat.fill(value % 2**64 if to == np.uint64 else value)
        return flat
    if value._flat is not None and value._shape == shape:
        return value._flat if to is None or value._dtype.np is to else cast(value._flat, to)
    array = value.array
    if value._shape == shape and (to is None or value._dtype.np is to):
        return copied(array).reshape(-1)
    filled = np.empty(shape, array.dtype if to is None else to)
    copy_cast(filled, array)
    return filled.reshape(-1)
