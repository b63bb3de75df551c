"""Argument checks of generated functions, one per schema type: the value normalised, or a TypeError.

A check is called as `check(op, name, value)`; those of `int[N]` take N as a fourth argument. A type `T?` has the check
`optional_` + the name of the check of `T`."""

import operator
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from ..device import device as devices
from ..errors import ArgumentError, type_name
from ..shapes import Size, wrapped_dim
from ..tensor import dtypes
from ..tensor import generator as random
from ..tensor.host import item
from ..tensor.memory_format import memory_format as MemoryFormat
from ..tensor.tensor import TensorBase, adopt
from .ranks import Ranks

_PYTHON_DTYPES = {float: dtypes.float64, int: dtypes.int64, bool: dtypes.bool_, complex: dtypes.complex128}


Check = TypeVar("Check", bound=Callable[..., Any])
REJECTABLE = ("bools", "integers", "out of range", "negative integers")


def rejects(what: str) -> Callable[[Check], Check]:
    """Declare all that a check of arguments rejects, so that fast paths skip it for other calls.

    "bools": operands of dtype bool. "integers": integer operands; of these neither a positive second tensor nor
    positive numbers. "out of range": numbers that the dtype of the floating-point operands cannot hold. "negative
    integers": arguments of type int below 0."""
    if what not in REJECTABLE:
        raise ValueError(f"rejects() takes one of {', '.join(map(repr, REJECTABLE))}, not {what!r}")
    return lambda check: check


def _wrong(op: str, name: str, expected: str, value: Any) -> ArgumentError:
    return ArgumentError(f"{op}(): argument '{name}' must be {expected}, not {type_name(value)}")


def _number(value: Any) -> Any:
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return number_of(value)
    if isinstance(value, TensorBase) and not value._shape and not value._requires_grad:
        return item(value)
    return value


def number_of(value: Any) -> Any:
    """`item()` leaves numbers of extended precision as they are."""
    result = value.item()
    if isinstance(result, np.longdouble):
        return float(result)
    return complex(result) if isinstance(result, np.clongdouble) else result


def operand(op: str, name: str, value: Any) -> Any:
    """A Tensor, or a number that an element-wise op takes in the place of one; a NumPy array becomes a Tensor."""
    if isinstance(value, TensorBase) or type(value) in _PYTHON_DTYPES:
        return value
    if isinstance(value, np.generic) and value.dtype.kind in "biufc":
        return number_of(value)
    if isinstance(value, np.ndarray):
        return _from_array(op, name, value)
    raise _wrong(op, name, "Tensor or Number", value)


def _from_array(op: str, name: str, value: np.ndarray) -> Any:
    try:
        return adopt(np.asarray(value).copy(order="C"))
    except TypeError as error:
        raise ArgumentError(f"{op}(): argument '{name}': {error}") from None


def tensor_list(op: str, name: str, value: Any) -> tuple[Any, ...]:
    return _tensors(op, name, value, (TensorBase,))


def tensor_list_optional(op: str, name: str, value: Any) -> tuple[Any, ...]:
    """A list or tuple of Tensors and None (`Tensor?[]`), as a tuple."""
    return _tensors(op, name, value, (TensorBase, type(None)))


def _tensors(op: str, name: str, value: Any, allowed: tuple[type, ...]) -> tuple[Any, ...]:
    if not isinstance(value, (list, tuple)):
        raise _wrong(op, name, "tuple of Tensors", value)
    for position, element in enumerate(value):
        if not isinstance(element, allowed):
            raise ArgumentError(
                f"{op}(): expected Tensor as element {position} in argument '{name}', but got {type_name(element)}"
            )
    return tuple(value)


def scalar(op: str, name: str, value: Any) -> Any:
    result = value if type(value) in _PYTHON_DTYPES else _number(value)
    if isinstance(result, (int, float, complex)):
        return result
    raise _wrong(op, name, "Number", value)


def _integral(value: Any) -> Any:
    """`_number`, and the number in a tensor of one element, whatever its dimensions: it has an `__index__`."""
    if isinstance(value, TensorBase) and value._shape and value._dtype.kind == "i" and value.numel() == 1:
        return item(value)
    return _number(value)


def integer(op: str, name: str, value: Any) -> int:
    """An integer; a bool is refused, as in PyTorch."""
    if type(value) is int:
        return value
    result = _integral(value)
    if isinstance(result, int) and not isinstance(result, bool):
        return int(result)
    raise _wrong(op, name, "int", value)


def position(owner: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise ArgumentError(f"{owner}: an index must be int or slice, not {type_name(value)}") from None


def integer_list(op: str, name: str, value: Any, size: int | None = None) -> tuple[int, ...]:
    """A list or tuple of integers, as a tuple; for `int[N]` one integer stands for N equal ones."""
    if type(value) is Size:
        return tuple(value)
    if type(value) is int and size is not None:
        return (value,) * size
    if not isinstance(value, (list, tuple)):
        result = value if type(value) is int else _integral(value)
        if size is None or isinstance(result, bool) or not isinstance(result, int):
            raise _wrong(op, name, "tuple of ints", value)
        return (int(result),) * size
    for n in value:
        if type(n) is not int:
            return tuple(_list_item(op, name, position, n) for position, n in enumerate(value))
    return tuple(value)


def _list_item(op: str, name: str, position: int, value: Any) -> int:
    result = _integral(value)
    if isinstance(result, int) and not isinstance(result, bool):
        return int(result)
    raise ArgumentError(
        f"{op}(): argument '{name}' must be tuple of ints, but found element of type {type_name(value)} "
        f"at pos {position}"
    )


def boolean_list(op: str, name: str, value: Any) -> tuple[bool, ...]:
    if isinstance(value, (list, tuple)):
        return tuple(boolean(op, name, item) for item in value)
    raise _wrong(op, name, "tuple of bools", value)


def floating(op: str, name: str, value: Any) -> float:
    result = value if type(value) is float else _number(value)
    if not isinstance(result, (int, float)):
        raise _wrong(op, name, "float", value)
    try:
        return float(result)
    except OverflowError:
        raise RuntimeError(f"{op}(): argument '{name}' is too large for a float") from None


def floating_list(op: str, name: str, value: Any) -> tuple[float, ...]:
    if isinstance(value, (list, tuple)):
        return tuple(floating(op, name, number) for number in value)
    raise _wrong(op, name, "tuple of floats", value)


def boolean(op: str, name: str, value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise _wrong(op, name, "bool", value)


def dtype(op: str, name: str, value: Any) -> dtypes.dtype:
    """A dtype; Python's float, int, bool and complex stand for the widest dtype of their kind."""
    if isinstance(value, dtypes.dtype):
        return value
    if isinstance(value, type) and value in _PYTHON_DTYPES:
        return _PYTHON_DTYPES[value]
    raise _wrong(op, name, "specgrad.dtype", value)


def device(op: str, name: str, value: Any) -> devices.device:
    """A device that exists here, from a device, a string such as "cuda:0", or a CUDA index."""
    if isinstance(value, bool) or not isinstance(value, (devices.device, str, int)):
        raise _wrong(op, name, "specgrad.device", value)
    return devices.resolve(value)


def _instance(check: str, cls: type, expected: str) -> Callable[..., Any]:
    def checked(op: str, name: str, value: Any) -> Any:
        if isinstance(value, cls):
            return value
        raise _wrong(op, name, expected, value)

    checked.__name__ = check
    return checked


tensor = _instance("tensor", TensorBase, "Tensor")
string = _instance("string", str, "str")
generator = _instance("generator", random.Generator, "specgrad.Generator")
memory_format = _instance("memory_format", MemoryFormat, "specgrad.memory_format")
process_group = _instance("process_group", Ranks, "specgrad.distributed.ProcessGroup")


def wrap_dim(op: str, dim: Any, ndim: int, wrap_scalar: bool = True) -> int:
    """The dimension in `[0, ndim)`; a 0-d tensor counts as having one unless `wrap_scalar` is False."""
    return wrapped_dim(op, integer(op, "dim", dim), ndim, wrap_scalar)


def _optional(check: Callable[..., Any]) -> Callable[..., Any]:
    def checked(op: str, name: str, value: Any, *rest: Any) -> Any:
        return None if value is None else check(op, name, value, *rest)

    checked.__name__ = f"optional_{check.__name__}"
    checked.__doc__ = f"{check.__doc__} Or None."
    return checked


optional_tensor = _optional(tensor)
optional_operand = _optional(operand)
optional_scalar = _optional(scalar)
optional_integer = _optional(integer)
optional_integer_list = _optional(integer_list)
optional_floating = _optional(floating)
optional_floating_list = _optional(floating_list)
optional_boolean = _optional(boolean)
optional_string = _optional(string)
optional_dtype = _optional(dtype)
optional_device = _optional(device)
optional_generator = _optional(generator)
optional_memory_format = _optional(memory_format)
optional_process_group = _optional(process_group)
