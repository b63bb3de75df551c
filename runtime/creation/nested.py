"""Reading numbers out of nested sequences, level by level (no recursion), and the dtype they infer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ..errors import DtypeError, type_name
from ..tensor.base import TensorBase, number_array
from ..tensor.casting import cast
from ..tensor.dtypes import bool_, get_default_dtype, iinfo, int64, promote_types, uint64
from ..tensor.dtypes import dtype as Dtype
from ..tensor.dtypes import from_numpy as dtype_from_numpy

_MAX_DIMS = 64
_RANK: dict[Any, int] = {bool: 0, int: 1, float: 2, complex: 3}


def read_nested(op: str, data: Any, kind: Dtype | None) -> tuple[np.ndarray, Dtype]:
    """The array of a number or nested sequence and its dtype: `kind`, else what the elements infer."""
    if data.__class__ is list and len(types := set(map(type, data))) == 1 and types <= _RANK.keys():  # as most are
        result = kind or _python_dtype(*types)
        return _to_array(op, data, types, result), result
    shape: list[int] = []
    level: list[Any] = [data]
    while level and any(map(_is_sequence, set(map(type, level)))):
        if len(shape) == _MAX_DIMS:
            raise ValueError(f"{op}(): too many dimensions '{type_name(level[0])}'")
        if _are_equal_arrays(level):
            return _stack(shape, level, kind)
        level = _next_level(op, shape, level)
    types = set(map(type, level))
    if types <= _RANK.keys():
        result = kind or _promoted(map(_python_dtype, types))
    else:
        result = kind or _promoted(_leaf_dtype(op, leaf) for leaf in level)
        level = [_value(op, leaf) for leaf in level]
        types = set(map(type, level))
    return _to_array(op, level, types, result).reshape(shape), result


def _is_sequence(cls: type) -> bool:
    if issubclass(cls, (list, tuple, np.ndarray)):
        return True
    if issubclass(cls, (str, bytes, TensorBase, dict)):
        return False
    return issubclass(cls, Sequence) or (hasattr(cls, "__len__") and hasattr(cls, "__getitem__"))


def _next_level(op: str, shape: list[int], level: list[Any]) -> list[Any]:
    """The items of the sequences in `level`, which must be equally long; their length becomes a dimension."""
    for item in level:
        if not _is_sequence(type(item)):
            raise TypeError(f"{op}(): expected a sequence at dim {len(shape)}, but got {type_name(item)}")
    rows = [_items(item) for item in level]
    length = len(rows[0])
    for row in rows:
        if len(row) != length:
            expected = f"expected sequence of length {length} at dim {len(shape)}"
            raise ValueError(f"{op}(): {expected} (got {len(row)})")
    shape.append(length)
    return list(chain.from_iterable(rows))


def _items(sequence: Any) -> Any:
    if isinstance(sequence, np.ndarray) and sequence.ndim == 0:
        return [sequence[()]]
    return sequence if isinstance(sequence, (list, tuple)) else [sequence[i] for i in range(len(sequence))]


def _are_equal_arrays(level: list[Any]) -> bool:
    return all(type(x) is np.ndarray for x in level) and len({x.shape for x in level}) == 1


def _stack(shape: list[int], arrays: list[np.ndarray], kind: Dtype | None) -> tuple[np.ndarray, Dtype]:
    result = _promoted(dtype_from_numpy(array.dtype) for array in arrays)
    stacked = np.stack(arrays).reshape(*shape, *arrays[0].shape)
    return stacked, kind or result


def _promoted(kinds: Iterable[Dtype]) -> Dtype:
    result: Dtype | None = None
    for kind in set(kinds):
        result = kind if result is None else promote_types(result, kind)
    return get_default_dtype() if result is None else result


def _python_dtype(cls: type) -> Dtype:
    default = get_default_dtype()
    return (bool_, int64, default, default.to_complex())[_RANK[cls]]


def _leaf_dtype(op: str, leaf: Any) -> Dtype:
    if isinstance(leaf, TensorBase):
        return leaf._dtype
    if isinstance(leaf, (np.generic, np.ndarray)):
        return dtype_from_numpy(leaf.dtype)
    for cls in _RANK:
        if isinstance(leaf, cls):
            return _python_dtype(cls)
    raise _invalid(op, leaf)


def _invalid(op: str, leaf: Any) -> Exception:
    if isinstance(leaf, (str, bytes)):
        return TypeError(f"{op}(): invalid data type '{type_name(leaf)}'")
    return RuntimeError(f"{op}(): could not infer dtype of {type_name(leaf)}")


def _value(op: str, leaf: Any) -> Any:
    if type(leaf) in _RANK:
        return leaf
    if isinstance(leaf, TensorBase):
        if leaf.numel() != 1:
            raise ValueError(f"{op}(): only one element tensors can be converted to Python scalars")
        return number_array(leaf).item()
    if isinstance(leaf, (np.generic, np.ndarray)):
        dtype_from_numpy(leaf.dtype)
        return leaf.item()
    for cls in _RANK:
        if isinstance(leaf, cls):
            return cls(leaf)
    raise _invalid(op, leaf)


def _to_array(op: str, values: list[Any], types: set[type], kind: Dtype) -> np.ndarray:
    """The numbers in the dtype; integers that do not fit are an error, floats become infinite."""
    if complex in types and kind.kind in "if":
        raise TypeError(f"{op}(): expected real numbers for dtype {kind}, but got complex ones")
    try:
        if kind.kind == "i":
            return _integers(op, values, types, kind)
        is_complex = complex in types or kind.kind == "c"
        array = np.array(values, np.complex128 if is_complex else np.float64)
    except OverflowError:
        if float in types:
            raise _too_large(op, kind) from None
        raise ValueError(f"{op}(): an integer does not fit into {kind}") from None
    return cast(array, kind.np)


def _integers(op: str, values: list[Any], types: set[type], kind: Dtype) -> np.ndarray:
    """Floats are truncated; negative numbers wrap around in what has no sign, as in C, but in uint64, as in PyTorch."""
    wide = np.uint64 if kind is uint64 else np.int64
    array = np.array([_truncated(x) for x in values] if float in types else values, wide)
    if array.dtype == kind.np:
        return array
    limits = iinfo(kind)
    low, high = limits.min if kind.is_signed else -limits.max, limits.max
    if array.size and not (low <= array.min() and array.max() <= high):
        raise _too_large(op, kind)
    return array.astype(kind.np)


def _too_large(op: str, kind: Dtype) -> DtypeError:
    return DtypeError(f"{op}(): a value cannot be converted to {kind} without overflow")


def _truncated(value: Any) -> int:
    if value != value:
        raise OverflowError
    return int(value)
