"""`jit`: a function or module that is scripted or traced is that function or module; no object is of TorchScript's
classes.
"""

import types
import typing
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from ...methods.argument_guard import explained
from ...unknown_names import NO_COMPILER, no_attribute, not_available
from ..distributed.groups.futures import Future
from .script_errors import call_as_compiled

T = TypeVar("T")
_fusion: list[list[tuple[str, int]]] = [[("STATIC", 2), ("DYNAMIC", 10)]]


class TracerWarning(Warning):
    """What PyTorch's tracer warns by; nothing is traced here, so nobody does."""


class Attribute(NamedTuple):
    """A value with a type for TorchScript.

    Args:
        value: the value.
        type: the type that it is to have there.
    """

    value: Any
    type: Any


class ScriptFunction:
    """The class of compiled functions: making one is a RuntimeError, as a scripted function is the function itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(not_available(f"jit.{type(self).__name__}", NO_COMPILER))


class CompilationUnit(ScriptFunction):
    """Source text of TorchScript: making one is a RuntimeError, as it cannot be compiled here."""


def script(obj: T, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> T:
    """The function, module or class itself; what a call of the module raises is an `Error` from now on.

    Args:
        obj: what is to be compiled.
        optimize: has no meaning any more.
        example_inputs: arguments by which types would be found.

    Example:
        >>> def double(x):
        ...     return 2 * x
        >>> script(double) is double
        True
    """
    return call_as_compiled(obj)


def trace(
    func: Any,
    example_inputs: Any = None,
    optimize: Any = None,
    check_trace: bool = True,
    check_inputs: Any = None,
    check_tolerance: float = 1e-5,
    strict: bool = True,
    _force_outplace: bool = False,
    _module_class: Any = None,
    _compilation_unit: Any = None,
    example_kwarg_inputs: Any = None,
    _store_inputs: bool = True,
) -> Any:
    """The function or module itself: what depends on values goes on to depend on them. Errors are those of `script`.

    Args:
        func: what is to be traced.
        example_inputs, example_kwarg_inputs: arguments with which it would be called once.
        optimize: has no meaning any more.
        check_trace, check_inputs, check_tolerance, strict: how the trace would be compared.

    Raises:
        RuntimeError: no arguments are given.
    """
    if example_inputs is None and example_kwarg_inputs is None:
        raise RuntimeError("example_kwarg_inputs should be a dict")
    return call_as_compiled(func)


def trace_module(mod: T, inputs: Any, *args: Any, **kwargs: Any) -> T:
    """The module itself, whose errors are those of `script`.

    Args:
        mod: the module.
        inputs: arguments by method.
    """
    return call_as_compiled(mod)


def annotate(the_type: Any, the_value: T) -> T:
    """The value itself, whose type is said for a compiler.

    Args:
        the_type: the type.
        the_value: the value.
    """
    return the_value


def unwrap_optional(x: T | None) -> T:
    """The value itself, which is not None.

    Args:
        x: the value.

    Raises:
        AssertionError: it is None.
    """
    if x is None:
        raise AssertionError("Unwrapping null optional")
    return x


def boolean_dispatch(
    arg_name: str,
    arg_index: int,
    default: bool,
    if_true: Callable[..., Any],
    if_false: Callable[..., Any],
    module_name: str,
    func_name: str,
) -> Callable[..., Any]:
    """One function of two, of which an argument chooses.

    Args:
        arg_name, arg_index: its name and its place.
        default: its value where it is not given.
        if_true, if_false: the functions.
        module_name, func_name: what the function is called.
    """

    def function(*args: Any, **kwargs: Any) -> Any:
        value = args[arg_index] if len(args) > arg_index else kwargs.get(arg_name, default)
        return (if_true if value else if_false)(*args, **kwargs)

    function.__name__, function.__module__, function.__doc__ = func_name, module_name, if_true.__doc__
    return function


def freeze(mod: T, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> T:
    """The module itself, which is in evaluation mode.

    Args:
        mod: the module.
        preserved_attrs: attributes that would be kept.
        optimize_numerics: whether layers might be joined.

    Raises:
        RuntimeError: it is in training mode.
    """
    if getattr(mod, "training", False):
        raise RuntimeError("Freezing module in training mode is not yet supported: call eval() first")
    return mod


def optimize_for_inference(mod: T, other_methods: list[str] | None = None) -> T:
    """The module itself; arguments as of `freeze`.

    Args:
        other_methods: methods besides forward.
    """
    return freeze(mod)


def fork(func: Callable[..., Any], *args: Any, **kwargs: Any) -> Future:
    """A call whose result is asked for later by `wait`; it is made at once.

    Args:
        func: the function.
        *args, **kwargs: its arguments.

    Example:
        >>> wait(fork(max, 1, 2))
        2
    """
    future: Future[Any] = Future()
    try:
        future.set_result(func(*args, **kwargs))
    except Exception as error:
        future.set_exception(error)
    return future


@explained
def wait(future: Future) -> Any:
    """The result of a call that `fork` made, or its error.

    Args:
        future: what `fork` returned.
    """
    return future.wait()


def isinstance_of(obj: Any, target_type: Any) -> bool:
    """Whether an object is of a type whose items may have types: `jit.isinstance`.

    Args:
        obj: the object.
        target_type: a class, a tuple of types, or one of typing's, such as `List[int]`.

    Example:
        >>> sg.jit.isinstance([1, 2], list[int]), sg.jit.isinstance([1, "a"], list[int])
        (True, False)
    """
    if isinstance(target_type, tuple):
        return any(isinstance_of(obj, one) for one in target_type)
    origin, inner = typing.get_origin(target_type), typing.get_args(target_type)
    if target_type is None or target_type is Any:
        return target_type is Any or obj is None
    if origin is None:
        return isinstance(obj, target_type)
    if origin in (typing.Union, types.UnionType):
        return any(isinstance_of(obj, one) for one in inner)
    if not isinstance(obj, origin):
        return False
    if issubclass(origin, dict):
        return all(isinstance_of(k, inner[0]) and isinstance_of(v, inner[1]) for k, v in obj.items())
    if issubclass(origin, tuple) and not (len(inner) == 2 and inner[1] is Ellipsis):
        return len(obj) == len(inner) and all(map(isinstance_of, obj, inner))
    return all(isinstance_of(item, inner[0]) for item in obj)


def set_fusion_strategy(strategy: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Keep a strategy of joining ops; nothing depends on it.

    Args:
        strategy: pairs of a kind and a number.

    Returns:
        The one before.
    """
    before, _fusion[0] = _fusion[0], list(strategy)
    return before


@contextmanager
def fuser(name: str) -> Iterator[None]:
    """A block in which another part of PyTorch joins ops of compiled programs; there are none.

    Args:
        name: 'fuser0', 'fuser1', 'fuser2' or 'fuser3'.

    Raises:
        Exception: it is none of these.
    """
    if name not in ("fuser0", "fuser1", "fuser2", "fuser3"):
        raise Exception(f"unrecognized fuser option (name: {name})")
    yield


_CLASSES = {
    "A type": "AnyType AwaitType BoolType ClassType ComplexType DeviceObjType DictType EnumType FloatType FutureType "
    "InterfaceType IntType ListType NoneType NumberType OptionalType PyObjectType RRefType StreamObjType StringType "
    "SymBoolType SymIntType TensorType TupleType Type UnionType",
    "A part": "Argument Block Code FunctionSchema JITException ScriptClass ScriptDict ScriptList ScriptMethod "
    "ScriptObject TracingState Use",
}
KINDS: dict[str, Any] = {
    name: type(
        name,
        (ScriptFunction,),
        {"__doc__": f"{what} of TorchScript's programs: there are none.", "__module__": __name__},
    )
    for what, names in _CLASSES.items()
    for name in names.split()
}


class BroadcastingListCls:
    """`BroadcastingList2[int]` is a number, or a list of two: to Python nothing."""

    def __getitem__(self, types: Any) -> None:
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingListCls()


def __getattr__(name: str) -> Any:
    if name in KINDS:
        return KINDS[name]
    raise no_attribute(__name__, name)
