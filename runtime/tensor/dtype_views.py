"""Views of another dtype: the same bytes as an array of other elements; and tensors without marks.

A memory has one array for each dtype in which somebody reads it, so that tensors of one dtype over one memory have the
same storage, and who looks for shared memory compares storages."""

import weakref
from typing import Any

import numpy as np

from ..locks import new_lock
from ..namespace import op
from .dtypes import dtype, from_numpy
from .tensor import ViewGeometry, alias, part_of, view

_arrays: dict[tuple[int, dtype], weakref.ref[np.ndarray]] = {}  # by the number of the storage
_origins: dict[int, tuple[weakref.ref[np.ndarray], np.ndarray]] = {}  # number of such an array: it, and the storage
_making = new_lock()


def typed_view(source: Any, view_geometry: ViewGeometry, kind: dtype) -> Any:
    """`kind` is the dtype of the view, in whose elements the geometry counts."""
    return _retyped(view(source, view_geometry), kind, view_geometry[3])


def typed_alias(source: Any, view_geometry: ViewGeometry, kind: dtype) -> Any:
    """Outside the graph and not among the views of `source`; writes are counted with those to `source`."""
    shape, strides, offset, count = view_geometry
    return _retyped(alias(source, shape, strides, offset), kind, count)


def _retyped(tensor: Any, kind: dtype, count: int | None) -> Any:
    tensor._dtype = kind
    tensor._storage = storage = storage_as(tensor._storage, kind)
    tensor._flat = None if count is None else part_of(storage, tensor._offset, count)
    return tensor


def origin_of(storage: Any) -> Any:
    """The array that the storage of a view of another dtype was made of; any other storage is its own."""
    known = _origins.get(id(storage))
    return known[1] if known is not None and known[0]() is storage else storage


def arrays_over(origin: Any) -> list[Any]:
    """The array of a memory, and those made of it for views of other dtypes."""
    with _making:
        made = [reference() for (number, _), reference in _arrays.items() if number == id(origin)]
    return [origin, *(array for array in made if array is not None)]


def storage_as(storage: Any, kind: dtype) -> Any:
    """The array of the dtype `kind` over the memory of a storage; bytes that make no whole element are left out."""
    origin = origin_of(storage)
    if from_numpy(origin.dtype) is kind:
        return origin
    key = id(origin), kind
    with _making:
        known = _arrays.get(key)
        result = None if known is None else known()
        if result is None:
            full_bytes = origin.nbytes - origin.nbytes % kind.itemsize
            result = origin.view(np.uint8)[:full_bytes].view(kind.np)
            _note(key, result, origin)
    return result


def _note(key: tuple[int, dtype], array: np.ndarray, origin: np.ndarray) -> None:
    number = id(array)

    def forget(reference: Any) -> None:
        if _arrays.get(key) is reference:
            del _arrays[key]
        if number in _origins and _origins[number][0] is reference:
            del _origins[number]

    reference = weakref.ref(array, forget)
    _arrays[key] = reference
    _origins[number] = reference, origin


def unmarked(tensor: Any) -> Any:
    """What a conjugate or negative shows, in memory of its own; another tensor as it is."""
    return op.resolve_neg(op.resolve_conj(tensor)) if tensor.lazy_conj else tensor
