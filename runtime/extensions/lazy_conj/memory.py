"""Marked tensors and their memory: views that show their elements conjugated or negated, and how these are written to.

`stored` has what lies in memory, outside the graph; `standing` is where the marked tensor is in the graph, so that
views of it are views of that one; `values_of` and `resolved` are what it shows, in memory of their own.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from ...autograd.node import Node
from ...autograd.saved_tensors import edge_of
from ...device.device import CPU
from ...errors import ShapeError
from ...extension_points import fill
from ...namespace import op
from ...tensor.grad_mode import mode
from ...tensor.history import copy_history, set_history
from ...tensor.tensor import TensorBase, geometry, share, tensor_class, without_memory
from ...tensor.tensor import view as make_view
from ...tensor.view_shapes import alias as full_alias

_classes: dict[tuple[bool, bool], Any] = {}  # by their marks (conjugated, negated), none until there is a marked one


def as_conjugate(view: Any) -> Any:
    return lazy_view(view, True, False)


def as_negative(view: Any) -> Any:
    return lazy_view(view, False, True)


def lazy_view(view: Any, conjugated: bool, negated: bool) -> Any:
    """The view must be nobody else's yet. Marks that it has already are taken away."""
    if not _classes:
        _classes.update(import_module(".tensor", __package__).classes_by_marks())  # which few programs need
    view.__class__ = _classes[view.conjugated is not conjugated, view.negated is not negated]
    return view


fill("lazy_conj", lazy_view)


storage_of = TensorBase._storage.__get__
row_of = TensorBase._flat.__get__
MAX_SERIAL_ELEMENTS = 2**15  # elements that NumPy has turned before an op has asked for threads


class CloneBackward0(Node):
    __slots__ = ()
    op_name = "clone"

    def apply(self, grad: Any) -> tuple[Any, ...]:
        return (grad,)


def stored(tensor: Any) -> Any:
    if not tensor.lazy_conj:
        return tensor
    result = without_memory(tensor_class(), tensor._shape, tensor._dtype, tensor._device)
    result._storage, result._flat = storage_of(tensor), row_of(tensor)
    result._strides, result._offset, result._version_counter = tensor._strides, tensor._offset, tensor._version_counter
    return result


def standing(tensor: Any) -> Any:
    """`stored`, at the place of the marked tensor in the graph and among the views; tangents it has none."""
    result = stored(tensor)
    result._base, result._views = tensor._base, tensor._views
    if tensor._requires_grad and tensor._grad_fn is None:
        set_history(result, copied_edge(tensor))
    else:
        copy_history(result, tensor)
    return result


def copied_edge(tensor: Any) -> Any:
    return CloneBackward0((edge_of(tensor),))


def like(tensor: Any, plain: Any) -> Any:
    view_geometry = geometry(full_alias, plain._shape, plain.stride(), plain._offset)
    return lazy_view(make_view(plain, view_geometry), tensor.conjugated, tensor.negated)


def values_of(tensor: Any) -> Any:
    result = stored(tensor)
    is_small = result.numel() <= MAX_SERIAL_ELEMENTS and result._dtype.kind != "b"  # the op says that it takes no bools
    if is_small and result._device is CPU and result._dtype.compute is result._dtype:
        array = np.conjugate(result.array) if tensor.conjugated else result.array
        return share(np.negative(array) if tensor.negated else array)
    if tensor.conjugated:
        result = op.conj_physical(result)
    return op.neg(result) if tensor.negated else result


def resolved(tensor: Any) -> Any:
    """With gradient and tangents; a tensor without marks as it is."""
    if not tensor.lazy_conj:
        return tensor
    result = values_of(tensor)
    if tensor._requires_grad and mode.grad:
        set_history(result, copied_edge(tensor))
    if tensor._tangent is not None:
        result._tangent = {level: resolved(tangent) for level, tangent in tensor._tangent.items()}
    return result


def store(tensor: Any, values: Any) -> Any:
    """Write values to a marked tensor, which is returned: what lies in memory is turned back."""
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
    """`change` gets the tensor without its marks."""
    marks = tensor.conjugated, tensor.negated
    lazy_view(tensor, *marks)
    try:
        change(tensor)
    finally:
        lazy_view(tensor, *marks)
    return tensor
