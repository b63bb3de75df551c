"""What libraries ask about `__torch_function__`: `specgrad.overrides`."""

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

from ...namespace import OWN, known
from ...tensor.overrides import ask, originals, overrides, overriding, state

_PACKAGE = __name__.partition(".")[0]
_NAMESPACES = ("", "functional", "nn.functional", "nn.init", "linalg", "fft", "special")
# Where functions of tensors are written; those of `creation` that draw or make tensors like others are among them.
_WITH_TENSORS = (
    "generated.ops.",
    "nn.functional.",
    "nn.init",
    "runtime.extensions.masked.",
    "runtime.extensions.torch_compat.functions",
    "runtime.ops.numeric.",
    "runtime.ops.matmul.einsum",
    "runtime.ops.shape.broadcast",
    "runtime.methods.queries",
)
_LIKE = ("creation.like", "creation.distributions")


def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether an argument has a `__torch_function__` of its own, or a mode is entered.

    Args:
        relevant_args: the arguments; lists are looked into.

    Raises:
        TypeError: they are no sequence.

    Example:
        >>> import specgrad as sg
        >>> sg.overrides.has_torch_function((sg.ones(2), 1.0))
        False
    """
    if state.modes:
        return True
    if not isinstance(relevant_args, Iterable):
        raise TypeError(f"has_torch_function(): expected a sequence, but got {type(relevant_args).__name__}")
    return state.arguments and bool(overriding(relevant_args))


def has_torch_function_unary(relevant_arg: Any) -> bool:
    """`has_torch_function` of one argument.

    Args:
        relevant_arg: the argument.
    """
    return has_torch_function((relevant_arg,))


def has_torch_function_variadic(*relevant_args: Any) -> bool:
    """`has_torch_function` of any number of arguments.

    Args:
        *relevant_args: the arguments.
    """
    return has_torch_function(relevant_args)


def handle_torch_function(
    public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any
) -> Any:
    """Call the `__torch_function__` of modes and arguments in the place of a function.

    Args:
        public_api: the function.
        relevant_args: the arguments that are asked.
        *args, **kwargs: with what the function was called.

    Raises:
        TypeError: none of them gives an answer.

    Example:
        >>> import specgrad as sg
        >>> class Named:
        ...     @classmethod
        ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
        ...         return func.__name__
        >>> def double(x):
        ...     if sg.overrides.has_torch_function_unary(x):
        ...         return sg.overrides.handle_torch_function(double, (x,), x)
        ...     return 2 * x
        >>> double(Named())
        'double'
    """
    return ask(public_api, overriding(relevant_args) if state.arguments else [], args, kwargs)


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: arguments with a `__torch_function__` take the place of the function.

    Args:
        dispatcher: gives of the function's arguments those that are asked.

    Example:
        >>> import specgrad as sg
        >>> @sg.overrides.wrap_torch_function(lambda x: (x,))
        ... def double(x):
        ...     return 2 * x
        >>> double(sg.tensor(2.0))
        tensor(4.)
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def _assert(condition: Any, message: str) -> None:
    """`assert` as a function, which a `__torch_function__` of the condition may take the place of.

    Args:
        condition: what has to be true.
        message: what the error says.

    Raises:
        AssertionError: it is not.

    Example:
        >>> import specgrad as sg
        >>> sg._assert(sg.ones(2).dim() == 1, "expected a vector")
    """
    if has_torch_function((condition,)):
        handle_torch_function(_assert, (condition,), condition, message)
    elif not condition:
        raise AssertionError(message)


def is_tensor_like(inp: Any) -> bool:
    """Whether an object is a Tensor or has a `__torch_function__`.

    Args:
        inp: any object.

    Example:
        >>> import specgrad as sg
        >>> sg.overrides.is_tensor_like(sg.ones(2)), sg.overrides.is_tensor_like(1.0)
        (True, False)
    """
    return isinstance(inp, _tensor_class()) or overrides(type(inp))


def is_tensor_method_or_property(func: Callable[..., Any]) -> bool:
    """Whether something is a member of Tensor: a method, or the `__get__` of a property. An op counts as a function.

    Args:
        func: what a `__torch_function__` was given.

    Example:
        >>> import specgrad as sg
        >>> check = sg.overrides.is_tensor_method_or_property
        >>> check(sg.Tensor.size), check(sg.Tensor.shape.__get__), check(sg.add)
        (True, True, False)
    """
    if getattr(func, "__name__", "") in ("__get__", "__set__", "__delete__"):
        return True
    return resolve_name(func).startswith(f"{known.name}.Tensor.")


def resolve_name(f: Callable[..., Any]) -> str:
    """The name of a function, method or property as users write it.

    Args:
        f: the function; of a property its `__get__`.

    Example:
        >>> import specgrad as sg
        >>> sg.overrides.resolve_name(sg.nn.functional.relu), sg.overrides.resolve_name(sg.Tensor.shape.__get__)
        ('specgrad.nn.functional.relu', 'specgrad.Tensor.shape.__get__')
    """
    try:
        return f"{known.name}.{_names()[f]}"
    except (KeyError, TypeError):  # it is none of specgrad's, or cannot be hashed
        return str(f)


def get_overridable_functions() -> dict[Any, list[Callable[..., Any]]]:
    """The functions that a `__torch_function__` may take the place of, by the namespace that they are in.

    Example:
        >>> import specgrad as sg
        >>> sg.add in sg.overrides.get_overridable_functions()[sg]
        True
    """
    results: dict[Any, list[Callable[..., Any]]] = {}
    for namespace, functions in _by_namespace().items():
        results[namespace] = [function for _, function in functions if _takes_tensors(function)]
    results[_tensor_class()] = [member for _, member in _members()]
    return results


def get_ignored_functions() -> set[Callable[..., Any]]:
    """The public functions that only modes, or nobody, may take the place of: they take no tensors.

    Example:
        >>> import specgrad as sg
        >>> sg.manual_seed in sg.overrides.get_ignored_functions()
        True
    """
    return {f for functions in _by_namespace().values() for _, f in functions if not _takes_tensors(f)}


def get_testing_overrides() -> dict[Callable[..., Any], Callable[..., Any]]:
    """For each function that may be overridden a dummy with the same parameters, which returns -1.

    Example:
        >>> import specgrad as sg
        >>> import inspect
        >>> inspect.signature(sg.overrides.get_testing_overrides()[sg.trace])
        <Signature (input)>
    """
    return {f: _dummy(f) for functions in get_overridable_functions().values() for f in functions}


def _dummy(function: Callable[..., Any]) -> Callable[..., Any]:
    def dummy(*args: Any, **kwargs: Any) -> int:
        return -1

    with suppress(ValueError):  # of functions without a signature
        known = inspect.signature(function).parameters.values()
        unwrapped = [p.replace(annotation=p.empty) for p in known if p.name not in ("out", "axis", "keepdims")]
        dummy.__signature__ = inspect.Signature(unwrapped)  # type: ignore[attr-defined]
    return dummy


# ---- what there is ---------------------------------------------------------------------------------------------------


@functools.cache
def _tensor_class() -> Any:
    return import_module(_PACKAGE).Tensor


@functools.cache
def _names() -> dict[Any, str]:
    results: dict[Any, str] = {}
    for namespace, functions in _by_namespace().items():
        module = namespace.__name__
        package = "" if module in (OWN, known.name) else f"{module.removeprefix(f'{OWN}.')}."
        for name, function in functions:
            results.setdefault(function, package + name)
    for name, member in _members():
        results.setdefault(member, f"Tensor.{name}")
    return results


def _by_namespace() -> dict[ModuleType, list[tuple[str, Any]]]:
    results = {}
    for name in _NAMESPACES:
        try:
            namespace = import_module(f"{_PACKAGE}.{name}".rstrip("."))
        except ModuleNotFoundError:
            continue
        listed = getattr(namespace, "__all__", ())
        functions = [(key, getattr(namespace, key)) for key in listed if not key.startswith("_")]
        results[namespace] = [(key, function) for key, function in functions if isinstance(function, FunctionType)]
    return results


def _members() -> Iterator[tuple[str, Any]]:
    cls = _tensor_class()
    for name in dir(cls):
        value = originals.get(name) or inspect.getattr_static(cls, name)
        if isinstance(value, property):
            yield f"{name}.__get__", value.__get__
            if value.fset is not None:
                yield f"{name}.__set__", value.__set__
        elif isinstance(value, FunctionType) and (not name.startswith("_") or name.startswith("__")):
            yield name, value


def _takes_tensors(function: Any) -> bool:
    module_name = inspect.unwrap(function).__module__.removeprefix(f"{_PACKAGE}.")
    return module_name.startswith(_WITH_TENSORS) or module_name.endswith(_LIKE)
