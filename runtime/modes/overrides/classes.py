"""Which classes have a `__torch_function__`, and which are known to have none.

An op asks `value.__class__ not in plain` once native code has left a call to Python; everything else happens where that
is true. `plain` is empty while somebody takes the place of ops: then every call is looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .switches import DisableTorchFunctionSubclass

NUMPY = (np.ndarray, np.float64, np.float32, np.int64, np.int32, np.bool_)

known: set[type] = {int, float, bool, complex, str, bytes, type(None), slice, type, type(Ellipsis), *NUMPY}
plain: set[type] = set(known)
plain_or_sizes: set[type] = {*known, tuple}  # where a tuple holds sizes, and no tensors


def add_plain(cls: type) -> None:
    """Objects of a class are never asked for a `__torch_function__`."""
    known.add(cls)
    if plain:
        plain.add(cls)
        plain_or_sizes.add(cls)


def never_plain(cls: type) -> None:
    """Calls on objects of a class, which has no `__torch_function__`, are looked at all the same: those of a layout."""
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
    """Whether an argument, or an item of a list, is of a class that may have a `__torch_function__`."""
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
