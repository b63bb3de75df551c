"""`Tensor(...)` and the classes named after a dtype (`LongTensor`): constructors of older programs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..dispatch import checks
from ..errors import ArgumentError, DtypeError, type_name
from ..tensor import dtypes
from ..tensor.base import TensorBase, alias
from ..tensor.devices import resolve
from ..tensor.dtypes import dtype as Dtype
from ..tensor.dtypes import get_default_dtype
from ..tensor.shapes import Size
from .data import tensor
from .filled import empty


def construct(cls: type, *data: Any, device: Any = None) -> Any:
    """`Tensor(2, 3)`, uninitialised; `Tensor([1, 2])`, of the default dtype; `Tensor(other)`, over the same memory.

    `tensor`, `empty` and their kin say more clearly what they do.

    Raises:
        TypeError: for arguments that are neither sizes nor data.
    """
    if len(data) == 1 and isinstance(data[0], TensorBase):
        made = _over_memory(cls.__name__, data[0]._dtype, data[0])
    else:
        made = _made(cls.__name__, get_default_dtype(), data, device)
    made.__class__ = cls
    return made


def _made(name: str, kind: Dtype, data: tuple[Any, ...], device: Any) -> Any:
    first, *more = data or (0,)
    if isinstance(first, Size) and not more:
        return empty(first, dtype=kind, device=device)
    if more or isinstance(first, (int, np.integer)):
        return empty(checks.integer_list(name, "size", (first, *more)), dtype=kind, device=device)
    if isinstance(first, TensorBase):
        return _over_memory(name, kind, first)
    if isinstance(first, (list, tuple, np.ndarray)):
        return tensor(first, dtype=kind, device=device)
    raise ArgumentError(f"{name}(): expected sizes, a sequence or a Tensor, but got {type_name(first)}")


def _over_memory(name: str, kind: Dtype, value: Any) -> Any:
    if value._dtype is not kind:
        raise DtypeError(f"{name}(): expected a Tensor of {kind}, but got {value._dtype}; convert it with .to({kind})")
    return alias(value, value._shape, value._strides, value._offset)


class TensorType:
    """A tensor class of older programs: makes tensors of one dtype, tells them apart by isinstance, names a dtype.

    Example:
        >>> import specgrad as sg
        >>> sg.LongTensor([1, 2])
        tensor([1, 2])
        >>> isinstance(sg.zeros(2), sg.FloatTensor), sg.zeros(2).type(sg.LongTensor).dtype
        (True, specgrad.int64)
    """

    def __init__(self, name: str, dtype: Dtype) -> None:
        self.__name__ = name
        self.dtype = dtype

    def __call__(self, *data: Any, device: Any = None) -> Any:
        return _made(self.__name__, self.dtype, data, device)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, TensorBase) and instance._dtype is self.dtype

    def __repr__(self) -> str:
        return f"<class 'specgrad.{self.__name__}'>"


FloatTensor = TensorType("FloatTensor", dtypes.float32)
DoubleTensor = TensorType("DoubleTensor", dtypes.float64)
HalfTensor = TensorType("HalfTensor", dtypes.float16)
BFloat16Tensor = TensorType("BFloat16Tensor", dtypes.bfloat16)
CharTensor = TensorType("CharTensor", dtypes.int8)
ShortTensor = TensorType("ShortTensor", dtypes.int16)
IntTensor = TensorType("IntTensor", dtypes.int32)
LongTensor = TensorType("LongTensor", dtypes.int64)
ByteTensor = TensorType("ByteTensor", dtypes.uint8)
BoolTensor = TensorType("BoolTensor", dtypes.bool_)
ComplexFloatTensor = TensorType("ComplexFloatTensor", dtypes.complex64)
ComplexDoubleTensor = TensorType("ComplexDoubleTensor", dtypes.complex128)
TYPES = {name: found for name, found in globals().items() if isinstance(found, TensorType)}


def type_of(value: Any) -> str:
    """PyTorch's name for the type of a tensor: `specgrad.FloatTensor`."""
    return f"specgrad.{next(name for name, found in TYPES.items() if found.dtype is value._dtype)}"


def named_dtype(value: Any) -> Dtype:
    """The dtype that `x.type(value)` asks for: a dtype, a TensorType or its name, with or without a package.

    Raises:
        ValueError: for a name that is none of these.
    """
    if isinstance(value, TensorType):
        return value.dtype
    if not isinstance(value, str):
        return checks.dtype("type", "dtype", value)
    package, _, name = value.rpartition(".")
    if package.endswith("cuda"):
        resolve("cuda")
    if name not in TYPES:
        raise ValueError(f"type(): invalid type: {value!r}, expected one of {', '.join(TYPES)}")
    return TYPES[name].dtype
