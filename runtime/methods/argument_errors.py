"""Why a call failed: the argument that is not what the signature says.

Whatever came from code of the user's passes as it is, and so does what this package raised on purpose, unless that
speaks of a wrong type and not of the call. What is left are accidents: errors that Python, NumPy or a compiled function
raised. `fits` is generous where PyTorch's functions are; what cannot be decided fits."""

import inspect
import numbers
import re
from collections import abc
from collections.abc import Callable, Iterator, Mapping, Set
from opcode import opmap
from traceback import walk_tb
from types import CodeType, FrameType, MethodType, NoneType, TracebackType, UnionType
from typing import IO, Any, BinaryIO, Literal, TextIO, TypeVar, Union, get_args, get_origin

import numpy as np

from .. import errors
from ..dispatch.errors import described
from ..errors import PACKAGE, ArgumentError, type_name
from ..tensor import dtypes, host
from ..tensor.tensor import TensorBase
from ..tracebacks import is_below
from ..unknown_names import did_you_mean
from . import indexing

_NUMBERS: dict[Any, Any] = {int: numbers.Integral, float: numbers.Real, complex: numbers.Number, bool: numbers.Integral}
_KINDS = {int: "biu", float: "biuf", complex: "biufc", bool: "biu"}  # as NumPy calls the dtypes
_FLOATING = (float, complex)
_LISTS = (abc.Sequence, abc.Iterable, abc.Collection, list, tuple)
_SHOWN = 4  # items of a list, in an error


def fits(value: Any, hint: Any) -> bool:
    try:
        return _fits(value, hint)
    except Exception:  # a class of the user's that cannot be asked
        return True


def _fits(value: Any, hint: Any) -> bool:
    origin, inner = get_origin(hint), get_args(hint)
    if hint is None or hint is NoneType:
        return value is None
    if isinstance(hint, TypeVar):
        return hint.__bound__ is None or _fits(value, hint.__bound__)
    if origin in (Union, UnionType):
        return any(_fits(value, choice) for choice in inner)
    if origin is Literal:
        return value in inner
    if origin is type:
        return isinstance(value, type) and (not isinstance(inner[0], type) or issubclass(value, inner[0]))
    if hint in _NUMBERS:
        return _is_number(value, hint)
    if isinstance(origin or hint, type):
        return _is_instance(value, origin or hint) and _items_fit(value, origin, inner)
    return True


def _is_number(value: Any, kind: type) -> bool:
    if isinstance(value, TensorBase):
        return value.numel() == 1 and (kind in _FLOATING or not value.dtype.is_floating_point)
    if isinstance(value, (np.ndarray, np.generic)):
        return value.size == 1 and value.dtype.kind in _KINDS[kind]
    requested = "__float__" if kind in _FLOATING else "__index__"
    return isinstance(value, _NUMBERS[kind]) or (hasattr(value, requested) and not isinstance(value, numbers.Number))


def _is_instance(value: Any, requested: Any) -> bool:
    if requested in (abc.Sequence, abc.Iterable, abc.Collection):
        return isinstance(value, abc.Iterable) or hasattr(type(value), "__getitem__")
    if requested in (abc.Mapping, dict):
        return isinstance(value, abc.Mapping) or hasattr(value, "keys")
    if requested in (list, tuple):
        return isinstance(value, (list, tuple))
    if requested in (IO, TextIO, BinaryIO):  # which no class of files is an instance of
        return hasattr(value, "read") or hasattr(value, "write")
    if requested is dtypes.dtype:
        return isinstance(value, dtypes.dtype) or value in (bool, int, float, complex)
    return isinstance(value, requested)


def _items_fit(value: Any, origin: Any, inner: tuple[Any, ...]) -> bool:
    if origin in (abc.Mapping, dict) and isinstance(value, dict):
        return all(_fits(key, inner[0]) and _fits(item, inner[1]) for key, item in value.items())
    if origin not in _LISTS or not isinstance(value, (list, tuple)):
        return True
    if origin is tuple and inner[-1:] != (...,):
        return len(value) == len(inner) and all(map(_fits, value, inner))
    return all(_fits(item, inner[0]) for item in value)


def type_phrase(hint: Any) -> str:
    """An annotation in words: "int or None", "tuple of (float, float)"."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint is None or hint is NoneType:
        return "None"
    if isinstance(hint, TypeVar):
        return type_phrase(hint.__bound__) if hint.__bound__ is not None else "any value"
    if origin in (Union, UnionType):
        names = list(dict.fromkeys(map(type_phrase, inner)))
        return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    if origin is Literal:
        return "one of " + ", ".join(map(repr, inner))
    if origin is type:
        return f"a subclass of {type_phrase(inner[0])}"
    if origin is abc.Callable or hint is abc.Callable:
        return "a callable"
    name = getattr(origin or hint, "__name__", str(hint)).removesuffix("Base")
    items = [type_phrase(item) for item in inner if item is not Ellipsis and item is not Any]
    if not items or origin not in (*_LISTS, abc.Mapping, dict):
        return name
    return f"{name} of ({', '.join(items)})" if origin is tuple and inner[-1] is not ... else f"{name} of {items[0]}"


def came(value: Any) -> str:
    if not isinstance(value, (list, tuple)):
        return type_name(value)
    more = ["..."] if len(value) > _SHOWN else []
    return f"{type_name(value)} of ({', '.join([*map(type_name, value[:_SHOWN]), *more])})"


_OWN = tuple(cls for cls in vars(errors).values() if isinstance(cls, type))
_PASSING = (StopIteration, StopAsyncIteration, Warning, OSError, ImportError, NotImplementedError)
_PROTOCOLS = (host.__name__, indexing.__name__)
_RAISES = {opmap["RAISE_VARARGS"], opmap["RERAISE"]}
_UNEXPECTED = re.compile(r"unexpected keyword argument '(\w+)'$")
_NAME = __name__.partition(".")[0]
_GUARD = f"{__package__}.argument_guard"
_ARGUMENT_ERROR = "_argument_error"  # on an error that is on its way out: what an inner call found
_MAX_SHOWN_CHARS = 60


def explain(
    function: Callable[..., Any], error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any], guards: Set[CodeType]
) -> None:
    """Return when `error` is to pass as it is. `guards`: code objects of all that ask; the outermost of them raises."""
    entered = error.__traceback__
    if isinstance(error, _PASSING) or entered is None or _is_of_the_call(function, error, args):
        return
    if not _is_inside(entered.tb_next):
        return
    function, args = _bound_to_first(function, args)
    value = _bound(function, args, kwargs)
    if _is_on_purpose(function, error, value):
        return
    result = misfit(function, value) or getattr(error, _ARGUMENT_ERROR, None)
    if not _is_outermost(entered.tb_frame, guards):
        setattr(error, _ARGUMENT_ERROR, result)
    elif result is not None or not _asks_for_a_key(error, value):
        result = result or _unforeseen(function, error, value)
        for note in getattr(error, "__notes__", ()):
            result.add_note(note)
        try:
            raise result from error
        finally:
            del result  # which knows this frame by its traceback


# ---- accidents -------------------------------------------------------------------------------------------------------


def _is_of_the_call(function: Callable[..., Any], error: Exception, args: tuple[Any, ...]) -> bool:
    """Whether Python says what is wrong in the call itself: it gets the public name, and a keyword that was meant."""
    if not isinstance(error, TypeError):
        return False
    text, depth = str(error), 0
    inner: Any = function  # or the one that it calls in its place
    while not text.startswith(name := f"{getattr(inner, '__qualname__', '')}()"):
        inner, depth = getattr(inner, "__wrapped__", None), depth + 1
        if inner is None:
            return False
    entered = [frame for frame, _ in walk_tb(error.__traceback__)][1:]
    if sum(frame.f_globals.get("__name__") != _GUARD for frame in entered) > depth:
        return False
    bound = _bound_to_first(function, args)[0]
    if (unknown := _UNEXPECTED.search(text)) and "Did you mean" not in text:
        text += did_you_mean(unknown[1], inspect.signature(bound).parameters)
    error.args = (f"{_public_name(bound)}(){text.removeprefix(name)}",)
    return True


def _is_inside(entry: TracebackType | None) -> bool:
    """Whether all code on the way to the error is this package's or what it is built on."""
    while entry is not None:
        if not is_below(entry.tb_frame):
            return False
        entry = entry.tb_next
    return True


def _is_on_purpose(function: Callable[..., Any], error: Exception, arguments: Mapping[str, Any]) -> bool:
    """Whether the error comes from a `raise` of this package that knows of the call.

    What a tensor says that Python took for an index or a list does not, nor a module without an attribute, unless the
    names are the same by chance."""
    frame = raising_frame(error)
    if frame is None:
        return isinstance(error, _OWN)
    if frame.f_globals.get("__name__") in _PROTOCOLS or frame.f_code.co_name == "__getattr__":
        return _says_where(function, str(error), arguments)
    return isinstance(error, _OWN) or frame.f_code.co_filename.startswith(PACKAGE)


def raising_frame(error: BaseException) -> FrameType | None:
    """Where somebody wrote `raise`; None where an operation failed."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return None if last is None or last.tb_frame.f_code.co_code[last.tb_lasti] not in _RAISES else last.tb_frame


def _says_where(function: Callable[..., Any], message: str, arguments: Mapping[str, Any]) -> bool:
    names = [title(function).rpartition(".")[2], *arguments]
    return any(re.search(rf"\b{re.escape(word)}\b", message) for word in names)


def _is_outermost(frame: FrameType, guards: Set[CodeType]) -> bool:
    caller = frame.f_back
    while caller is not None and is_below(caller):
        if caller.f_code in guards:
            return False
        caller = caller.f_back
    return True


def _asks_for_a_key(error: Exception, arguments: Mapping[str, Any]) -> bool:
    """Whether the key or the attribute that is missing is an argument: the user asked for it."""
    if isinstance(error, KeyError):
        missing = error.args[0]
    else:
        missing = error.name if isinstance(error, AttributeError) else None
    return missing is not None and any(missing is value for value in arguments.values())


# ---- arguments -------------------------------------------------------------------------------------------------------


def _bound(function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    try:
        return dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        return dict(kwargs)


def _bound_to_first(function: Any, args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    """A method that came as a function, bound to its `self` or `cls`; the arguments that are left."""
    first = next(iter(inspect.signature(function).parameters), "")
    is_method = first in ("self", "cls") and args and args[0] is not None
    return (MethodType(function, args[0]), args[1:]) if is_method else (function, args)


def misfit(function: Callable[..., Any], arguments: Mapping[str, Any]) -> ArgumentError | None:
    """The error about the first argument that its annotation refuses; flags come last, as any value may be one."""
    candidates = list(_annotated(function, arguments))
    for name, value, hint in sorted(candidates, key=lambda result: result[2] is bool):
        if not fits(value, hint):
            return ArgumentError(
                f"{title(function)}(): argument '{name}' must be {type_phrase(hint)}, not {came(value)}"
            )
    return None


def _annotated(function: Callable[..., Any], arguments: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    parameters = inspect.signature(function).parameters
    space = getattr(inspect.unwrap(function), "__globals__", {})
    for name, value in arguments.items():
        if name not in parameters:
            continue
        kind, hint = parameters[name].kind, _evaluated(parameters[name].annotation, space)
        if kind is inspect.Parameter.VAR_POSITIONAL:
            yield from ((name, item, hint) for item in value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            yield from ((key, item, hint) for key, item in value.items())
        else:
            yield name, value, hint


def _evaluated(annotation: Any, space: dict[str, Any]) -> Any:
    """The type that an annotation names; Any where a name of it is known to type checkers only."""
    if annotation is inspect.Parameter.empty:
        return Any
    if not isinstance(annotation, str):
        return annotation
    try:
        return eval(annotation, space)
    except Exception:
        return Any


# ---- words -----------------------------------------------------------------------------------------------------------


def title(function: Callable[..., Any]) -> str:
    """The name by which a user calls a function: the class for `__init__` and `forward`, else the qualified name."""
    return ".".join(word for word in _public_name(function).split(".") if word not in ("__init__", "forward"))


def _public_name(function: Callable[..., Any]) -> str:
    """The qualified name; of a method with the class of which the program has an object, of those of this package."""
    own = getattr(function, "__self__", None)
    names = getattr(function, "__qualname__", "call").rpartition("<locals>.")[2].split(".")
    if own is not None:
        classes = (own if isinstance(own, type) else type(own)).__mro__
        ours = next((cls for cls in classes if cls.__module__.startswith(f"{_NAME}.")), None)
        names[0] = names[0] if ours is None else ours.__name__
    return ".".join(names)


def _unforeseen(function: Callable[..., Any], error: Exception, arguments: Mapping[str, Any]) -> Exception:
    shown = ", ".join(f"{name}={_shown(value)}" for name, value in arguments.items())
    start = f"{title(function)}(): cannot be done with ({shown})"
    if isinstance(error, (TypeError, AttributeError)):
        return ArgumentError(start)
    if isinstance(error, MemoryError):
        return RuntimeError(f"{start}: not enough memory")
    if isinstance(error, KeyError):
        return RuntimeError(f"{start}: {error} is missing")
    cls = next((cls for cls in (IndexError, ValueError) if isinstance(error, cls)), RuntimeError)
    return cls(start if isinstance(error, (AssertionError, RecursionError)) else f"{start}: {error}")


def _shown(value: Any) -> str:
    try:
        text = described(value)
    except Exception:  # a __repr__ of the user's
        return f"<{type(value).__name__}>"
    return text if len(text) <= _MAX_SHOWN_CHARS else text[:_MAX_SHOWN_CHARS] + "..."
