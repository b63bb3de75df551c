"""Tensors made of existing data: nested sequences, NumPy arrays, other tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dispatch import checks
from ..errors import type_name
from ..modes.overrides.calls import NOT_HANDLED
from ..tensor.base import TensorBase, from_flat, share
from ..tensor.dtypes import BY_NUMPY
from ..tensor.dtypes import dtype as Dtype
from ..tensor.memory import copied
from .fast import Creation
from .nested import read_nested
from .options import finish, from_array, query_modes

DATA = Creation("tensor", "data", "v", inferred=True)


def tensor(
    data: Any, *, dtype: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False
) -> Any:
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
    if (made := DATA.launch(data, dtype, device, requires_grad, pin_memory)) is not None:
        return made
    if (
        made := query_modes(
            tensor, data, dtype=dtype, device=device, requires_grad=requires_grad, pin_memory=pin_memory
        )
    ) is not NOT_HANDLED:
        return made
    kind = checks.optional_dtype("tensor", "dtype", dtype)
    return finish(
        "tensor", _copy_of("tensor", data, kind), device_of(data, device), requires_grad, pin_memory, is_data=True
    )


def device_of(data: Any, device: Any) -> Any:
    return data._device if device is None and isinstance(data, TensorBase) else device


def _copy_of(op: str, data: Any, kind: Dtype | None) -> Any:
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


def from_numpy(ndarray: np.ndarray) -> Any:
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
    if ndarray.__class__ is np.ndarray:
        kind, flags = BY_NUMPY.get(ndarray.dtype), ndarray.flags  # which has no dtype of the other byte order
        if kind is not None and flags.c_contiguous and flags.writeable:
            return from_flat(ndarray.reshape(-1), ndarray.shape, kind)
    if not isinstance(ndarray, np.ndarray):
        raise TypeError(f"from_numpy(): expected np.ndarray (got {type_name(ndarray)})")
    array = native("from_numpy", ndarray)
    return share(array if array.flags.writeable else array.copy(order="C"))


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Any:
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
    if (made := DATA.launch(data, dtype, device, False)) is not None:
        return made
    made = query_modes(as_tensor, data, dtype=dtype, device=device)
    if made is not NOT_HANDLED:
        return made
    kind = checks.optional_dtype("as_tensor", "dtype", dtype)
    result: Any = from_numpy(data) if isinstance(data, np.ndarray) else data
    if not isinstance(result, TensorBase):
        result = _copy_of("as_tensor", result, kind)
    elif kind is not None:
        result = result.to(kind)  # type: ignore[attr-defined]
    return finish("as_tensor", result, device_of(data, device), False, is_data=True)
