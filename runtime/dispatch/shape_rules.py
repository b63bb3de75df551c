"""Shape rules that serve kernels of any family, and checks of shapes, dtypes and numbers.

A rule takes a kernel's arguments, arrays whose elements it does not look at, and gives the shape of the result, or a
list with the shape of each. An entry names it under `shape`."""

import functools
import math
from collections.abc import Sequence
from typing import Any, NoReturn

from ..errors import DtypeError, NoDataError, ShapeError, UnsupportedDtypeError
from ..shapes import Shape, broadcast_shapes
from ..tensor import dtypes
from ..tensor.dtypes import dtype, finfo, iinfo


def same(first: Any, *rest: Any) -> Shape:
    """The shape of the first operand."""
    return tuple(first.shape)


def same_of_each(first: Any, *rest: Any) -> list[Shape]:
    """Two results of the shape of the first operand."""
    return [same(first), same(first)]


def like_second(first: Any, second: Any, *rest: Any) -> Shape:
    """The shape of the second operand."""
    return tuple(second.shape)


def like_third(first: Any, second: Any, third: Any, *rest: Any) -> Shape:
    """The shape of the third argument."""
    return tuple(third.shape)


def one_number(*args: Any) -> Shape:
    """One number."""
    return ()


def size_argument(first: Any, size: Any, *rest: Any) -> Shape:
    """The size that the second argument is."""
    return tuple(size)


def size_third_argument(first: Any, second: Any, size: Any, *rest: Any) -> Shape:
    """The size that the third argument is."""
    return tuple(size)


def broadcast(*operands: Any) -> Shape:
    """The shape to which all operands broadcast."""
    return broadcast_shapes("broadcast", *[operand.shape for operand in operands])


def by_values(*args: Any) -> NoReturn:
    """A shape that depends on what the elements are.

    Raises:
        NoDataError: (a NotImplementedError) always.
    """
    raise NoDataError(
        "attempted to run this operator with Meta tensors, but there was no fake impl or Meta kernel registered: the "
        "shape of its result depends on the values of its elements"
    )


def require_shape(op: str, name: str, tensor: Any, shape: Sequence[int]) -> None:
    if tuple(tensor._shape) != tuple(shape):
        raise ShapeError(f"{op}(): expected {name} of shape {list(shape)}, got {list(tensor._shape)}")


def require_index_dtype(op: str, name: str, tensor: Any, allowed: Sequence[dtypes.dtype]) -> None:
    if tensor.dtype not in allowed:
        names = " or ".join(d.name for d in allowed)
        raise DtypeError(f"{op}(): expected {name} of dtype {names}, got {tensor.dtype.name}")


def require_integers(op: str, name: str, tensor: Any) -> None:
    """For places: of a float that is none, nan, no memory is to be read."""
    if tensor.dtype.kind != "i":
        raise DtypeError(f"{op}(): expected {name} to have integers, for they are places, but got {tensor.dtype.name}")


def broadcastable(op: str, name: str, tensor: Any, shape: Sequence[int]) -> None:
    """`tensor` must broadcast to `shape`, not widen it."""
    if tensor is not None and broadcast_shapes(op, tensor._shape, shape) != tuple(shape):
        raise ShapeError(f"{op}(): {name} of shape {list(tensor._shape)} does not broadcast to {list(shape)}")


def all_examples(tensor: Any) -> Any:
    """The tensor with the values of all examples, of one inside vmap; any other as it is."""
    while tensor._vmap_level is not None:
        tensor = tensor.value
    return tensor


def require_kind(op: str, tensor: Any, kinds: str, expected: str) -> None:
    """`tensor` must have a dtype of one of the `kinds`, of "bifc" for bool, integers, floating-point and complex."""
    if tensor.dtype.kind not in kinds:
        raise UnsupportedDtypeError(f"{op}(): expected {expected}, but got {tensor.dtype!r}")


def is_known(value: Any) -> bool:
    """Not the elements of one example of a batch under vmap, and not those that are not there."""
    return getattr(value, "_vmap_level", None) is None and not is_recorded(value)


def is_recorded(value: Any) -> bool:
    """A tensor on `meta`, or on a device whose current stream is recorded for a graph, has no elements to look at."""
    if getattr(value, "is_cuda", False):
        return is_recorded_on(value.device)
    return getattr(value, "is_meta", False)


def is_recorded_on(target_device: Any) -> bool:
    if target_device.type != "cuda":
        return False
    from ..device.cuda.graph_capture import here_on  # loaded with the first device

    return here_on(target_device.index) is not None


def fitting_number(op: str, name: str, value: Any, into: dtype) -> Any:
    """`value` as the Python number of the dtype's kind; fractions are cut off for integers, as in PyTorch, and numbers
    below 0 wrap where these have no sign.

    Raises:
        RuntimeError: a complex number for a real dtype, or one outside the dtype's range.
    """
    parts = (value.real, value.imag) if into.kind == "c" else (value,)
    if any(isinstance(part, complex) or not _in_range(part, into.to_real()) for part in parts):
        raise RuntimeError(f"{op}(): {name} {value} cannot be converted to {into} without overflow")
    if into.kind == "i" and not into.is_signed:
        return int(value) % 2 ** iinfo(into).bits
    return {"b": bool, "i": int, "f": float, "c": complex}[into.kind](value)


def _in_range(value: float, into: dtype) -> bool:
    """Whether a real number is between the dtype's limits; only floating-point dtypes have inf and nan."""
    if into.kind == "b":
        return True
    if isinstance(value, float) and not math.isfinite(value):
        return into.kind == "f"
    lower_bound, maximum = _limits(into)
    return lower_bound <= value <= maximum


@functools.cache
def _limits(into: dtype) -> tuple[float, float]:
    limits = finfo(into) if into.kind == "f" else iinfo(into)
    return limits.min if into.is_signed else -limits.max, limits.max
