"""Whether a value is what an annotation says, and the annotation in words.

Generous where functions of PyTorch's are: NumPy's numbers and 0-d tensors are numbers, what can be gone through is a
list. What cannot be decided fits.
"""

from __future__ import annotations

import numbers
from collections import abc
from types import NoneType, UnionType
from typing import IO, Any, BinaryIO, Literal, TextIO, TypeVar, Union, get_args, get_origin

import numpy as np

from ..errors import type_name
from ..tensor import dtypes
from ..tensor.base import TensorBase

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
    """The type of a given value in words, with those of a list's items."""
    if not isinstance(value, (list, tuple)):
        return type_name(value)
    more = ["..."] if len(value) > _SHOWN else []
    return f"{type_name(value)} of ({', '.join([*map(type_name, value[:_SHOWN]), *more])})"
