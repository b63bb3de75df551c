"""What a scripted or traced module raises: PyTorch's interpreter turns whatever Python would raise into one class.

A module that `jit.script` has been given stays Python, so its `assert` raises an AssertionError, and a call without an
argument a TypeError. Programs that catch `jit.Error` or RuntimeError, as they must where the module is compiled, do so
here as well: the error that leaves the module is of both classes, its own and `Error`.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from ...methods.argument_guard import leave

T = TypeVar("T")
MARK = "_called_as_compiled"  # an attribute of modules, so that copies and pickles of them have it too


class Error(RuntimeError):
    """What a call of a scripted or traced module raises, beside the class that Python's error has.

    Example:
        >>> import specgrad as sg
        >>> try:
        ...     sg.jit.script(sg.nn.ReLU())()
        ... except sg.jit.Error as error:
        ...     print(isinstance(error, TypeError), error)
        True ReLU.forward() missing 1 required positional argument: 'input'
    """


def call_as_compiled(obj: T) -> T:
    if hasattr(type(obj), MARK):
        setattr(obj, MARK, True)
    return obj


def leave_as_compiled(
    function: Callable[..., Any], error: Exception, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """Raise what `function(*args, **kwargs)` of a compiled module raises; return when `error` is to pass as it is."""
    try:
        leave(function, error, args, kwargs)
    except RuntimeError:
        raise
    except Exception as explained:
        raise _of_both(explained) from error
    if not isinstance(error, RuntimeError):
        raise _of_both(error) from error


def _of_both(error: Exception) -> Error:
    plain: Any = type(error)  # hashable, which types of exceptions are not for mypy
    kind = _both(plain)
    made = kind.__new__(kind, *error.args)
    made.args = error.args
    made.__dict__.update(vars(error))
    return made


@cache
def _both(kind: Any) -> type[Error]:
    """A class of both; `Error` alone where Python refuses such a class, as two that keep fields of their own."""
    try:
        return type(kind.__name__, (Error, kind), {"__module__": kind.__module__, "__doc__": kind.__doc__})
    except TypeError:
        return Error
