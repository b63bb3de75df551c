"""One Python function for several schemas of a name: `max(x)`, `max(x, dim)`, `max(x, other)`."""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError, type_name
from ..shapes import Size
from ..tensor.dtypes import dtype
from ..tensor.overrides import NOT_HANDLED, overridden_call
from ..tensor.tensor import TensorBase

Parameter = tuple[str, str, bool, bool]  # python name, schema type, required, keyword only

Number = int | float | complex  # Python's, in the annotations of generated functions
NUMBERS = frozenset((int, float, bool, complex))  # their types
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim"}
PLAIN = frozenset((int, float, bool, str, complex, type(None), dtype))  # types whose values all fit the same parameters
SEQUENCES = frozenset((tuple, list, Size))  # which are told apart by the types of their items


class Overloads:
    """Calls the first overload whose parameters take the arguments by number, name and type."""

    def __init__(self, name: str, overloads: list[tuple[Callable[..., Any], str, tuple[Parameter, ...]]]) -> None:
        self.__name__ = self.__qualname__ = name
        self.overloads = overloads
        self.by_types: dict[Any, Callable[..., Any]] = {}

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if "axis" in kwargs or "keepdims" in kwargs:
            kwargs = {NUMPY_NAMES.get(name, name): value for name, value in kwargs.items()}
        key: tuple[Any, ...] = (tuple(map(type, args)), tuple(kwargs), tuple(map(type, kwargs.values())))
        function = self.by_types.get(key)
        if function is None:
            values = (*args, *kwargs.values())
            key = *key, *[frozenset(map(type, value)) for value in values if type(value) in SEQUENCES]
            with_roles = *key, tuple([role(value) for value in values if isinstance(value, TensorBase)])
            function = self.by_types.get(key) or self.by_types.get(with_roles)
        if function is None:
            result = overridden_call(self.public, args, kwargs, self.__name__)
            if result is not NOT_HANDLED:
                return result
            function = self.choose(args, kwargs)
            if self.types_tell(function, args, kwargs, is_type_match):
                self.by_types[key] = function
            elif self.types_tell(function, args, kwargs, lambda _, value: isinstance(value, TensorBase)):
                self.by_types[with_roles] = function
        return function(*args, **kwargs)

    @property
    def functions(self) -> list[Callable[..., Any]]:
        return [function for function, _, _ in self.overloads]

    @property
    def public(self) -> Any:
        return getattr(sys.modules[self.overloads[0][0].__module__], self.__name__, self)

    def types_tell(
        self,
        chosen: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        is_type_match: Callable[[str, Any], bool],
    ) -> bool:
        """Whether other values of the same types choose the same overload: a tensor may stand for a number or not."""
        for function, _, parameters in self.overloads:
            kinds = {name: kind for name, kind, _, _ in parameters}
            values = [*zip([p[1] for p in parameters if not p[3]][1:], args[1:], strict=False)]
            values += [(kinds.get(name, "Tensor"), value) for name, value in kwargs.items()]
            if not all(is_plain(value) or is_type_match(kind, value) for kind, value in values):
                return False
            if function is chosen:
                break
        return True

    def choose(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any]:
        """The first with the fewest tensors in the place of numbers. `out` is none of the arguments."""
        named = {name: value for name, value in kwargs.items() if name != "out"}
        fitting = [
            (function, parameters) for function, _, parameters in self.overloads if fits(parameters, args, named)
        ]
        if not fitting:
            raise ArgumentError(self.explanation(args, kwargs))
        return min(fitting, key=lambda result: stand_ins(result[1], args, named))[0]

    def explanation(self, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
        value = ", ".join([*(type_name(a) for a in args), *(f"{k}={type_name(v)}" for k, v in kwargs.items())])
        lines = "\n".join(f" * ({schema})" for _, schema, _ in self.overloads)
        return (
            f"{self.__name__}() received an invalid combination of arguments - got ({value}), "
            f"but expected one of:\n{lines}"
        )


def overloads_of(function: Callable[..., Any]) -> Overloads | None:
    if isinstance(function, Overloads):
        return function
    cached = getattr(function, "__globals__", {}).get(f"_{function.__name__}_overloads")
    return cached if isinstance(cached, Overloads) and cached.public is function else None


def fits(parameters: tuple[Parameter, ...], args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    positional = [p for p in parameters if not p[3]]
    if len(args) > len(positional):
        return False
    bound = {p[0]: value for p, value in zip(positional, args, strict=False)}
    for name, value in kwargs.items():
        if name in bound:
            return False
        bound[name] = value
    names = {p[0] for p in parameters}
    if not names.issuperset(bound):
        return False
    for name, kind, required, _ in parameters:
        if name not in bound:
            if required:
                return False
        elif not is_a(kind, bound[name]):
            return False
    return True


def stand_ins(parameters: tuple[Parameter, ...], args: Sequence[Any], kwargs: dict[str, Any]) -> int:
    """How many tensors are to be taken for numbers: `max(x, index)` is a maximum of tensors, no reduction."""
    kinds = {p[0]: p[1] for p in parameters}
    bound = [*zip([p[1] for p in parameters if not p[3]], args, strict=False)]
    bound += [(kinds[name], value) for name, value in kwargs.items()]
    return sum(isinstance(value, TensorBase) and kind.removesuffix("?") != "Tensor" for kind, value in bound)


def is_plain(value: Any) -> bool:
    """Whether all values of the type fit the same parameters, or of a sequence those of its items."""
    items = value if type(value) in SEQUENCES else (value,)
    return all(type(item) in PLAIN for item in items)


def is_type_match(kind: str, value: Any) -> bool:
    """Whether the class of a tensor tells whether it can stand for a schema type."""
    return isinstance(value, TensorBase) and kind.removesuffix("?") in ("Tensor", "bool", "str")


def role(tensor: Any) -> tuple[bool, bool]:
    """Whether a tensor can stand for a number, and for an integer: all that overloads ask of it."""
    return _is_number(tensor), _is_integer(tensor)


def is_a(kind: str, value: Any) -> bool:
    """Whether a value can stand for a schema type; the exact check is the overload's own."""
    if kind.endswith("?"):
        return value is None or is_a(kind[:-1], value)
    if kind.endswith("]"):
        return _is_list(kind, value)
    if kind == "Tensor":
        return isinstance(value, TensorBase)
    if kind == "Operand":
        return isinstance(value, (TensorBase, np.ndarray)) or _is_number(value)
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "int":
        return _is_integer(value)
    if kind in ("Scalar", "float"):
        return _is_number(value)
    if kind == "str":
        return isinstance(value, str)
    return value is not None and not isinstance(value, TensorBase)


def _is_list(kind: str, value: Any) -> bool:
    inner, size = kind[:-1].split("[")
    if isinstance(value, (list, tuple)):
        return all(is_a(inner, item) for item in value)
    return bool(size) and is_a(inner, value)


def _is_number(value: Any) -> bool:
    if isinstance(value, TensorBase):
        return not value._shape and not value._requires_grad
    return isinstance(value, (int, float, complex)) or (hasattr(value, "item") and not getattr(value, "shape", ()))


def _is_integer(value: Any) -> bool:
    if isinstance(value, (bool, float)):
        return False
    if isinstance(value, TensorBase):
        return value._dtype.kind == "i" and value.numel() == 1
    return hasattr(value, "__index__")
