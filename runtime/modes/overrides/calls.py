"""A call whose arguments, or a mode, take its place: who is asked, in which order, with what."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterable
from typing import Any

from ...errors import warn_user
from ...tensor.package_name import known as known_package
from .classes import overrides
from .switches import state
from .written import named_arguments


class NotHandled:
    """The class of NOT_HANDLED: the answer of a watcher that lets the op run as if nobody watched."""

    def __repr__(self) -> str:
        return "NOT_HANDLED"


NOT_HANDLED = NotHandled()

PLAIN_METHOD = (
    "Defining your `__torch_function__` as a plain method is deprecated and will be an error in future, please define "
    "it as a classmethod."
)


_COMPARED = frozenset((int, float, bool, str))
public_functions: dict[Any, Any] = {}  # of functions that stand in the place of others: by those
shown: dict[Any, Callable[[Any], Any]] = {}  # of functions: the places that who is asked sees, of those of a call


def overriding(values: Iterable[Any]) -> list[Any]:
    """The values, and items of lists, with a `__torch_function__`: one of each class, subclasses before their bases."""
    matches: list[Any] = []
    for value in values:
        cls = value.__class__
        if cls is list or cls is tuple:
            for item in overriding(value):
                _insert(matches, item)
        elif cls is slice:
            for item in overriding((value.start, value.stop, value.step)):
                _insert(matches, item)
        elif overrides(cls):
            _insert(matches, value)
    return matches


def _insert(result: list[Any], value: Any) -> None:
    if any(type(other) is type(value) for other in result):
        return
    positions = (position for position, other in enumerate(result) if issubclass(type(value), type(other)))
    result.insert(next(positions, len(result)), value)


def overridden(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What modes and arguments give in the place of a call; NOT_HANDLED where there is nobody to ask."""
    if not state.arguments:
        matches: list[Any] = []
    else:
        matches = overriding((*args, *kwargs.values()) if kwargs else args)
    if not matches and not state.modes:
        return NOT_HANDLED
    return ask(public_functions.get(function, function), matches, args, kwargs)


def overridden_in(function: Callable[..., Any], arguments: dict[str, Any]) -> Any:
    """`overridden` with the parameters of a function: what `locals()` gives in its first line.

    As in PyTorch, those without a default go by place, the others by name.
    """
    known = parameters(function)
    args = [arguments[name] for name, (default, _) in known.items() if default is inspect.Parameter.empty]
    named = {name: arguments[name] for name, (default, _) in known.items() if default is not inspect.Parameter.empty}
    return overridden(function, *args, **named)


def overridden_call(function: Callable[..., Any], args: Any, kwargs: dict[str, Any], name: str = "") -> Any:
    """`overridden` with the arguments that are no defaults; `name` is that of an op, whose public function is meant."""
    result = overriding((*args, *kwargs.values()) if kwargs else args) if state.arguments else []
    if not result and not state.modes:
        return NOT_HANDLED
    return ask(public_op(name, function) if name else function, result, *as_passed(function, args, kwargs))


def ask(function: Callable[..., Any], result: list[Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """The first answer that is not NotImplemented: of the innermost mode, then of the arguments.

    Raises:
        TypeError: there is none.
    """
    positions = shown.get(getattr(function, "__wrapped__", function))
    args = args if positions is None else positions(args)
    types = tuple(type(value) for value in result)
    if state.modes:
        answer = _ask_mode(function, types, args, kwargs)
        if answer is not NotImplemented:
            return answer
    for value in result:
        method = value.__torch_function__
        if getattr(method, "__self__", None) is value:
            warn_user(PLAIN_METHOD)
        answer = method(function, types, args, kwargs)
        if answer is not NotImplemented:
            return answer
    description = "".join(f"\n\n  - tensor subclass {cls}" for cls in types)
    raise TypeError(
        f"Multiple dispatch failed for '{spelled(function)}'; all __torch_function__ handlers returned "
        f"NotImplemented:{description}"
    )


def _ask_mode(function: Callable[..., Any], types: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """The innermost mode's answer; what it calls is asked of the modes around it."""
    modes = state.modes
    state.modes = modes[:-1]
    try:
        return modes[-1].__torch_function__(function, types, args, kwargs)
    finally:
        state.modes = modes


def spelled(function: Callable[..., Any]) -> str:
    owner = getattr(function, "__self__", None)
    if isinstance(owner, property):
        return f"{known_package.name}.Tensor.{getattr(owner.fget, '__name__', '')}.{function.__name__}"
    name_parts = getattr(function, "__qualname__", repr(function)).split(".")
    module = "nn.functional." if ".nn.functional" in str(getattr(function, "__module__", "")) else ""
    return ".".join([known_package.name, *(["Tensor"] if len(name_parts) > 1 else []), module + name_parts[-1]])


# ---- the call as it was written --------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def public_op(name: str, function: Any) -> Any:
    """The function that users call: of overloads the one that they share, of what is a method only the method."""
    module = sys.modules[function.__module__]
    package = sys.modules[function.__module__.partition(".")[0]]
    shared = name.partition(".")[0]
    if function.__name__.endswith("_") and not shared.endswith("_"):
        shared += "_"
    if not hasattr(package, shared) and hasattr(package, "Tensor") and hasattr(package.Tensor, shared):
        return getattr(package.Tensor, shared)
    if hasattr(module, f"_{shared}_overloads"):
        return getattr(module, shared)
    return public_functions.get(function, function)


@functools.lru_cache(maxsize=4096)
def parameters(function: Any) -> dict[str, tuple[Any, bool]]:
    """The parameters of a function: default, and whether it stands for any number of arguments."""
    result = inspect.signature(function).parameters.values()
    return {p.name: (p.default, p.kind is p.VAR_POSITIONAL) for p in result}


def as_passed(function: Any, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """The arguments of a call but for those that are defaults, by name where the program named them.

    What follows one that is left out goes by name too.
    """
    known = parameters(function)
    written = named_arguments()
    positions: list[Any] = []
    named: dict[str, Any] = {}
    left_out = False
    for (name, (default, variadic)), value in zip(known.items(), args, strict=False):
        if variadic:
            positions = list(args)
            break
        if name in written:
            named[name], left_out = value, True
        elif is_default(default, value):
            left_out = True
        elif left_out:
            named[name] = value
        else:
            positions.append(value)
    for name, value in kwargs.items():
        if name in written or name not in known or not is_default(known[name][0], value):
            named[name] = value
    return tuple(positions), named


def is_default(default: Any, value: Any) -> bool:
    if value is default:
        return True
    cls = value.__class__
    return cls is default.__class__ and cls in _COMPARED and bool(value == default)
