"""Kernels that fail in a way that no check foresaw: the error says which op it was, and on what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from .. import errors
from ..tensor.base import TensorBase
from .places import check_devices

# These say themselves what is wrong; what cannot be imported has nothing to do with the arguments.
_AS_THEY_ARE = (*(cls for cls in vars(errors).values() if isinstance(cls, type)), ImportError)


def reraise(name: str, error: Exception, arguments: Sequence[Any]) -> NoReturn:
    """Raise an error of a kernel as a RuntimeError that names op, shapes and dtypes, unless it says all that itself.

    Kernels are found by the first tensor, so tensors on several devices are found out here.
    """
    check_devices(name, arguments)
    if isinstance(error, _AS_THEY_ARE) or str(error).startswith(name.rstrip("_")):
        raise error
    value = ", ".join(described(argument) for argument in arguments)
    if isinstance(error, MemoryError):
        raise RuntimeError(f"{name}(): not enough memory, for arguments ({value}): {error}") from error
    raise RuntimeError(f"{name}(): cannot be computed for arguments ({value}): {error}") from error


def described(value: Any) -> str:
    """An argument in few words: shape and dtype of a tensor, other values as they are."""
    if isinstance(value, TensorBase):
        return f"{value._dtype!r} tensor of shape {list(value._shape)}"
    if isinstance(value, (list, tuple)) and any(isinstance(item, TensorBase) for item in value):
        return f"[{', '.join(map(described, value))}]"
    return repr(value)


def listed(value: Any) -> Any:
    """The items of a list; nothing for what is none, which the check that follows refuses in the op's words."""
    return value if isinstance(value, (list, tuple)) else ()
