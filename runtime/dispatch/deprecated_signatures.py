"""Calls in a form that PyTorch has deprecated and takes all the same: `x.add(2, y)` for `x.add(y, alpha=2)`."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ..errors import ArgumentError, warn_user
from ..tensor.overrides import plain
from ..tensor.tensor import TensorBase
from .overloads import is_a

Form = tuple[tuple[str, str], ...]  # (name, schema type) of the arguments in the order of the older form
Option = tuple[str, Any, Any]  # name, value and default of an argument that the present form has by keyword

_warned: list[str] = []  # the function whose call was warned of: PyTorch warns once for all of them


def call_deprecated_signature(
    function: Callable[..., Any],
    forms: Sequence[Form],
    args: tuple[Any, ...],
    options: Sequence[Option],
    out: Any = None,
) -> Any:
    """Call what values given by place mean; the tensor of a method comes first, wherever the form has it."""
    values = [value for value in args if value is not None]
    for form in (
        order for each in forms for order in (each, sorted(each, key=lambda argument: argument[0] != "input"))
    ):
        if len(form) == len(values) and all(map(stands_for, form, values)):
            break
    else:
        positions = sum(kind != "Scalar" for _, kind in forms[0])
        raise ArgumentError(
            f"{function.__name__}() takes {positions} positional arguments but {len(values)} were given"
        )
    named = dict(zip([name for name, _ in form], values, strict=True))
    for name, value, default in options:
        if value is not default and name in named:
            raise ArgumentError(f"{function.__name__}() got multiple values for argument '{name}'")
        named.setdefault(name, value)
    warn(function.__name__, form)
    return function(**named, **({} if out is None else {"out": out}))


def stands_for(argument: tuple[str, str], value: Any) -> bool:
    """Whether a value can be meant by an argument: the first tensor is no number, for that tells the forms apart."""
    name, kind = argument
    if is_a("Scalar", value):
        return kind == "Scalar" or (kind == "Operand" and name != "input") or isinstance(value, TensorBase)
    return kind != "Scalar" and (isinstance(value, TensorBase) or value.__class__ not in plain)


def warn(name: str, form: Iterable[tuple[str, str]]) -> None:
    """PyTorch's warning, the first time that any function is called in an older form."""
    if _warned:
        return
    _warned.append(name)
    kinds = [(name, "Number" if kind == "Scalar" else "Tensor") for name, kind in form if name != "input"]
    deprecated = ", ".join(f"{kind} {name}" for name, kind in kinds)
    tensors = [f"{kind} {name}" for name, kind in kinds if kind == "Tensor"]
    numbers = [f"{kind} {name} = 1" for name, kind in kinds if kind == "Number"]
    warn_user(
        f"This overload of {name} is deprecated:\n\t{name}({deprecated})\n"
        f"Consider using one of the following signatures instead:\n\t{name}({', '.join([*tensors, '*', *numbers])})"
    )
