"""The names under which ops are recorded: PyTorch's, for what programs call.

An op that programs cannot call, such as the kernel of a norm, has the name of the function that they called."""

import functools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from ...dispatch.errors import names_of
from ...spec_lines import generated_package

_OWN = __name__.partition(".")[0]
_OPS = f"{_OWN}.generated.ops.", f"{_OWN}.generated.tensor", f"{_OWN}.nn.functional.", f"{_OWN}.runtime.ops."


@functools.cache
def shown_name(name: str, function: Callable[..., Any]) -> tuple[str, str, bool]:
    """Of a call: with its overload, and whether programs can call it by this name."""
    base, _, overload = name.partition(".")
    if function.__name__.endswith("_") and not base.endswith("_"):
        base += "_"
    return qualified(base, function.__module__), overload, is_public(base, function.__module__)


def qualified(name: str, module: str) -> str:
    package = module.partition(".")[0]
    return f"{'aten' if package == _OWN else package}::{name}"


@functools.cache
def is_public(name: str, module: str) -> bool:
    package: Any = sys.modules[module.partition(".")[0]]
    if package.__name__ != _OWN:
        return True
    space, _, rest = name.partition("_")  # linalg_inv
    if name in package.nn.functional.__all__:  # it also gives ops that it does not list
        return True
    return any(callable(getattr(o, name, None)) for o in (package, package.Tensor)) or callable(
        getattr(getattr(package, space, 0), rest, 0)
    )


def launched_name(op: Any, attribute: str, args: Any) -> tuple[str, str, tuple[str, str] | None, bool]:
    """Of a fast function: with its overload, what to look up in the spec, and whether programs call it by this name."""
    if attribute == "item_getter":
        return "aten::select" if args[1].__class__ is int else "aten::slice", "", None, True
    return _launched_name(op, attribute)


@functools.cache
def _launched_name(op: Any, attribute: str) -> tuple[str, str, tuple[str, str] | None, bool]:
    if attribute == "detacher":
        return "aten::detach", "", None, True
    node, kernels = op.node, getattr(op, "kernels", None)
    package = generated_package(getattr(node, "__module__", "")) if kernels is None else kernels.package
    module = f"{package or f'{_OWN}.generated'}.ops.{op.name}"
    if kernels is not None:
        spec_name = _spec_names(module).get(kernels.name, op.name)
    else:
        spec_name = node.op_name if node is not None and node.op_name.startswith(f"{op.name}.") else op.name
    base, _, overload = spec_name.partition(".")
    if attribute == "launch_in_place" and not base.endswith("_"):
        base += "_"
    return qualified(base, module), overload, (module, spec_name), is_public(base, module)


@functools.cache
def _spec_names(module: str) -> dict[str, str]:
    """Of kernels: `add.Tensor` of `add_tensor`."""
    return {name.replace(".", "_").lower(): name for name in names_of(module)}


def called_name(name: str) -> str:
    """The function of the package's by which the program came here; `name` where there is none."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and not _is_op(frame):
        frame = frame.f_back
    while frame is not None and _is_op(frame):
        function = frame.f_code.co_name
        called = function.strip("_") if function.startswith("__") else function
        if called[0] != "_" and is_public(called, _OWN):
            return f"aten::{called}"
        frame = frame.f_back
    return name


def _is_op(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith(_OPS)
