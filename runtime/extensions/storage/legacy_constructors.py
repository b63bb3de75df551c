"""`Tensor(...)` and the classes named after a dtype (`LongTensor`): constructors of older programs."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...device.device import resolve, set_default
from ...dispatch import argument_checks
from ...errors import ArgumentError, type_name
from ...namespace import known, op
from ...ops.creation.constants import empty
from ...ops.creation.from_data import tensor
from ...shapes import Size
from ...tensor import dtypes
from ...tensor.dtype_views import unmarked
from ...tensor.dtypes import dtype as Dtype
from ...tensor.dtypes import get_default_dtype, set_default_dtype
from ...tensor.memory_format import strided
from ...tensor.tensor import TensorBase


def construct(cls: type, *data: Any, device: Any = None, **kwargs: Any) -> Any:
    """`Tensor(2, 3)`, uninitialised; `Tensor([1, 2])`, of the default dtype; `Tensor(other)`, over the same memory.
    `tensor`, `empty` and their kin say more clearly what they do. TypeError: for arguments that are neither sizes nor
    data.
    """
    data = _arguments(cls.__name__, data, kwargs)
    if len(data) == 1 and isinstance(data[0], TensorBase):
        made = _over_memory(cls.__name__, data[0]._dtype, data[0])
    else:
        made = _made(cls.__name__, get_default_dtype(), data, device)
    made.__class__ = cls
    return made


def new(like: Any, data: tuple[Any, ...], kwargs: dict[str, Any], device: Any) -> Any:
    device_type = like._device if device is None else resolve(device)
    return _made("new", like._dtype, _arguments("new", data, kwargs), device_type)


def _arguments(name: str, data: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    if not named:
        return data
    key, value = next(iter(named.items()))
    if len(named) > 1 or data or key not in ("size", "data", "other", "storage"):
        raise TypeError(f"{name}() received an invalid combination of arguments: {', '.join(named)}")
    return (Size(value),) if key == "size" else (value,)


def _made(name: str, kind: Dtype, data: tuple[Any, ...], device: Any) -> Any:
    first, *more = data or (0,)
    if isinstance(first, Size) and not more:
        return empty(first, dtype=kind, device=device)
    if isinstance(first, TensorBase) and not more:
        return _over_memory(name, kind, first)
    if more or isinstance(first, (int, np.integer)):
        return empty(argument_checks.integer_list(name, "size", (first, *more)), dtype=kind, device=device)
    if isinstance(first, (Sequence, np.ndarray)) and not isinstance(first, (str, bytes)):
        value = first if isinstance(first, (list, tuple, np.ndarray)) else list(first)
        return tensor(value, dtype=kind, device=device)
    if hasattr(first, "untyped") or hasattr(first, "nbytes"):
        return _over_storage(name, kind, first)
    raise _neither(name, first)


def _neither(name: str, value: Any) -> ArgumentError:
    return ArgumentError(f"{name}(): expected sizes, a sequence, a storage or a Tensor, but got {type_name(value)}")


def _over_memory(name: str, kind: Dtype, value: Any) -> Any:
    if value._dtype is not kind:
        raise ArgumentError(
            f"{name}(): expected a Tensor of {kind}, but got {value._dtype}; convert it with .to({kind})"
        )
    return op.alias(unmarked(value))


def _over_storage(name: str, kind: Dtype, value: Any) -> Any:
    from .set import is_storage, tensor_of  # storages are few programs' business

    if not is_storage(value):
        raise _neither(name, value)
    return tensor_of(value, kind)


class NamedType(type):
    """What is named after a dtype and a kind of device: isinstance tells tensors apart by both."""

    dtype: Dtype
    device_type: str
    is_cuda: bool
    package, title = "", "Tensors"

    def __new__(cls, name: str, dtype: Dtype, device_type: str = "cpu") -> Any:
        description = {
            "dtype": dtype,
            "device_type": device_type,
            "is_cuda": device_type == "cuda",
            "__module__": f"{known.name}.{_PREFIXES[device_type]}{cls.package}".rstrip("."),
            "__doc__": f"{cls.title} of {dtype.name} on {'the CPU' if device_type == 'cpu' else 'a CUDA device'}.",
        }
        return super().__new__(cls, name, (), description)

    def __init__(cls, name: str, dtype: Dtype, device_type: str = "cpu") -> None:
        super().__init__(name, (), {})

    def __instancecheck__(cls, instance: Any) -> bool:
        return (
            isinstance(instance, TensorBase)
            and instance._dtype is cls.dtype
            and instance._device.type == cls.device_type
        )


class TensorType(NamedType):
    """The classes of tensors of older programs: one makes tensors of a dtype on a kind of device, tells them apart by
    isinstance, and names dtype and device for `Tensor.type`.

    Example:
        >>> import specgrad as sg
        >>> sg.LongTensor([1, 2])
        tensor([1, 2])
        >>> isinstance(sg.zeros(2), sg.FloatTensor), sg.zeros(2).type(sg.LongTensor).dtype
        (True, specgrad.int64)
    """

    is_sparse = False
    layout = strided

    def __call__(cls, *data: Any, device: Any = None, **kwargs: Any) -> Any:
        value = _arguments(cls.__name__, data, kwargs)
        return _made(cls.__name__, cls.dtype, value, cls.device_type if device is None else device)


_PREFIXES = {"cpu": "", "cuda": "cuda.", "meta": "meta."}
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
TYPES = {name: constructor for name, constructor in globals().items() if isinstance(constructor, TensorType)}
CUDA_TYPES = {name: TensorType(name, constructor.dtype, "cuda") for name, constructor in TYPES.items()}


def type_of(value: Any) -> str:
    return f"{known.name}.{_PREFIXES[value._device.type]}{value._dtype.scalar_type}Tensor"


def named_type(value: Any) -> tuple[Dtype, str | None]:
    """The dtype and the kind of device that `x.type(value)` asks for: by a TensorType or its name, with or without a
    package, or by a dtype, which says nothing of the device. ValueError: for a name that is none of these.
    """
    if isinstance(value, TensorType):
        return value.dtype, value.device_type
    if isinstance(value, type) and issubclass(value, TensorBase):  # Tensor itself is the default type
        return get_default_dtype(), "cpu"
    if not isinstance(value, str):
        return argument_checks.dtype("type", "dtype", value), None
    package, _, name = value.rpartition(".")
    if name not in TYPES:
        raise ValueError(f"type(): invalid type: {value!r}, expected one of {', '.join(TYPES)}")
    return TYPES[name].dtype, "cuda" if package.endswith("cuda") else "cpu"


def set_default_tensor_type(t: Any) -> None:
    """The dtype and the device of a class of tensors, or of its name, where none are given. Deprecated, as in PyTorch:
    `set_default_dtype` and `set_default_device` say the same.

    Args:
        t: the class, of a floating-point dtype, or its name.

    Raises:
        TypeError: the class has another dtype, or it is none.

    Example:
        >>> import specgrad as sg
        >>> sg.set_default_tensor_type(sg.FloatTensor)
        >>> sg.get_default_dtype()
        specgrad.float32
    """
    if not isinstance(t, (str, TensorType)):
        raise TypeError("invalid type object: only floating-point types are supported as the default type")
    kind, device_type = named_type(t)
    if not kind.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    set_default_dtype(kind)
    set_default(resolve(device_type))
