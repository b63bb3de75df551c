"""What the kernel of an op launches on a device, found by a dry run for layouts and arguments, for native code.

A kernel decides by layouts and arguments alone what it launches, never by what the memory holds."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any

from ...device.device import META
from ...fast_path import launches_on_devices
from ...tensor.dtypes import dtype
from ...tensor.memory import cast, contiguous
from ...tensor.tensor import TensorBase
from ..devices import at
from ..elementwise.general import result_dtype
from ..elementwise.strided import Values
from .general import array_of

MAX_CACHED_CALLS = 4096  # what is found of one op and dtype; then it forgets all of it


def dry_run_op(op: Any, args: Sequence[Any], checked: Sequence[Any]) -> bool:
    """For the arguments as given and as checked; whether native code can launch the op."""
    first = next(flat(checked))
    native, computed = None if first._device is META else launches_on_devices(), first._dtype
    if native is None or native.recording or not are_strided(checked):
        return False
    table = op.launches.setdefault(computed, {})
    key = op.key(checked)
    arguments = [None if arg_kind in "TOIRL" else a for arg_kind, a in zip(op.arg_kinds, checked, strict=True)]
    dtypes = [result_dtype(word, computed) for word in op.dtypes] or [computed] * op.outputs

    def find() -> Any:
        raw = [arg_kind in "IR" for arg_kind in op.arg_kinds]
        arrays = [operand(a, None if own else computed) for a, own in zip(checked, raw, strict=True)]
        return dry_run(native, at(first, op.kernel), checked, arrays, arguments, dtypes)

    result = cached(native, table, key, first._device, find)
    if scalars_unchanged(op.arg_kinds, args, checked):
        with contextlib.suppress(TypeError):  # of a list among the arguments
            table[op.key(args)] = result
    return result is not None


def scalars_unchanged(arg_kinds: str, args: Sequence[Any], checked: Sequence[Any]) -> bool:
    """A check may have put a number that it read in memory in the place of a given one."""
    pairs = [pair for arg_kind, *pair in zip(arg_kinds, args, checked, strict=True) if arg_kind == "f"]
    return all(one is None or one == other for one, other in pairs)


def dry_run_gradients(op: Any, key: tuple[Any, ...], node: Any, grad: Any, first: Any) -> bool:
    """`first`: the gradient, or of a list of them the first that there is."""
    native = None if first._device is META else launches_on_devices()
    values = [value_of(read, node, grad) for read in op.reads]
    if native is None or native.recording or not are_strided(values):
        return False

    def find() -> Any:
        shapes = [None if meta is None else meta[0] for meta in node.metas]
        arrays = selected_operands(op.reads, [operand(value, first._dtype) for value in values])
        return dry_run(native, at(first, op.kernel), values, arrays, (), [first._dtype] * len(shapes), shapes)

    return cached(native, op.launches.setdefault(first._dtype, {}), key, first._device, find) is not None


def value_of(read: Any, node: Any, grad: Any) -> Any:
    if read.arg_kind == "w":
        return tuple([edge is not None for edge in node.edges])
    if read.arg_kind == "g":
        return read.of(grad)
    return read.operand(getattr(node, read.slot) if read.slot else None)


def selected_operands(reads: Sequence[Any], operands: Sequence[Any]) -> list[Any]:
    """Operands as a kernel takes them: gradients of several outputs, which follow each other, in one list."""
    operands_read: list[Any] = []
    for read, value in zip(reads, operands, strict=True):
        if read.arg_kind != "g" or not read.part:
            operands_read.append(value if read.arg_kind != "g" or read.part is None else [value])
        else:
            operands_read[-1].append(value)
    return operands_read


def are_strided(values: Sequence[Any]) -> bool:
    """On one device, each in memory of its own: else launches do not say which of them is which."""
    from ...kernels.cuda_launch.launch import read_extent

    tensors = [value for value in flat(values) if isinstance(value, TensorBase)]
    if len({tensor._device for tensor in tensors}) != 1:
        return False
    arrays = sorted([tensor.array for tensor in tensors], key=attrgetter("address"))
    return all(one.address + read_extent(one) * one.itemsize <= other.address for one, other in pairwise(arrays))


def flat(values: Sequence[Any]) -> Iterator[Any]:
    for value in values:
        listed = isinstance(value, (list, tuple)) and value and isinstance(value[0], TensorBase)
        yield from value if listed else (value,)


def cached(native: Any, table: dict[Any, Any], key: tuple[Any, ...], device: Any, find: Callable[[], Any]) -> Any:
    """What is kept under a key; `find` gives it where nothing is kept for the driver and stream in use."""
    entry = table.get(key, table)
    if entry is table or (entry is not None and not native.holds(entry, device)):
        entry = find()
        if len(table) >= MAX_CACHED_CALLS:
            table.clear()
        table[key] = entry
    if entry is not None:
        native.enter(device)  # another thread, stream or capture may have launched since
    return entry


def operand(value: Any, computed: dtype | None) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value)([operand(item, computed) for item in value])
    return array_of(value, computed) if isinstance(value, TensorBase) else value


def dry_run(
    native: Any, kernel: Any, values: Values, arrays: Values, arguments: Values, dtypes: Values, shapes: Any = None
) -> Any:
    """None where a kernel does more than launch, or fails, which the call will say.

    `shapes`: of the results, where they may differ from those of the arrays."""
    from ...device.cuda.dry_run import rehearsed

    with rehearsed() as made:
        try:
            results = kernel(*arrays)
            pairs = zip(results if isinstance(results, (tuple, list)) else (results,), dtypes, strict=True)
            results = [None if r is None else contiguous(cast(r, of.np)) for r, of in pairs]
        except Exception:
            return None
    if not any(result is not None for result in results):
        return None
    values = list(flat(values))
    args = [value.array if isinstance(value, TensorBase) else None for value in values]
    shapes = [None if result is None else result.shape for result in results] if shapes is None else shapes
    shaped = [None if r is None else (r, *of) for r, *of in zip(results, shapes, dtypes, strict=True)]
    same = {"slot_values": made.slot_values, "constants": made.constants}
    return native.cache_entry(made.launches, values, args, shaped, made.blocks, arguments, **same)
