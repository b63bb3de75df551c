"""Tensors of existing data: nested sequences, read level by level (no recursion), NumPy arrays, other tensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np

from ...device.device import DeviceLike
from ...dispatch import argument_checks
from ...errors import DtypeError, type_name
from ...namespace import Tensor
from ...tensor.dtypes import BY_NUMPY, bool_, dtype, get_default_dtype, iinfo, int64, promote_types, uint64
from ...tensor.dtypes import from_numpy as dtype_from_numpy
from ...tensor.memory import cast, copied
from ...tensor.overrides import NOT_HANDLED
from ...tensor.tensor import TensorBase, from_flat, number_array, share
from ...tracebacks import hide_internal_frames
from .fast_calls import Creation
from .options import finish, from_array, query_modes

_MAX_DIMS = 64
_RANK: dict[Any, int] = {bool: 0, int: 1, float: 2, complex: 3}


def read_nested(op: str, data: Any, kind: dtype | None) -> tuple[np.ndarray, dtype]:
    if data.__class__ is list and len(types := set(map(type, data))) == 1 and types <= _RANK.keys():  # as most are
        result = kind or _python_dtype(*types)
        return _to_array(op, data, types, result), result
    shape: list[int] = []
    level: list[Any] = [data]
    while level and any(map(_is_sequence, set(map(type, level)))):
        if len(shape) == _MAX_DIMS:
            raise ValueError(f"{op}(): too many dimensions '{type_name(level[0])}'")
        if all(type(x) is np.ndarray for x in level) and len({x.shape for x in level}) == 1:
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


def _stack(shape: list[int], arrays: list[np.ndarray], kind: dtype | None) -> tuple[np.ndarray, dtype]:
    result = _promoted(dtype_from_numpy(array.dtype) for array in arrays)
    stacked = np.stack(arrays).reshape(*shape, *arrays[0].shape)
    return stacked, kind or result


def _promoted(kinds: Iterable[dtype]) -> dtype:
    result: dtype | None = None
    for kind in set(kinds):
        result = kind if result is None else promote_types(result, kind)
    return get_default_dtype() if result is None else result


def _python_dtype(cls: type) -> dtype:
    default = get_default_dtype()
    return (bool_, int64, default, default.to_complex())[_RANK[cls]]


def _leaf_dtype(op: str, leaf: Any) -> dtype:
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


def _to_array(op: str, values: list[Any], types: set[type], kind: dtype) -> np.ndarray:
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


def _integers(op: str, values: list[Any], types: set[type], kind: dtype) -> np.ndarray:
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


def _too_large(op: str, kind: dtype) -> DtypeError:
    return DtypeError(f"{op}(): a value cannot be converted to {kind} without overflow")


def _truncated(value: Any) -> int:
    if value != value:
        raise OverflowError
    return int(value)


DATA = Creation("tensor", "data", "v", inferred=True)


def tensor(
    data: Any,
    *,
    dtype: dtype | None = None,
    device: DeviceLike = None,
    requires_grad: bool = False,
    pin_memory: bool = False,
) -> Tensor:
    """A tensor that holds a copy of `data`.

    Args:
        data: a number, a nested list or tuple of numbers, a NumPy array, or a Tensor.
        dtype: the element type; when not given: bool, int64, or the default float or complex dtype for Python
            numbers, and the same type as that of a NumPy array or Tensor.
        device: where the tensor is made.
        requires_grad: whether operations on it are recorded.
        pin_memory: accepted for programs that run with CUDA elsewhere; without effect on the CPU.

    Raises:
        ValueError: for sequences of unequal length, or an integer of more than 64 bits.
        TypeError: for data that is no number.

    Example:
        >>> import specgrad as sg
        >>> sg.tensor([[1, 2], [3, 4]])
        tensor([[1, 2],
                [3, 4]])
    """
    try:
        if (made := DATA.launch(data, dtype, device, requires_grad, pin_memory)) is not None:
            return made
        options = {"dtype": dtype, "device": device, "requires_grad": requires_grad, "pin_memory": pin_memory}
        if (made := query_modes(tensor, data, **options)) is not NOT_HANDLED:
            return made
        made = _copy_of("tensor", data, argument_checks.optional_dtype("tensor", "dtype", dtype))
        return finish("tensor", made, device_of(data, device), requires_grad, pin_memory, is_data=True)
    except Exception as error:
        hide_internal_frames(error)
        raise


def device_of(data: Any, device: Any) -> Any:
    return data._device if device is None and isinstance(data, TensorBase) else device


def _copy_of(op: str, data: Any, kind: dtype | None) -> Any:
    if isinstance(data, TensorBase):
        own = from_flat(copied(data.array).ravel(), data._shape, data._dtype)
        return own if kind is None else own.to(kind)
    if isinstance(data, np.ndarray):
        source = native(op, data)
        t = share(copied(source))
        return t if kind is None or kind is t._dtype else from_array(source, kind)
    array, result = read_nested(op, data, kind)
    return from_array(array, result)


def native(op: str, array: np.ndarray) -> np.ndarray:
    """The array as a plain one (no matrix, no mask), unless its elements have the other byte order."""
    if not array.dtype.isnative:
        raise ValueError(
            f"{op}(): given numpy array has byte order different from the native byte order. "
            "Conversion between byte orders is not supported; use array.astype(array.dtype.newbyteorder('='))"
        )
    return np.asarray(array)


def from_numpy(ndarray: np.ndarray) -> Tensor:
    """A tensor over the memory of a NumPy array: a change of one is seen in the other.

    A read-only array is copied, since writes to a tensor could not be refused.

    Args:
        ndarray: the array, of any shape and of a dtype that specgrad has.

    Raises:
        TypeError: when the argument is no array or has no dtype of specgrad.
        ValueError: for negative strides or foreign byte order.

    Example:
        >>> import numpy, specgrad as sg
        >>> sg.from_numpy(numpy.array([1.0, 2.0]))
        tensor([1., 2.], dtype=specgrad.float64)
    """
    try:
        if ndarray.__class__ is np.ndarray:
            kind, flags = BY_NUMPY.get(ndarray.dtype), ndarray.flags  # which has no dtype of the other byte order
            if kind is not None and flags.c_contiguous and flags.writeable:
                return from_flat(ndarray.reshape(-1), ndarray.shape, kind)
        if not isinstance(ndarray, np.ndarray):
            raise TypeError(f"from_numpy(): expected np.ndarray (got {type_name(ndarray)})")
        array = native("from_numpy", ndarray)
        return share(array if array.flags.writeable else array.copy(order="C"))
    except Exception as error:
        hide_internal_frames(error)
        raise


def as_tensor(data: Any, dtype: dtype | None = None, device: DeviceLike = None) -> Tensor:
    """A tensor of `data` that shares its memory where dtype and device allow; a Tensor keeps its history.

    Args:
        data: as of `tensor`.
        dtype: the element type; that of `data` when not given.
        device: where the tensor is to be.

    Example:
        >>> import specgrad as sg
        >>> x = sg.ones(2)
        >>> sg.as_tensor(x) is x
        True
    """
    try:
        if (made := DATA.launch(data, dtype, device, False)) is not None:
            return made
        made = query_modes(as_tensor, data, dtype=dtype, device=device)
        if made is not NOT_HANDLED:
            return made
        kind = argument_checks.optional_dtype("as_tensor", "dtype", dtype)
        result: Any = from_numpy(data) if isinstance(data, np.ndarray) else data
        if not isinstance(result, TensorBase):
            result = _copy_of("as_tensor", result, kind)
        elif kind is not None:
            result = result.to(kind)  # type: ignore[attr-defined]
        return finish("as_tensor", result, device_of(data, device), False, is_data=True)
    except Exception as error:
        hide_internal_frames(error)
        raise
