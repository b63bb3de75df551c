"""Where calls of users enter code written by hand: what fails there is explained from the annotations.

What is on every path of a training step (`Module.__call__`, an optimizer's step) has the `try` itself, which costs
nothing when nothing fails; what is called seldom gets it around from `guard`."""

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import update_wrapper
from inspect import signature
from types import CodeType, FunctionType, ModuleType
from typing import Any, TypeVar

from ..dispatch.signatures import LazySignature
from ..extension_points import FUNCTIONS_OF_TENSORS
from ..tensor.overrides import NOT_HANDLED, foreign, overridden, plain, plain_or_sizes, public_functions
from ..tensor.tensor import TensorBase

AnyFunction = TypeVar("AnyFunction", bound=Callable[..., Any])

guards: set[CodeType] = set()  # of the frames that call `leave` when they fail

_OPERATORS = ("__new__", "__init__", "__setitem__", "__delitem__", "__add__", "__iadd__", "__mul__", "__rmul__")
_ENTERED_ELSEWHERE = ("forward", "fitted", "release")  # through Module.__call__, and a backward pass
_PACKAGE = __name__.partition(".")[0]
_MODULES_OF_TENSORS = (
    "nn.functional.",
    "nn.init.",
    "runtime.ops.numeric.",
    "runtime.ops.matmul.einsum",
    "runtime.ops.shape.broadcast",
    *FUNCTIONS_OF_TENSORS,
)
_OF_TENSORS = tuple(f"{_PACKAGE}.{module}" for module in _MODULES_OF_TENSORS)
# Folders whose modules call each other's functions: programs find these under other names, where they are guarded.
_CORE = tuple(f"{_PACKAGE}.runtime.{folder}." for folder in ("methods", "ops", "tensor"))
_BY_HAND, _GENERATED = _PACKAGE + ".", _PACKAGE + ".generated."


def leave(function: Callable[..., Any], error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise what explains why `function(*args, **kwargs)` failed; return when `error` is to pass as it is."""
    try:
        from .argument_errors import explain  # only programs that fail need it
    except Exception:  # nothing can be imported: the interpreter ends, or its files may not be read any more
        return
    explain(function, error, args, kwargs, guards)


def explained(function: AnyFunction) -> AnyFunction:
    """`function`, whose accidental errors become ones that name the argument that does not fit its annotation."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            leave(function, error, args, kwargs)
            raise

    guards.add(call.__code__)  # one code for all
    return _instead_of(function, call)


def _instead_of(function: AnyFunction, call: Any) -> AnyFunction:
    """`call` as one who looks at it sees `function`: `inspect.getfullargspec` asks the wrapper, not what is wrapped."""
    update_wrapper(call, function)
    call.__signature__ = LazySignature(signature, function)
    return call


def asking(function: AnyFunction) -> AnyFunction:
    """`explained`; tuples are looked into where functions take tensors in them; in `nn.functional` they are sizes."""
    passing = plain if function.__module__.startswith(f"{_PACKAGE}.runtime.") else plain_or_sizes

    def call(*args: Any, **kwargs: Any) -> Any:
        for value in args:
            if type(value) not in passing and foreign(value):
                return checked_call(*args, **kwargs)
        if kwargs:
            for value in kwargs.values():
                if type(value) not in passing and foreign(value):
                    return checked_call(*args, **kwargs)
        try:
            return function(*args, **kwargs)
        except Exception as error:
            leave(function, error, args, kwargs)
            raise

    def checked_call(*args: Any, **kwargs: Any) -> Any:
        result = overridden(function, *args, **kwargs)
        return unasked(*args, **kwargs) if result is NOT_HANDLED else result

    unasked = explained(function)

    guards.add(call.__code__)
    public_functions[function] = call
    return _instead_of(function, call)


_guarded: dict[Any, Any] = {}  # what stands in the place of functions; classes that have been gone through


def guard(besides: Iterable[Any]) -> None:
    """`besides` stays as it is: functions, classes with their bases, modules with all in them."""
    for left in besides:
        matches = [getattr(left, name) for name in dir(left)] if isinstance(left, ModuleType) else (left,)
        for value in matches:
            if isinstance(value, (FunctionType, type)):
                _guarded.update({owner: owner for owner in (value.__mro__ if isinstance(value, type) else (value,))})
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == _PACKAGE and "__all__" in vars(module) and not name.startswith(_CORE):
            guard_module(name)


def asking_themselves(*modules: ModuleType) -> Iterator[FunctionType]:
    """The functions of modules that ask by themselves: what is called most saves the guard's call."""
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, FunctionType) and {"overridden", "overridden_in"} & {*value.__code__.co_names}:
                yield value


def guard_module(name: str) -> None:
    """Put `explained` around what one module lists; a module loaded later than the package calls this itself."""
    module = sys.modules[name]
    for listed in module.__all__:
        if listed in vars(module):
            setattr(module, listed, guarded(vars(module)[listed], name))


def guarded(value: Any, module_name: str) -> Any:
    """Of a function the guarded one, of a class itself, its methods guarded."""
    if isinstance(value, type):
        _guard_class(value)
    return _once(value, module_name) if _by_hand(value) else value


def _once(function: Any, module_name: str) -> Any:
    """One guarded function for each, under all its names; pickled by the first module that shows it."""
    if function not in _guarded:
        result = _guarding(function)
        result.__module__ = module_name
        _guarded[function] = result
    return _guarded[function]


def _guarding(function: Any) -> Any:
    return (asking if function.__module__.startswith(_OF_TENSORS) else explained)(function)


def _by_hand(value: Any) -> bool:
    return isinstance(value, FunctionType) and _is_ours(value.__module__) and value.__code__ not in guards


def _is_ours(module: str | None) -> bool:
    return module is not None and module.startswith(_BY_HAND) and not module.startswith(_GENERATED)


def _guard_class(cls: type) -> None:
    if issubclass(cls, TensorBase):
        return  # its methods are as quick as functions, and check as these do
    for owner in cls.__mro__:
        if owner not in _guarded and _is_ours(owner.__module__):
            _guarded[owner] = owner
            _guard_methods(owner, vars(owner))


def _guard_methods(owner: type, members: Mapping[str, Any]) -> None:
    for name, value in list(members.items()):
        if (name.startswith("_") and name not in _OPERATORS) or name in _ENTERED_ELSEWHERE:
            continue
        if isinstance(value, (staticmethod, classmethod)) and _by_hand(value.__func__):
            setattr(owner, name, type(value)(_guarding(value.__func__)))
        elif _by_hand(value):
            setattr(owner, name, explained(value))
