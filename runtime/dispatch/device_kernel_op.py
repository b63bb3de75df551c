"""What the kernel of an op launches on a device, found by a rehearsal for layouts and arguments, for native code.

A kernel decides by layouts and arguments alone what it launches, never by what the memory holds. So it is run once, its
launches are written down, and native code does them again for other memory.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from ..tensor.base import TensorBase
from ..tensor.casting import cast
from ..tensor.memory import contiguous
from .fast_path import launches_on_devices
from .kernel_arrays import array_of
from .places import at

MOST = 4096  # what is found of one op and dtype; then it forgets all of it


def rehearse_op(op: Any, given: Sequence[Any], checked: Sequence[Any]) -> bool:
    """Find what an op launches for the arguments as given and as checked; whether native code can do it."""
    native, first = launches_on_devices(), checked[0]
    computed = first._dtype
    if native is None or native.recording or not on_one_device(checked):
        return False
    table = op.launches.setdefault(computed, {})
    key = op.key(checked)
    arguments = [None if isinstance(a, TensorBase) else a for a in checked]

    def find() -> Any:
        return rehearsal(native, at(first, op.kernel), checked, arguments, computed)

    found = kept(native, table, key, first._device, find)
    with contextlib.suppress(TypeError):  # of a list among the arguments
        table[op.key(given)] = found
    return found is not None


def rehearse_gradients(op: Any, key: tuple[Any, ...], node: Any, grad: Any) -> bool:
    """Find what the kernel of a node's gradients launches; whether native code can do it."""
    native = launches_on_devices()
    values = [value_of(letter, slot, node, grad) for letter, slot in op.reads]
    if native is None or native.recording or not on_one_device(values):
        return False

    def find() -> Any:
        shapes = [None if meta is None else meta[0] for meta in node.metas]
        return rehearsal(native, at(grad, op.kernel), values, (), grad._dtype, shapes)

    return kept(native, op.launches.setdefault(grad._dtype, {}), key, grad._device, find) is not None


def value_of(letter: str, slot: str, node: Any, grad: Any) -> Any:
    """An operand of the kernel of a node's gradients."""
    if letter == "w":
        return tuple([edge is not None for edge in node.edges])
    return grad if letter == "g" else getattr(node, slot)


def on_one_device(values: Sequence[Any]) -> bool:
    """Whether all tensors lie on one device."""
    return len({value._device for value in values if isinstance(value, TensorBase)}) == 1


def kept(native: Any, table: dict[Any, Any], key: tuple[Any, ...], device: Any, find: Callable[[], Any]) -> Any:
    """What is kept under a key, which `find` gives where there is nothing for the driver and stream in use."""
    found = table.get(key, table)
    if found is table or (found is not None and not native.holds(found, device)):
        found = find()
        if len(table) >= MOST:
            table.clear()
        table[key] = found
        native.enter(device)
    return found


def rehearsal(
    native: Any,
    kernel: Any,
    values: Sequence[Any],
    arguments: Sequence[Any],
    dtype: Any,
    shapes: Sequence[Any] | None = None,
) -> Any:
    """What a kernel launches for operands; None where it does more than that, or fails, which the call will say.

    `shapes` are those of the results where they may differ from those of the arrays.
    """
    from ..cuda.launching.rehearsals import rehearsed

    arrays = [array_of(value, dtype) if isinstance(value, TensorBase) else value for value in values]
    with rehearsed() as made:
        try:
            results = kernel(*arrays)
            several = results if isinstance(results, (tuple, list)) else (results,)
            several = [None if result is None else contiguous(cast(result, dtype.np)) for result in several]
        except Exception:
            return None
    if not made.complete or not any(result is not None for result in several):
        return None
    given = [array if isinstance(value, TensorBase) else None for value, array in zip(values, arrays, strict=True)]
    shapes = [result if result is None else result.shape for result in several] if shapes is None else shapes
    shaped = [None if r is None else (r, shape, dtype) for r, shape in zip(several, shapes, strict=True)]
    return native.found(made.launches, values, given, shaped, made.blocks, arguments)
