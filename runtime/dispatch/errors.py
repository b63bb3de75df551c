"""Errors of kernels that no check foresaw, which say the op and its arguments; and the spec's record of an op.

The runtime imports no generated package: the module in which a function or a node was defined says where it is."""

import ast
import functools
import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

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
    if is_of_compiler(error):
        raise RuntimeError(f"{name}(): {_not_compiled(name, error, arguments)} ({compiler_reason(error)})") from None
    value = ", ".join(described(argument) for argument in arguments)
    if isinstance(error, MemoryError):
        raise RuntimeError(f"{name}(): not enough memory, for arguments ({value}): {error}") from error
    raise RuntimeError(f"{name}(): cannot be computed for arguments ({value}): {error}") from error


def is_of_compiler(error: BaseException) -> bool:
    return type(error).__module__.startswith("numba")


COLOURS = re.compile(r"\x1b\[[0-9;]*m")
SAME = re.compile(r"Failed in \w+ mode pipeline|^During: |^File |^This error may|^>>> |^There are \d+ candidate|^\W*$")


def compiler_reason(error: BaseException) -> str:
    """The line of numba's pages that says what is wrong, and the line of code that it speaks of."""
    lines = [line.strip() for line in COLOURS.sub("", str(error)).splitlines()]
    call = next((line.removeprefix(">>> ") for line in lines if line.startswith(">>> ")), "")
    wrong = f"no implementation of {call}" if call else next((line for line in lines if not SAME.search(line)), "")
    error_line = next((before for before, line in pairwise(lines) if line and not line.strip("^~ ")), "")
    wrong = wrong.partition(", defined at ")[0]
    return f"numba: {wrong}{f', in {error_line}' if error_line else ''}"


def _not_compiled(name: str, error: Exception, arguments: Sequence[Any]) -> str:
    """What a kernel cannot be compiled for: the argument of which no sample of the entry has so many dimensions."""
    op = _called_op(error, name)
    for (argument, *_), value in zip(op.arguments if op else (), arguments, strict=False):
        known = sorted({count for text in op.samples for count in _dimensions(text, argument)}) if op else []
        if isinstance(value, TensorBase) and known and len(value._shape) not in known:
            counts = " or ".join(map(str, known))
            return f"argument '{argument}' must have {counts} dimensions, but got shape {list(value._shape)}"
    return f"its kernel cannot be compiled for arguments ({', '.join(map(described, arguments))})"


def _called_op(error: Exception, name: str) -> Op | None:
    """The op of the generated function that called the kernel."""
    frame = error.__traceback__.tb_frame if error.__traceback__ else None
    while frame is not None:
        if (op := entry_of(frame.f_globals.get("__name__", ""), name)) is not None:
            return op
        frame = frame.f_back
    return None


def _dimensions(sample: str, argument: str) -> Iterator[int]:
    """How many dimensions a tensor has in a sample such as `self=T(3, 4), other=V([1.0, 2.0])`."""
    call = ast.parse(f"_({sample})", mode="eval").body
    for keyword in call.keywords if isinstance(call, ast.Call) else ():
        made = keyword.value
        if isinstance(made, ast.Call) and keyword.arg == ("self" if argument == "input" else argument):
            literal = isinstance(made.func, ast.Name) and made.func.id == "V"
            yield np.ndim(ast.literal_eval(made.args[0])) if literal else len(made.args)


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
