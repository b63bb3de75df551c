"""A call whose arguments, or a mode, take its place: who is asked, in which order, with what.

An op asks `value.__class__ not in plain` once native code has left a call to Python; everything else happens where that
is true. `plain` is empty while somebody takes the place of ops: then every call is looked at. Ops ask for themselves.
What is written by hand for `Tensor` does not, and costs plain tensors nothing: a subclass with a `__torch_function__`
of its own gets members that ask first, and while a mode is entered so does `Tensor`."""

import dis
import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FrameType, FunctionType
from typing import Any

import numpy as np

from ..errors import warn_user
from ..namespace import known as known_package
from ..thread_state import PerThread


class Overriding(PerThread):
    """In a backward pass no arguments are asked; `outside` says whether they were where it began."""

    def __init__(self) -> None:
        self.arguments = True
        self.outside = True
        self.modes: list[Any] = []


state = Overriding()


class DisableTorchFunctionSubclass:
    """A block in which no argument's `__torch_function__` is asked; modes still are."""

    def __init__(self) -> None:
        self.before = state.arguments

    def __enter__(self) -> None:
        self.before, state.arguments = state.arguments, False

    def __exit__(self, *error: object) -> None:
        state.arguments = self.before


class DisableTorchFunction(DisableTorchFunctionSubclass):
    """A block in which neither arguments nor modes are asked."""

    def __enter__(self) -> None:
        super().__enter__()
        self.modes, state.modes = state.modes, []

    def __exit__(self, *error: object) -> None:
        super().__exit__()
        state.modes = self.modes


NUMPY = (np.ndarray, np.float64, np.float32, np.int64, np.int32, np.bool_)

known: set[type] = {int, float, bool, complex, str, bytes, type(None), slice, type, type(Ellipsis), *NUMPY}
plain: set[type] = set(known)
plain_or_sizes: set[type] = {*known, tuple}  # where a tuple holds sizes, and no tensors


def add_plain(cls: type) -> None:
    known.add(cls)
    if plain:
        plain.add(cls)
        plain_or_sizes.add(cls)


def never_plain(cls: type) -> None:
    """Calls on objects of a class without `__torch_function__` are looked at all the same: those of a layout."""
    known.discard(cls)
    plain.discard(cls)


def watch_all(every: bool) -> None:
    """Whether calls are looked at also where all arguments are plain."""
    if every:
        plain.clear()
        plain_or_sizes.clear()
    else:
        plain.update(known)
        plain_or_sizes.update(known, (tuple,))


def foreign(value: Any) -> bool:
    if value.__class__ is tuple or value.__class__ is list:
        return not plain.issuperset(map(type, value))
    return value.__class__ not in plain


def disabled(function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """The `__torch_function__` of classes that have none: the call runs as if nobody took its place.

    Args:
        function: what was called.
        types: the classes that have a `__torch_function__`.
        args, kwargs: with what it was called.
    """
    with DisableTorchFunctionSubclass():
        return function(*args, **(kwargs or {}))


def overrides(cls: type) -> bool:
    """Whether a class has a `__torch_function__`, and has not switched it off."""
    if cls in known:
        return False
    value = getattr(cls, "__torch_function__", None)
    return value is not None and value is not disabled


_PACKAGE = __name__.partition(".")[0]
_ON_THE_WAY = tuple(
    f"{_PACKAGE}.{name}"
    for name in ("generated.", "runtime.tensor.override", "runtime.tensor.observers", "runtime.dispatch.overloads")
)


def named_arguments() -> tuple[str, ...]:
    """The names that stand in the call of the op that is asked for; none where the call does not tell."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_ON_THE_WAY):
        frame = frame.f_back
    return () if frame is None else _names_at(frame.f_code, frame.f_lasti)


@functools.lru_cache(maxsize=4096)
def _names_at(code: CodeType, offset: int) -> tuple[str, ...]:
    """The names in the call at an instruction: a constant of the code, which stands before it."""
    names: tuple[str, ...] = ()
    constant: object = None
    for instruction in dis.get_instructions(code):
        if instruction.offset > offset:  # while a call runs, its frame may stand at what is cached behind it
            break
        if instruction.opname == "KW_NAMES":  # Python 3.11 and 3.12: an instruction just before the call
            names = code.co_consts[instruction.arg or 0]
        elif instruction.opname == "CALL_KW":  # from 3.13 on: a constant on the stack
            names = constant if isinstance(constant, tuple) else ()
        elif instruction.opname not in ("PRECALL", "CALL", "CACHE"):
            names = ()
        constant = instruction.argval if instruction.opname == "LOAD_CONST" else None
    return names


class NotHandled:
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
    seen: set[int] = set()  # a list may hold itself
    pending = [iter(values)]
    while pending:
        for value in pending[-1]:
            cls = value.__class__
            if cls is slice:
                value = (value.start, value.stop, value.step)
            elif cls is not list and cls is not tuple:
                if overrides(cls):
                    _insert(matches, value)
                continue
            if id(value) not in seen:
                seen.add(id(value))
                pending.append(iter(value))
                break
        else:
            pending.pop()
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
    """`arguments`: `locals()` at first. Those without a default go by place, others by name, as in PyTorch."""
    known = parameters(function)
    args = [arguments[name] for name, (default, _) in known.items() if default is inspect.Parameter.empty]
    named = {name: arguments[name] for name, (default, _) in known.items() if default is not inspect.Parameter.empty}
    return overridden(function, *args, **named)


def overridden_call(function: Callable[..., Any], args: Any, kwargs: dict[str, Any], name: str = "") -> Any:
    """With the arguments that are no defaults; `name` is that of an op, whose public function is meant."""
    result = overriding((*args, *kwargs.values()) if kwargs else args) if state.arguments else []
    if not result and not state.modes:
        return NOT_HANDLED
    return ask(public_op(name, function) if name else function, result, *as_passed(function, args, kwargs))


def ask(function: Callable[..., Any], result: list[Any], args: Any, kwargs: dict[str, Any]) -> Any:
    """Of the innermost mode, then of the arguments; TypeError: all answers are NotImplemented."""
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
    """Of each parameter its default, and whether it stands for any number of arguments."""
    result = inspect.signature(function).parameters.values()
    return {p.name: (p.default, p.kind is p.VAR_POSITIONAL) for p in result}


def as_passed(function: Any, args: Any, kwargs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Without defaults, by name where the program named them; what follows one that is left out goes by name too."""
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
    """Only members that the class has from `Tensor`, and not from elsewhere."""
    for name, value in members(tensor_class):
        if next(vars(owner)[name] for owner in cls.__mro__ if name in vars(owner)) is value:
            setattr(cls, name, asking(value))


def of_every_tensor(tensor_class: type) -> Callable[[], None]:
    """What is returned undoes it."""
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
