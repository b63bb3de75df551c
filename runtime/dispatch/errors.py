"""Errors of kernels that no check foresaw, which say the op and its arguments; and the spec's record of an op.

The runtime imports no generated package: the module in which a function or a node was defined says where it is."""

import functools
import importlib
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from .. import errors
from ..autograd.copy_slices import CopySlices
from ..spec_lines import generated_package
from ..tensor.tensor import TensorBase
from .devices import check_devices
from .registry import Op

# These say themselves what is wrong; what cannot be imported has nothing to do with the arguments.
_AS_THEY_ARE = (*(cls for cls in vars(errors).values() if isinstance(cls, type)), ImportError)


def reraise(name: str, error: Exception, arguments: Sequence[Any]) -> NoReturn:
    """Raise an error of a kernel as a RuntimeError that names op, shapes and dtypes, unless it says all that itself.

    Kernels are found by the first tensor, so tensors on several devices are found out here."""
    check_devices(name, arguments)
    if isinstance(error, _AS_THEY_ARE) or str(error).startswith(name.rstrip("_")):
        raise error
    value = ", ".join(described(argument) for argument in arguments)
    if isinstance(error, MemoryError):
        raise RuntimeError(f"{name}(): not enough memory, for arguments ({value}): {error}") from error
    raise RuntimeError(f"{name}(): cannot be computed for arguments ({value}): {error}") from error


def described(value: Any) -> str:
    if isinstance(value, TensorBase):
        return f"{value._dtype!r} tensor of shape {list(value._shape)}"
    if isinstance(value, (list, tuple)) and any(isinstance(item, TensorBase) for item in value):
        return f"[{', '.join(map(described, value))}]"
    return repr(value)


def listed(value: Any) -> Any:
    """The items of a list; nothing for what is none, which the check that follows refuses in the op's words."""
    return value if isinstance(value, (list, tuple)) else ()


def op_node(node: Any) -> Any:
    """The node of the op itself: of a write to a view, which is a node of the base, the one that the op made."""
    return node.inner if isinstance(node, CopySlices) else node


def entry_of(module: str, name: str) -> Op | None:
    """None for what was written by hand. `name`: with overload, in place also with `_`."""
    entries = _entries(generated_package(module))
    return entries.get(name) or entries.get(name.replace("_.", ".").removesuffix("_"))


def names_of(module: str) -> Iterable[str]:
    """Of the entries of the package that a module belongs to."""
    return _entries(generated_package(module))


@functools.cache
def _entries(package: str) -> dict[str, Op]:
    registry: Any = importlib.import_module(f"{package}.registry") if package else None
    return {} if registry is None else registry.BY_NAME
