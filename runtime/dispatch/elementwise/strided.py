"""Operands of any layout for the kernel of an element-wise op: flat arrays, rows of them, or copies.

All dimensions are merged that every operand steps through evenly. What is left are loops over rows, of which the
general path takes two; of each operand a row is either consecutive in memory or one repeated number."""

import functools
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np

from ...device.device import CPU
from ...device.threads.job import MAX_LOOPS
from ...device.threads.parallel_for import by_slices
from ...kernels.cpu.allocate_and_fill import empty
from ...kernels.cpu.contiguous_copy import copied
from ...kernels.cpu.elementwise_table import ElementKernels as Kernels
from ...shapes import Shape, broadcast_shapes, contiguous_strides
from ...tensor.dtypes import bool_
from ...tensor.layouts import memory_order, relaid
from ...tensor.memory import cast, copy_cast
from ...tensor.memory_format import Strides, ordered_strides
from ...tensor.observers import watch
from ...tensor.overrides import known
from ...tensor.tensor import TensorBase, from_flat
from .native_rows import has_rows, remember_rows

Layout = tuple[tuple[int, ...], tuple[int, ...] | None]  # shape, strides (None: contiguous)
Values = Sequence[Any]
SHORTEST_ROW = 8  # below, copying an operand costs less than a loop over rows; but for native code
ORDER_THRESHOLD = 64  # elements, for which it does not matter
MUCH = 1 << 16  # elements of a matrix from which it pays not to copy an operand that lies column by column
MAX_TRANSPOSED_ROW = 1 << 14  # elements of a row of such an operand: a block of rows is to stay in a cache


class Rows(NamedTuple):
    """Elements from row to row for each operand, and last the results; `repeated` operands give one number a row."""

    steps: np.ndarray  # of each: by the loops from the outermost to the innermost
    loops: tuple[int, ...]
    size: int
    repeated: tuple[int, ...]

    @property
    def outer(self) -> int:
        return prod(self.loops[:-1])

    @property
    def inner(self) -> int:
        return self.loops[-1]

    def read_extent(self, k: int) -> int:
        """How many elements lie between the first and the last of operand `k` that is read, these included."""
        if not prod(self.loops) * self.size:
            return 0
        within = 1 if k in self.repeated else self.size
        return within + sum((count - 1) * int(step) for count, step in zip(self.loops, self.steps[k], strict=True))


@functools.lru_cache(maxsize=8192)
def broadcast_rows(
    name: str, layouts: tuple[Layout, ...], numbers: int
) -> tuple[Shape, Strides | None, int, Rows | None]:
    """(shape, strides of the result or None for contiguous, its elements, rows of tensors, numbers and the result)."""
    shape = broadcast_shapes(name, *[own for own, _ in layouts])
    order = result_order(shape, layouts)
    if order is None:
        return shape, None, prod(shape), rows(shape, layouts, numbers, 1, None, MAX_LOOPS, 2)
    permuted = tuple([permuted_layout(layout, shape, order) for layout in layouts])
    result = rows(tuple([shape[dim] for dim in order]), permuted, numbers, 1, None, MAX_LOOPS, 2)
    return shape, ordered_strides(shape, order), prod(shape), result


@functools.lru_cache(maxsize=8192)
def result_order(shape: Shape, layouts: tuple[Layout | None, ...]) -> tuple[int, ...] | None:
    """From the outermost in memory to the innermost; None for rows, whatever dimensions of size 1 say."""
    if all(layout is None or layout[1] is None for layout in layouts) or not prod(shape):
        return None
    order = memory_order(shape, tuple([tuple(_expanded(shape, layout)) for layout in layouts if layout is not None]))
    wide = [dim for dim in order if shape[dim] != 1]
    return None if wide == sorted(wide) else order


def permuted_layout(layout: Layout, shape: Shape, order: tuple[int, ...]) -> Layout:
    """The layout of an operand with its dimensions in another order, as many as the shape has that it expands to."""
    own, strides = layout
    steps = contiguous_strides(own) if strides is None else strides
    missing = len(shape) - len(own)
    sizes, steps = (1,) * missing + tuple(own), (0,) * missing + tuple(steps)
    return tuple([sizes[dim] for dim in order]), tuple([steps[dim] for dim in order])


def _expanded(shape: Sequence[int], layout: Layout) -> Sequence[int]:
    own, strides = layout
    steps = contiguous_strides(own) if strides is None else strides
    ahead = len(shape) - len(own)
    repeated = [1 == size != wide for size, wide in zip(own, shape[ahead:], strict=True)]
    return [0] * ahead + [0 if again else step for step, again in zip(steps, repeated, strict=True)]


@functools.lru_cache(maxsize=8192)
def rows(
    shape: Sequence[int],
    layouts: tuple[Layout | None, ...],
    numbers: int,
    results: int,
    steps: tuple[int, ...] | None = None,
    max_elements: int = 2,
    shortest: int = SHORTEST_ROW,
) -> Rows | None:
    """None where operands must be copied: with more than `max_elements` loops, or rows below `shortest`.

    An operand's layout is None where it is a number; `steps`: strides of the results, contiguous by default."""
    strides = [_broadcast_strides(shape, layout) for layout in (*layouts, *[None] * numbers)]
    strides += [contiguous_strides(shape) if steps is None else steps] * results
    dims = _merged(shape, strides)
    if len(dims) > max_elements + 1:
        return None
    *around, (size, within) = [(1, [0] * len(strides))] * (3 - len(dims)) + dims
    if any(step not in (0, 1) for step in within) or (size < shortest and prod(shape) > ORDER_THRESHOLD):
        return None
    repeated = tuple(k for k, layout in enumerate(layouts) if layout is not None and not within[k])
    loops, each = zip(*around, strict=True)
    return Rows(np.array(each, np.int64).T.copy(), loops, size, repeated)


@functools.lru_cache(maxsize=1024)
def permuted_rows(
    shape: Sequence[int], layouts: tuple[Layout | None, ...], numbers: int, results: int
) -> tuple[Rows, int, int] | None:
    """The rows of a large matrix where one operand lies column by column: with its number, and its elements' stride."""
    args = [_broadcast_strides(shape, layout) for layout in (*layouts, *[None] * numbers)]
    dims = _merged(shape, [*args, *[contiguous_strides(shape)] * results])
    if prod(shape) < MUCH or len(dims) != 2 or dims[1][0] > MAX_TRANSPOSED_ROW:
        return None
    (count, across), (size, within) = dims
    permuted = [k for k, step in enumerate(within) if step not in (0, 1)]
    if (
        len(permuted) != 1
        or across[permuted[0]] != 1
        or min(count, size) < ORDER_THRESHOLD
        or within[permuted[0]] < count
    ):
        return None
    steps = np.array([[0] * len(across), across], np.int64).T.copy()
    repeated = tuple(k for k, layout in enumerate(layouts) if layout is not None and not within[k])
    return Rows(steps, (1, count), size, repeated), permuted[0], within[permuted[0]]


def _broadcast_strides(shape: Sequence[int], layout: Layout | None) -> Sequence[int]:
    if layout is None:
        return (0,) * len(shape)
    own, strides = layout
    missing = len(shape) - len(own)
    steps = contiguous_strides(own) if strides is None else strides
    return (0,) * missing + tuple(step if n == m else 0 for step, n, m in zip(steps, own, shape[missing:], strict=True))


def _merged(shape: Sequence[int], strides: Sequence[Sequence[int]]) -> list[tuple[int, list[int]]]:
    """(size, strides) of the dimensions, neighbours made one where one step goes through both for every operand."""
    dims: list[tuple[int, list[int]]] = []
    for d, size in enumerate(shape):
        if size == 1:
            continue
        steps = [s[d] for s in strides]
        if dims and all(before == step * size for before, step in zip(dims[-1][1], steps, strict=True)):
            dims[-1] = dims[-1][0] * size, steps
        else:
            dims.append((size, steps))
    return dims or [(1, [0] * (len(strides)))]


REAL = frozenset((int, float))
LONGEST_SAME = 1 << 16  # elements of a row that is the same for all: it is to stay in a cache
BLOCK = 1 << 17  # elements that are computed at a time where one number stands for all of an operand


def launch(
    kernels: Kernels, attribute: str, operands: Values, read_dtypes: Values, shape: Shape, numbers: Values, outs: Values
) -> None:
    """At once where all operands are flat or numbers, else by rows, or on copies.

    `read_dtypes`: in which the kernel reads each operand, None for as it is. Kernels are compiled for numbers and rows
    in float32 and float64 only: to copy operands of other dtypes costs less than to compile more."""
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
    kernels: Kernels, attribute: str, operands: Values, read_dtypes: Values, shape: Shape, numbers: Values, into: Any
) -> bool:
    """False where the kernel has to write somewhere else first."""
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


def are_numbers_or_flat(layouts: Values, shape: Shape) -> bool:
    return all(one is None or (one[0] == shape and (one[1] is None or not any(one[1]))) for one in layouts)


def by_blocks(kernel: Any, args: Values, layouts: Values, numbers: Values, outs: Values) -> None:
    """Of an operand that is one number everywhere the kernel reads one array again and again."""
    size = outs[0].size
    alone = [k for k, layout in enumerate(layouts) if layout is not None and layout[1] is not None]
    check_lengths(args, [min(1, size) if k in alone else size for k in range(len(args))])
    blocks = {k: np.full(min(size, BLOCK), args[k][:1]) for k in alone}
    for start in range(0, size, BLOCK):
        count = min(BLOCK, size - start)
        parts = [part[start : start + count] if isinstance(part, np.ndarray) else part for part in args]
        arrays = [blocks[k][:count] if k in blocks else part for k, part in enumerate(parts)]
        by_slices(kernel, (*arrays, *numbers, *[out[start : start + count] for out in outs]), count)


def by_rows(kernels: Kernels, attribute: str, args: list[Any], numbers: Values, outs: Values, plan: Any) -> None:
    check_lengths(args, [plan.read_extent(k) for k in range(len(args))])
    for index in plan.repeated:
        args[index] = repeated_operand(args[index], plan, index)
    kernels.run_rows(attribute, (*args, *numbers, *outs), plan)


def repeated_operand(memory: np.ndarray, plan: Rows, index: int) -> Any:
    """One number for each row, as a row where it is the same for all: kernels are compiled for that anyway."""
    same = plan.outer * plan.inner > 1 and not plan.steps[index].any()
    return np.full(plan.size, memory[0]) if same and plan.size <= LONGEST_SAME else (memory,)


def by_strided_rows(
    kernels: Kernels, attribute: str, args: Values, layouts: Values, shape: Shape, numbers: Values, outs: Values
) -> bool:
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
    """The memory of each operand, its layout (None for numbers), and whether all are flat arrays or numbers."""
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

    Of 16-bit floats and int64 the rows are found for native code, and the result is None. A timer is on the general
    path, which runs the same kernel."""
    if watch.timers or type(operands[0]) not in known or type(operands[1]) not in known:
        return None
    kind: Any = getattr(operands[0], "_dtype", None)
    if kind is None or operands[0]._vmap_level is not None or not has_rows(op, kind):
        return None
    if getattr(operands[1], "_dtype", None) is not kind:
        return None
    if operands[0]._device is not CPU or operands[1]._device is not CPU:
        return None
    if not all(number.__class__ in REAL for number in numbers):
        return None
    if any(value._requires_grad and own in op.refuses for own, value in zip(op.operands, operands, strict=True)):
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
    if plan is None and strides is None:  # the strided ones are packed first
        note_rows_of(op, [(own, None) for own, _ in layouts], len(numbers))
    if plan is None or len(plan.loops) > 2 or not operands[0]._dtype.native:  # native code has these rows from now on
        return None
    check_lengths(args, [plan.read_extent(k) for k in range(len(args))])
    for index in plan.repeated:
        args[index] = (args[index],)
    final: Any = bool_ if op.result_dtypes[0] == "bool" else kind
    flat = empty(count, final.np)
    op.kernels.run_rows("forward", (*args, *floats, flat), plan)
    return relaid(from_flat(flat, shape, final), strides)


def note_rows_of(op: Any, layouts: list[Any], numbers: int) -> None:
    shape, strides, count, plan = broadcast_rows(op.name, tuple(layouts), numbers)
    remember_rows(op, layouts, plan, count, shape, strides)


def note_rows(op: Any, operands: tuple[Any, ...], numbers: int) -> None:
    """Of two tensors, or of a strided one."""
    tensors = [value for value in operands if isinstance(value, TensorBase)]
    if len(operands) <= 2 and tensors:
        note_rows_of(op, [(value._shape, value._strides) for value in (tensors[0], tensors[-1])], numbers)


def note_rows_of_converted(op: Any, operands: tuple[Any, ...], computed: Any, numbers: int) -> None:
    """Of two tensors of which native code brings one to the dtype of the other first."""
    tensors = [value for value in operands if isinstance(value, TensorBase)]
    if len(tensors) < 2 or tensors[0]._dtype is tensors[1]._dtype or not has_rows(op, computed):
        return
    note_rows_of(op, [(t._shape, t._strides if t._dtype is computed else None) for t in tensors], numbers)


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
