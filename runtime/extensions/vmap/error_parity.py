"""Errors under vmap are those of one example, in the same words: batching rules need not check arguments again.

In a whole batch a mistake may go unseen: two vectors where an op wants matrices are matrices there. So the op itself is
run once, on the first example, for each kind of arguments: shapes, dtypes and integers.
"""

from __future__ import annotations

from typing import Any

from ...tensor.grad_mode import no_grad
from ...tensor.observers import without_interception
from ...tensor.tensor import TensorBase, alias
from .batched_tensor import BatchedMethods
from .op_call import Call, stand_in

_accepted: set[Any] = set()
_MAX_CACHED = 10_000  # kinds that are remembered


def accept(call: Call) -> None:
    kind = call.function, *[kind_of(value) for value in call.arguments.values()]
    if kind in _accepted:
        return
    with without_interception(), no_grad():
        call.run({name: first_example(value, call.writes) for name, value in call.arguments.items()})
    if len(_accepted) >= _MAX_CACHED:
        _accepted.clear()
    _accepted.add(kind)


def kind_of(value: Any) -> Any:
    """A hashable key of an argument: shape, dtype and device of tensors, the value of integers, the type of floats."""
    if isinstance(value, TensorBase):
        return value._shape, value._dtype, value._device
    if isinstance(value, (list, tuple)):
        return tuple([kind_of(v) for v in value])
    return value if type(value) in (int, bool, str) else type(value)


def first_example(value: Any, copy: bool) -> Any:
    """The argument of the first example, or a copy for an op that writes; something like one where there are none."""
    if isinstance(value, (list, tuple)):
        return [first_example(v, copy) for v in value]
    if not isinstance(value, TensorBase):
        return value
    levels = 0
    while isinstance(value, BatchedMethods):
        value, levels = value.value, levels + 1
    shape = value._shape[levels:]
    if 0 in value._shape[:levels]:
        return stand_in(shape, value)
    example = alias(value, shape, value.stride()[levels:], value._offset)
    return example.clone() if copy else example
