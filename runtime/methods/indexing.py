"""`x[key]` and `x[key] = value`: the key is taken apart into view ops and at most one advanced indexing op.

As in PyTorch, integers (also 0-d integer tensors), slices, None and Ellipsis are applied first and give a view; what
remains are index tensors at dimensions of that view. A list of numbers is an index tensor."""

import operator
from collections.abc import Sequence
from types import EllipsisType
from typing import Any, SupportsIndex

import numpy as np

from ..dispatch.elementwise.general import constant, elementwise_ops
from ..dispatch.kernel_ops.kernel_op import kernel_ops
from ..errors import type_name, warn_once
from ..fast_path import item_getter
from ..namespace import Tensor, op
from ..ops.creation import tensor as make_tensor
from ..ops.creation.options import convert_number
from ..tensor import dtypes
from ..tensor.observers import watch
from ..tensor.overrides import NOT_HANDLED, foreign, known, overridden, plain
from ..tensor.tensor import TensorBase, adopt
from ..tracebacks import hide_internal_frames

_VALID = "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid indices"
_PLAIN = frozenset((int, slice))
_OF_VIEWS = _PLAIN | {type(Ellipsis), type(None)}
Index = SupportsIndex | slice | EllipsisType | Tensor | np.ndarray | range | list[Any] | tuple[Any, ...] | None
_PARTS = (slice, TensorBase, np.ndarray)
_LONG = 32  # from this length on a list is one index, whatever it has
MAX_EXACT_INTEGER = 2.0**53  # numbers of which float64 has all whole ones below, and float32 is not too small for
_RANGES = {
    each: range(dtypes.iinfo(each).min, dtypes.iinfo(each).max + 1)
    for each in (dtypes.int64, dtypes.int32, dtypes.int16, dtypes.int8, dtypes.uint8)
}
_NO_DIMS = "invalid index of a 0-dim tensor. Use `tensor.item()` to convert a 0-dim tensor to a number"


def getitem(x: Any, key: "Index") -> "Tensor":
    """`x[key]`: a view, or a copy where the key has an index tensor, a mask, a list or a bool.

    Raises:
        IndexError: for an index out of bounds, too many indices, or a key of the wrong type.
        ValueError: for a slice step that is not positive.
    """
    try:
        if not watch.every and (result := item_getter()(x, key)) is not None:
            return result
        if (x.__class__ not in plain or _is_foreign(key)) and (
            result := overridden(getitem, x, key)
        ) is not NOT_HANDLED:
            return result
        if type(key) is int:
            return _select(x, 0, key, 0)
        if type(key) is slice and x._shape:
            start, stop, step = _bounds(key, x._shape[0])
            return op.slice(x, 0, start, stop, step)
        is_index = isinstance(key, TensorBase) and key._dtype is dtypes.int64 and key._vmap_level is None
        if is_index and key._shape and x._shape:  # type: ignore[union-attr]
            return op.index(x, [key])
        if type(key) is tuple and _PLAIN.issuperset(map(type, key)) and 0 < len(key) <= len(x._shape):
            result = _stepwise(x, key)
        else:
            result, indices = _View(x).apply(_as_items(key))
            if indices:
                chosen = None if watch.every else kernel_ops["index"].launch(result, indices)
                return op.index(result, indices) if chosen is None else chosen
        return op.alias(x) if result is x else result
    except Exception as error:
        hide_internal_frames(error)
        raise


def _is_foreign(key: Any) -> bool:
    for part in key if type(key) is tuple else (key,):
        if type(part) is slice:
            if foreign((part.start, part.stop, part.step)):
                return True
        elif foreign(part):
            return True
    return False


def _stepwise(x: Any, key: tuple[Any, ...]) -> Any:
    """The view that ints and slices make of the first dimensions: what `_View` finds, by a shorter way."""
    result, dim = x, 0
    for position, part in enumerate(key):
        if type(part) is int:
            result = _select(result, dim, part, position)
            continue
        size = result._shape[dim]
        start, stop, step = _bounds(part, size)
        if step != 1 or stop - start != size:
            result = op.slice(result, dim, start, stop, step)
        dim += 1
    return result


def setitem(x: Any, key: "Index", value: Any) -> None:
    """`x[key] = value` for a Tensor, a number or a NumPy array that broadcasts to `x[key]`, in place."""
    try:
        if not watch.every:
            if isinstance(value, TensorBase):
                if value.__class__ in known and _is_written(x, key, value):
                    return
            elif _has_number(x._dtype, value) and _is_filled(x, key, value):
                return
        foreign_one = x.__class__ not in plain or value.__class__ not in plain or _is_foreign(key)
        if foreign_one and overridden(setitem, x, key, value) is not NOT_HANDLED:
            return
        result, indices = _View(x).apply(_as_items(key))
        source = _as_value(x, value)
        ndim = len(result._shape)
        if indices:
            args = [index for index in indices if index is not None]
            brought = max(1 if index._dtype is dtypes.bool_ else len(index._shape) for index in args)
            ndim += brought - sum(map(_dims_used, args))
            op.index_put_(result, indices, _without_leading_ones(source, ndim), False)
        else:
            _assign(result, _without_leading_ones(source, ndim))
    except Exception as error:
        hide_internal_frames(error)
        raise


def _has_number(own: dtypes.dtype, value: Any) -> bool:
    kind = value.__class__
    if own.planned:
        return kind is float or kind is int
    if own is dtypes.bool_:
        return kind is bool or kind is int
    return kind is int and own in _RANGES and value in _RANGES[own]


def _is_filled(x: Any, key: Any, value: float) -> bool:
    """Whether a number has been written where a key says that a view lies, a mask of bools is true, or indices are."""
    if _is_of_view(key):
        view = _view_at(x, key)
        if view is not None and elementwise_ops["fill__scalar"].launch_in_place(view, value) is None:
            op.fill_(view, value)
        return view is not None
    if isinstance(key, TensorBase) and key._dtype is dtypes.bool_ and key._shape == x._shape != ():
        return elementwise_ops["masked_fill_scalar"].launch_in_place(x, key, value) is not None
    return -MAX_EXACT_INTEGER <= value <= MAX_EXACT_INTEGER and _is_written(x, key, constant(value, x._dtype))


def _view_at(x: Any, key: Any) -> Any:
    """The view that such a key makes, x itself where it takes all; None where it has not been found before."""
    if (key is Ellipsis or _is_full_slice(key)) and x._shape and x.__class__ in plain:
        return x
    return item_getter()(x, key)


def _is_full_slice(key: Any) -> bool:
    return key.__class__ is slice and key.start is key.stop is key.step is None


def _is_of_view(key: Any) -> bool:
    kind = key.__class__
    return kind in _OF_VIEWS or (kind is tuple and _OF_VIEWS.issuperset(map(type, key)))


def _is_written(x: Any, key: Any, value: Any) -> bool:
    """Whether the key was of views, int64 indices, or one mask, perhaps beside whole slices."""
    if _is_of_view(key):
        view = _view_at(x, key)
        if view is None or len(value._shape) > len(view._shape):
            return False
        _assign(view, value)
        return True
    indices = _without_slices(key) if key.__class__ is tuple else (key,)
    if len(value._shape) > _dims_chosen(x, indices):
        return False
    op.index_put_(x, indices, value, False)
    return True


def _without_slices(keys: tuple[Any, ...]) -> tuple[Any, ...]:
    """The parts of a key, None for whole slices; nothing where a part is None already, which is a new dimension."""
    sliced = False
    for part in keys:
        if part is None:
            return ()
        sliced = sliced or part.__class__ is slice
    return tuple([None if _is_full_slice(part) else part for part in keys]) if sliced else keys


def _dims_chosen(x: Any, indices: tuple[Any, ...]) -> int:
    """How many dimensions has what indices of int64 choose, or one mask, beside whole dimensions; -1 for others."""
    full, chosen, brought, masked = 0, 0, 0, False
    for index in indices:
        if index is None:
            full += 1
            continue
        is_mask = isinstance(index, TensorBase) and index._dtype is dtypes.bool_
        if masked or (is_mask and chosen) or not isinstance(index, TensorBase) or not index._shape:
            return -1
        if not is_mask and index._dtype is not dtypes.int64:
            return -1
        masked, dims = is_mask, len(index._shape)
        chosen += dims if is_mask else 1
        brought = brought or (1 if is_mask else dims)
    return len(x._shape) - chosen + brought if 0 < chosen <= len(x._shape) - full else -1


def _assign(target: Any, source: Any) -> None:
    """Write a tensor that broadcasts; `x[key] *= 2` has written already, and gives the view that it wrote to."""
    if _is_same_view(target, source) and not (watch.active or watch.every):
        target._bump_version("copy_")
        return
    if source._storage is target._storage and source._shape != target._shape:  # may lie in what is written to
        op.copy_(target, op.expand(source, target._shape))
    else:
        op.copy_(target, source)


def _is_same_view(target: Any, source: Any) -> bool:
    """Whether two tensors outside of graphs have each element at the same place."""
    if (
        source._storage is not target._storage
        or source._dtype is not target._dtype
        or source._requires_grad
        or target._requires_grad
    ):
        return False
    return (source._shape, source._strides, source._offset) == (target._shape, target._strides, target._offset)


def _as_value(x: Any, value: Any) -> Any:
    if isinstance(value, TensorBase):
        return value
    if isinstance(value, np.ndarray):
        return make_tensor(value)
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (bool, int, float, complex)):
        raise TypeError(f"can't assign a {type_name(value)} to a Tensor of {x._dtype}")
    return adopt(np.asarray(convert_number("__setitem__", value, x._dtype), x._dtype.compute.np), x._dtype)


def _without_leading_ones(value: Any, ndim: int) -> Any:
    shape = value._shape
    extra = 0
    while len(shape) - extra > ndim and shape[extra] == 1:
        extra += 1
    return op.reshape(value, shape[extra:]) if extra else value


def _as_items(key: Any) -> list[Any]:
    return [_as_item(part) for part in key] if isinstance(key, tuple) or _stands_for_tuple(key) else [_as_item(key)]


def _stands_for_tuple(key: Any) -> bool:
    """Whether a list has what is a part of a key by itself, as `x[[0, slice(2)]]`: PyTorch's rule."""
    if isinstance(key, TensorBase) or not _is_sequence(key) or len(key) >= _LONG:
        return False
    if not any(p is None or p is Ellipsis or isinstance(p, _PARTS) or _is_sequence(p) for p in key):
        return False
    warn_once("A list of several indices stands for a tuple of these, as in PyTorch: x[tuple(list)] says so.")
    return True


def _as_item(part: Any) -> Any:
    if part is None or part is Ellipsis or isinstance(part, (int, slice)):
        return part
    if isinstance(part, (np.generic, np.ndarray)) or _is_sequence(part):
        part = _as_tensor(part)
    if isinstance(part, TensorBase):
        return _index_tensor(part)
    try:
        return operator.index(part)
    except TypeError:
        error = TypeError if isinstance(part, (str, bytes)) else IndexError
        raise error(f"{_VALID} (got {type_name(part)})") from None


def _is_sequence(part: Any) -> bool:
    return isinstance(part, Sequence) and not isinstance(part, (str, bytes))


def _as_tensor(part: Any) -> Any:
    try:
        result = make_tensor(part)
    except (TypeError, RuntimeError) as error:
        raise IndexError(f"{_VALID} (got {type_name(part)}: {error})") from None
    return result if result.numel() or isinstance(part, np.ndarray) else make_tensor(part, dtype=dtypes.int64)


def _index_tensor(index: Any) -> Any:
    kind = index._dtype
    if kind not in (dtypes.int64, dtypes.int32, dtypes.uint8, dtypes.bool_):
        raise IndexError(f"tensors used as indices must be long, int, byte or bool tensors, got {kind}")
    if kind is dtypes.uint8:  # bytes are masks
        index = index.to(dtypes.bool_)
    elif kind is dtypes.int32:
        index = index.to(dtypes.int64)
    return index if index._shape or index._vmap_level is not None else index.item()


class _View:
    def __init__(self, x: Any) -> None:
        self.source = x
        self.view = x
        self.dim = 0  # of `view`, where the next part applies
        self.removed = 0  # dimensions of `source` before that which `view` no longer has
        self.indices: dict[int, Any] = {}

    def apply(self, items: list[Any]) -> tuple[Any, list[Any]]:
        """Apply all parts; returns the view and one index or None for each dimension up to the last index."""
        ndim = len(self.source._shape)
        used = sum(map(_dims_used, items))
        if used and not ndim:
            raise IndexError(_NO_DIMS)
        if used > ndim:
            raise IndexError(f"too many indices for tensor of dimension {ndim}: got {used}")
        for item in items:
            if item is Ellipsis:
                self.dim += ndim - used
                used = ndim  # a second Ellipsis stands for nothing
            else:
                self._apply_one(item)
        indices, dim, last = list[Any](), 0, max(self.indices, default=-1)
        while dim <= last:
            index = self.indices.get(dim)
            indices.append(index)
            dim += 1 if index is None else max(_dims_used(index), 1)
        return self.view, indices

    def _apply_one(self, item: Any) -> None:
        if item is None or isinstance(item, bool):
            self.view = op.unsqueeze(self.view, self.dim)
            if item is not None:
                self.indices[self.dim] = adopt(np.zeros(int(item), np.int64))
            self.dim += 1
            self.removed -= 1
        elif isinstance(item, int):
            self.view = _select(self.view, self.dim, item, self.dim + self.removed)
            self.removed += 1
        elif isinstance(item, slice):
            self._slice(item)
        else:
            self.indices[self.dim] = item
            self.dim += _dims_used(item)

    def _slice(self, item: slice) -> None:
        size = self.view._shape[self.dim]
        start, stop, step = _bounds(item, size)
        if (start, stop, step) != (0, size, 1):
            self.view = op.slice(self.view, self.dim, start, stop, step)
        self.dim += 1


def _bounds(item: slice, size: int) -> tuple[int, int, int]:
    start, stop, step = item.indices(size)
    if step < 0:
        raise ValueError(f"step must be greater than zero, got {step}")
    return start, stop if stop > start else start, step


def _dims_used(item: Any) -> int:
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    is_mask = isinstance(item, TensorBase) and item._dtype is dtypes.bool_
    return len(item._shape) if is_mask else 1


def _select(x: Any, dim: int, index: int, shown_dim: int) -> Any:
    if not x._shape:
        raise IndexError(_NO_DIMS)
    size = x._shape[dim]
    if not -size <= index < size:
        raise IndexError(f"index {index} is out of bounds for dimension {shown_dim} with size {size}")
    return op.select(x, dim, index)
