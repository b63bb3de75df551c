"""What the kernel of an op launches on a device, found by a rehearsal for layouts and arguments, for native code.

A kernel decides by layouts and arguments alone what it launches, never by what the memory holds. So it is run once, its
launches are written down, and native code does them again for other memory.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..tensor.base import TensorBase
from ..tensor.dtypes import dtype, from_name
from .fast_path import launches_on_devices
from .places import at

MOST = 4096  # what is found of one op and dtype; then it forgets all of it


def rehearse_op(op: Any, given: Sequence[Any], checked: Sequence[Any]) -> bool:
    """Find what an op launches for the arguments as given and as checked; whether native code can do it."""
    native, first = launches_on_devices(), next(flat(checked))
    if native is None or native.recording or not on_one_device(checked):
        return False
    table = op.launches.setdefault(first._dtype, {})
    key = op.key(checked)
    arguments = [None if letter in "TOIRL" else a for letter, a in zip(op.letters, checked, strict=True)]
    dtypes = [result_dtype(word, first._dtype) for word in op.dtypes] or [first._dtype] * op.outputs

    def find() -> Any:
        return rehearsal(native, at(first, op.kernel), checked, arguments, dtypes)

    found = kept(native, table, key, first._device, find)
    with contextlib.suppress(TypeError):  # of a list among the arguments
        table[op.key(given)] = found
    return found is not None


def result_dtype(word: str, computed: dtype) -> dtype:
    """The dtype of a result, given that of the operands, which are real."""
    return computed if word in ("same", "real") else from_name(word)


def rehearse_gradients(op: Any, key: tuple[Any, ...], node: Any, grad: Any) -> bool:
    """Find what the kernel of a node's gradients launches; whether native code can do it."""
    native = launches_on_devices()
    values = [value_of(read, node, grad) for read in op.reads]
    if native is None or native.recording or not on_one_device(values):
        return False

    def find() -> Any:
        shapes = [None if meta is None else meta[0] for meta in node.metas]
        return rehearsal(native, at(grad, op.kernel), values, (), [grad._dtype] * len(shapes), shapes)

    return kept(native, op.launches.setdefault(grad._dtype, {}), key, grad._device, find) is not None


def value_of(read: Any, node: Any, grad: Any) -> Any:
    """An operand of the kernel of a node's gradients."""
    if read.letter == "w":
        return tuple([edge is not None for edge in node.edges])
    return grad if read.letter == "g" else read.given(getattr(node, read.slot) if read.slot else None)


def on_one_device(values: Sequence[Any]) -> bool:
    """Whether all tensors lie on one device."""
    return len({value._device for value in flat(values) if isinstance(value, TensorBase)}) == 1


def flat(values: Sequence[Any]) -> Iterator[Any]:
    """Values, of a list of tensors its items in its place."""
    for value in values:
        listed = isinstance(value, (list, tuple)) and value and isinstance(value[0], TensorBase)
        yield from value if listed else (value,)


def kept(native: Any, table: dict[Any, Any], key: tuple[Any, ...], device: Any, find: Callable[[], Any]) -> Any:
    """What is kept under a key, which `find` gives where there is nothing for the driver and stream in use."""
    found = table.get(key, table)
    if found is table or (found is not None and not native.holds(found, device)):
        found = find()
        if len(table) >= MOST:
            table.clear()
        table[key] = found
    if found is not None:
        native.enter(device)  # another thread, stream or capture may have launched since
    return found


def array_of(value: Any) -> Any:
    """An operand as a kernel takes it."""
    if isinstance(value, (list, tuple)):
        return type(value)([array_of(item) for item in value])
    return value.array if isinstance(value, TensorBase) else value


def rehearsal(
    native: Any,
    kernel: Any,
    values: Sequence[Any],
    arguments: Sequence[Any],
    dtypes: Sequence[dtype],
    shapes: Sequence[Any] | None = None,
) -> Any:
    """What a kernel launches for operands; None where it does more than that, or fails, which the call will say.

    `dtypes` are those of the results, `shapes` theirs of the results where they may differ from those of the arrays.
    """
    from ..cuda.launching.rehearsals import rehearsed

    arrays = [array_of(value) for value in values]
    with rehearsed() as made:
        try:
            results = kernel(*arrays)
        except Exception:
            return None
    several = results if isinstance(results, (tuple, list)) else (results,)
    if not made.complete or not any(result is not None for result in several):
        return None
    if any(result is not None and result.dtype != kind.np for result, kind in zip(several, dtypes, strict=True)):
        return None
    values = list(flat(values))
    given = [value.array if isinstance(value, TensorBase) else None for value in values]
    shapes = [result if result is None else result.shape for result in several] if shapes is None else shapes
    shaped = [None if r is None else (r, *of) for r, of in zip(several, zip(shapes, dtypes, strict=True), strict=True)]
    same = {"words": made.words, "constants": made.constants}
    return native.found(made.launches, values, given, shaped, made.blocks, arguments, **same)
