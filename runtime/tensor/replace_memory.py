"""Other memory for all tensors that share one: it grows, shrinks, or moves to where other processes see it.

Nobody keeps a list of the tensors over one array (`_storage`): that would cost each view. So who replaces the memory
asks the garbage collector who holds the array, unless its count of references says that the tensor is alone. That takes
some ten milliseconds, and is needed for few calls."""

import gc
import sys
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from ..device.device import CPU
from ..shapes import Shape, is_contiguous, numel
from .dtype_views import arrays_over, origin_of, storage_as
from .memory import copy_cast, empty, zeros
from .tensor import TensorBase, alias, note_layout_change, part_of, plain_classes

storage_of = TensorBase._storage.__get__
names: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()  # the storage object of an array's number
_fixed: set[int] = set()  # numbers of arrays whose memory has one size for ever: files, memory of several processes


def fix_size(array: Any) -> None:
    """Say that the memory of an array cannot be resized, for as long as the array is there."""
    _fixed.add(id(array))
    weakref.finalize(array, _fixed.discard, id(array)).atexit = False


def is_resizable(origin: Any) -> bool:
    return id(origin) not in _fixed


def resized(origin: Any, nbytes: int) -> Any:
    """A new array that begins with the bytes of `origin`. RuntimeError: the memory has one size for ever."""
    if not is_resizable(origin):
        raise RuntimeError("Trying to resize storage that is not resizable")
    if nbytes % origin.dtype.itemsize:  # every dtype is a view of bytes
        origin = origin.view(np.uint8)
    kind, target_device = origin.dtype, CPU if isinstance(origin, np.ndarray) else origin.device
    count = nbytes // kind.itemsize
    made = empty(count, kind, target_device) if count <= origin.size else zeros(count, kind, target_device)
    copied_count = min(count, origin.size)
    if copied_count:
        copy_cast(made[:copied_count], origin[:copied_count])
    return made


def grow(tensor: Any, count: int) -> None:
    """At least `count` elements of the tensor's dtype, for all that share the memory."""
    move(tensor, resized(origin_of(tensor._storage), count * tensor._dtype.itemsize))


def resize(tensor: Any, shape: Shape) -> None:
    """Another shape from where the tensor begins, in row-major order; the memory grows where it is too short."""
    end = tensor._offset + numel(shape)
    if end > tensor._storage.size:
        grow(tensor, end)
    view = alias(tensor, shape, None, tensor._offset)
    tensor._array = None
    for slot in ("_storage", "_flat", "_shape", "_strides", "_offset"):
        setattr(tensor, slot, getattr(view, slot))
    note_layout_change()


def move(tensor: Any, new: Any) -> None:
    if _is_alone(tensor):
        set_layout(tensor, new)
        note_layout_change()
    else:
        replace([(origin_of(tensor._storage), new)])


def _is_alone(tensor: Any) -> bool:
    """False where that is not clear. While references are counted no variable may name the array, here or in a waiting
    function: from CPython 3.14 on some variables count as references and some do not."""
    own = _own_references(tensor)
    return own > 0 and sys.getrefcount(tensor._storage) <= own + 1  # the argument


def _own_references(tensor: Any) -> int:
    """By slots and by parts in them; 0 for a view of another dtype's memory."""
    storage, flat, nd = tensor._storage, tensor._flat, tensor._array
    if origin_of(storage) is not storage:
        return 0
    parts = _is_part(flat, storage) + (nd is not flat and _is_part(nd, storage))
    return 1 + (flat is storage) + (nd is storage) + parts


def _is_part(array: Any, storage: Any) -> bool:
    return array is not storage and getattr(array, "base", None) is storage


def replace(memories: list[tuple[Any, Any]]) -> None:
    results = {id(old): new for old, new in memories}
    for tensor in tensors_over(old for old, _ in memories):
        set_layout(tensor, results[id(origin_of(storage_of(tensor)))])
    note_layout_change()
    for old, new in memories:
        storage = names.pop(id(old), None)
        if storage is not None:
            storage._array = new
            names[id(new)] = storage


def set_layout(tensor: Any, origin: Any) -> None:
    """Where the memory is too short the tensor has no elements until it grows."""
    storage, offset, shape = storage_as(origin, tensor._dtype), tensor._offset, tensor._shape
    flat = part_of(storage, offset, numel(shape)) if is_contiguous(shape, tensor._strides) else None
    for slot, value in ((TensorBase._array, None), (TensorBase._storage, storage), (TensorBase._flat, flat)):
        slot.__set__(tensor, value)  # conjugates that are views hide their slots


def tensors_over(origins: Iterable[Any]) -> list[Any]:
    requested = {id(origin): origin for origin in origins}
    arrays = [array for origin in requested.values() for array in arrays_over(origin)]
    held = [holder for holder in _holders(arrays) if type(holder) in plain_classes or is_lazy_conj(holder)]
    return [tensor for tensor in held if id(origin_of(storage_of(tensor))) in requested]


def is_lazy_conj(holder: Any) -> bool:
    return isinstance(holder, TensorBase) and holder.lazy_conj


def _holders(arrays: list[Any]) -> list[Any]:
    """What holds one of the arrays, also of what `gc.freeze` has put aside."""
    if not gc.get_freeze_count():
        return gc.get_referrers(*arrays)
    gc.collect()  # or what is garbage by now would be put aside too
    gc.unfreeze()
    try:
        return gc.get_referrers(*arrays)
    finally:
        gc.freeze()
