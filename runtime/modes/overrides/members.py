"""Methods and properties of tensors that are no ops, for classes whose `__torch_function__` is to be asked for them.

Ops ask for themselves. What is written by hand for `Tensor` does not, and costs plain tensors nothing: a subclass with
a `__torch_function__` of its own gets members that ask first, and while a mode is entered so does `Tensor`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from types import FunctionType
from typing import Any

from .calls import NOT_HANDLED, overridden

# Protocols of Python's that PyTorch asks for. Reflected operators are not among them: they call ops, and Python would
# try those of a subclass first.
_PROTOCOLS = frozenset(
    ("__getitem__", "__setitem__", "__len__", "__iter__", "__contains__", "__bool__", "__float__", "__int__")
    + ("__complex__", "__index__", "__format__", "__repr__", "__array__", "__array_wrap__", "__dlpack__")
    + ("__dlpack_device__", "__pos__")
)
_OWN = frozenset(("array", "edge_kind", "as_subclass"))  # which hold what a tensor is, in whatever class
_GENERATED_OPS = ".generated.ops."
originals: dict[str, Any] = {}  # the members of `Tensor` that others stand for, while a mode is entered


def members(tensor_class: type) -> Iterator[tuple[str, Any]]:
    """The names and values of the methods and properties that do not ask for themselves."""
    seen: set[str] = set()
    for owner in tensor_class.__mro__[:-1]:
        for name, value in vars(owner).items():
            if name in seen or name in _OWN or (name[0] == "_" and name not in _PROTOCOLS):
                continue
            seen.add(name)
            function = isinstance(value, FunctionType) and _GENERATED_OPS not in value.__module__
            if function or isinstance(value, property):
                yield name, value


def asking(value: Any) -> Any:
    """A method or property that asks first."""
    if isinstance(value, property):
        return property(
            _asking_call(value.__get__),
            value.fset and _asking_call(value.__set__),
            value.fdel and _asking_call(value.__delete__),
            value.__doc__,
        )
    return functools.wraps(value)(_asking_call(value))


def _asking_call(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        result = overridden(function, *args, **kwargs)
        return function(*args, **kwargs) if result is NOT_HANDLED else result

    return call


def add_to(cls: type, tensor_class: type) -> None:
    """Let a subclass of `Tensor` ask for the members that it has from there and not from elsewhere."""
    for name, value in members(tensor_class):
        if next(vars(owner)[name] for owner in cls.__mro__ if name in vars(owner)) is value:
            setattr(cls, name, asking(value))


def of_every_tensor(tensor_class: type) -> Callable[[], None]:
    """Let all tensors ask; what is returned undoes it."""
    before = {name: vars(tensor_class).get(name) for name, _ in members(tensor_class)}
    originals.update(members(tensor_class))
    for name, value in originals.items():
        setattr(tensor_class, name, asking(value))

    def undo() -> None:
        originals.clear()
        for name, value in before.items():
            if value is None:
                delattr(tensor_class, name)
            else:
                setattr(tensor_class, name, value)

    return undo
