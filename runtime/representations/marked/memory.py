"""Marked tensors and their memory: tensors that stand for one, what it shows, and how that is written to.

`stored` has what lies in memory, outside the graph; `standing` is where the marked tensor is in the graph, so that
views of it are views of that one; `values_of` and `resolved` are what it shows, in memory of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...autograd.node import Node
from ...autograd.saved.saved import edge_of
from ...errors import ShapeError
from ...modes.grad_mode import mode
from ...namespace import op
from ...tensor.base import TensorBase, fresh_class, geometry, share, without_memory
from ...tensor.base import view as make_view
from ...tensor.devices import CPU
from ...tensor.history import copy_history, set_history
from ...tensor.views import alias as whole
from .marks import turned

storage_of = TensorBase._storage.__get__
row_of = TensorBase._flat.__get__
MOST_AT_ONCE = 2**15  # elements that NumPy has turned before an op has asked for threads


class CloneBackward0(Node):
    __slots__ = ()
    op_name = "clone"

    def apply(self, grad: Any) -> tuple[Any, ...]:
        return (grad,)


def stored(tensor: Any) -> Any:
    """A tensor without marks over the same memory, outside the graph; one that has none as it is."""
    if not tensor.marked:
        return tensor
    found = without_memory(fresh_class(), tensor._shape, tensor._dtype, tensor._device)
    found._storage, found._flat = storage_of(tensor), row_of(tensor)
    found._strides, found._offset, found._writes = tensor._strides, tensor._offset, tensor._writes
    return found


def standing(tensor: Any) -> Any:
    """`stored`, at the place of the marked tensor in the graph and among the views; tangents it has none."""
    found = stored(tensor)
    found._base, found._views = tensor._base, tensor._views
    if tensor._rg and tensor._fn is None:
        set_history(found, copied_edge(tensor))
    else:
        copy_history(found, tensor)
    return found


def copied_edge(tensor: Any) -> Any:
    return CloneBackward0((edge_of(tensor),))


def like(tensor: Any, plain: Any) -> Any:
    """A view of a tensor outside the graph, with the marks of another."""
    place = geometry(whole, plain._shape, plain.stride(), plain._offset)
    return turned(make_view(plain, place), tensor.conjugated, tensor.negated)


def values_of(tensor: Any) -> Any:
    """What a marked tensor shows, in memory of its own and outside the graph."""
    found = stored(tensor)
    is_few = found.numel() <= MOST_AT_ONCE and found._dtype.kind != "b"  # the op says that it takes no bools
    if is_few and found._device is CPU and found._dtype.compute is found._dtype:
        array = np.conjugate(found.array) if tensor.conjugated else found.array
        return share(np.negative(array) if tensor.negated else array)
    if tensor.conjugated:
        found = op.conj_physical(found)
    return op.neg(found) if tensor.negated else found


def resolved(tensor: Any) -> Any:
    """What a marked tensor shows, in memory of its own, with its gradient and tangents; another one as it is."""
    if not tensor.marked:
        return tensor
    found = values_of(tensor)
    if tensor._rg and mode.grad:
        set_history(found, copied_edge(tensor))
    if tensor._tangent is not None:
        found._tangent = {level: resolved(tangent) for level, tangent in tensor._tangent.items()}
    return found


def store(tensor: Any, values: Any) -> Any:
    """Write values to a marked tensor, which is returned: what lies in memory is turned back.

    Raises:
        RuntimeError: they have another shape.
    """
    if values._shape != tensor._shape:
        raise ShapeError(f"expected values of shape {list(tensor._shape)} for a view, but got {list(values._shape)}")
    plain = tensor
    if tensor.conjugated:
        plain, values = op.conj(plain), op.conj_physical(values)
    if tensor.negated:
        plain, values = op._neg_view(plain), op.neg(values)
    op.copy_(plain, values)
    return tensor


def relaid(tensor: Any, change: Callable[[Any], Any]) -> Any:
    """Let a function change the layout of a marked tensor, which is returned: it knows no marks."""
    marks = tensor.conjugated, tensor.negated
    turned(tensor, *marks)
    try:
        change(tensor)
    finally:
        turned(tensor, *marks)
    return tensor
