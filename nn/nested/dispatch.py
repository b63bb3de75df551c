"""What a call on nested tensors gives: a rule of its own, or what the spec's entry of the op leads to."""

import functools
from typing import Any

from ...generated.registry import OPS
from ...runtime.dispatch.overloads import fits
from ...runtime.dispatch.registry import Op
from ...runtime.shapes import Size
from ...runtime.tensor.memory_format import jagged
from ...runtime.tensor.tensor import TensorBase
from . import rules
from .operands import along, first_nested, on_values, pointwise, repacked
from .tensor import NestedTensor

_KEEPING = (
    "runtime.methods.mixin",
    "runtime.autograd.tensor_methods",
    "runtime.autograd.backward",
    "runtime.tensor.tensor",
    "runtime.ops.creation.like",
)
_EACH_VALUE = ("nn.functional.activation", "nn.functional.dropout")  # where functions have no `dim`
_NO_RULE = "{}(): there is no rule for nested tensors"


def answer(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The result of a call of a function, method or property of a nested tensor; NotImplementedError without a rule."""
    name = str(func.__name__)
    if name == "__get__":
        return attribute(args[0], func.__self__.fget.__name__)
    own = getattr(rules, name.strip("_") if name.startswith("__") else name, None)
    if getattr(own, "__module__", "") == rules.__name__:
        return own(*args, **kwargs)  # type: ignore[misc]
    if name.endswith("_") and not name.startswith("__") and _overloads(name[:-1]):
        func(args[0]._packed, *[on_values(value, args[0]) for value in args[1:]], **kwargs)
        return args[0]
    if name.startswith("__r") and name.endswith("__"):  # 1 / x
        return pointwise(func, args, kwargs)
    entries = _overloads(name)
    if entries:
        return _of_entry(func, entries, args, kwargs)
    return _by_hand(func, args, kwargs)


def attribute(tensor: NestedTensor, name: str) -> Any:
    """A property: sizes are the nested tensor's own, others those of the tensor with the elements."""
    if name == "shape":
        return tuple.__new__(Size, tensor._sizes)
    if name in ("ndim", "layout", "is_nested"):
        return {"ndim": len(tensor._sizes), "layout": jagged, "is_nested": True}[name]
    value = getattr(tensor._packed, name)
    if isinstance(value, TensorBase) and value.shape == tensor._packed.shape:
        return repacked(value, tensor)
    if isinstance(value, TensorBase):
        raise NotImplementedError(_NO_RULE.format(name))
    return value


def _of_entry(func: Any, entries: tuple[Op, ...], args: Any, kwargs: dict[str, Any]) -> Any:
    listed = any(entry.arguments[1:2] and entry.arguments[1][1] == "int[]" for entry in entries)
    if listed and len(args) > 1 and all(type(value) is int for value in args[1:]):
        args = (args[0], args[1:])  # of a method, which takes them one by one
    fitting = [entry for entry in entries if fits(entry.arguments, args, kwargs)]
    if any(entry.kind == "elementwise" for entry in fitting or entries):
        return pointwise(func, args, kwargs)
    if not fitting:
        raise NotImplementedError(_NO_RULE.format(func.__name__))
    entry = fitting[0]
    if entry.shape == "one_number":
        return func(*[value._packed if isinstance(value, NestedTensor) else value for value in args], **kwargs)
    return along(func, entry, args, kwargs)


def _by_hand(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    module = str(getattr(func, "__module__", "")).partition(".")[2]
    tensor = first_nested(args)
    if any(module_prefix in module for module_prefix in (*_EACH_VALUE, *_KEEPING)) and kwargs.get("dim") is None:
        values = [tensor._packed if value is tensor else value for value in args]
        result = func(*values, **kwargs)
        if result is tensor._packed:
            return tensor
        if not isinstance(result, TensorBase):
            return result
        if result.shape == tensor._packed.shape:
            return repacked(result, tensor)
    raise NotImplementedError(_NO_RULE.format(func.__name__))


@functools.cache
def _overloads(name: str) -> tuple[Op, ...]:
    return tuple(entry for entry in OPS if entry.name.partition(".")[0] == name)
