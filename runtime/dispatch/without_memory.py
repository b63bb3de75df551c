"""Kernels for tensors without memory: an entry's shape rule says what would come out, and nothing is computed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from ..errors import DeviceError, NoDataError
from ..tensor.meta import MetaArray

_RUNTIME = __name__.rpartition(".dispatch.")[0]


class Shaped:
    """Stands for a kernel: takes what it takes, and returns arrays without memory of the shapes that its rule gives.

    A rule is a function, or its place in the runtime (`"ops.reduction.shapes:reduced"`), which is loaded now. It takes
    the kernel's arguments and gives the shape of the result, a list of them for several results; a result that has
    another dtype than the first operand, and none that the entry names, is an array itself.
    """

    def __init__(self, kernel: Any, rule: Any) -> None:
        self.name = kernel.__name__
        self.rule = _resolved(rule) if isinstance(rule, str) else rule

    def __call__(self, *args: Any) -> Any:
        if self.rule is None:
            raise NoDataError(
                f"{self.name}(): attempted to run this operator with Meta tensors, but there was no fake impl or Meta "
                "kernel registered: its entry has no key 'shape'"
            )
        arrays = list(_arrays_in(args))
        _check_devices(self.name, arrays)
        dtype = next(array.dtype for array in arrays if isinstance(array, MetaArray))
        result = self.rule(*args)
        return [_made(each, dtype) for each in result] if isinstance(result, list) else _made(result, dtype)


@cache
def _resolved(target: str) -> Any:
    module, name = target.split(":")
    return getattr(import_module(f"{_RUNTIME}.{module}"), name)


def _made(shape: Any, dtype: Any) -> MetaArray:
    return shape if isinstance(shape, MetaArray) else MetaArray(shape, dtype)


def _arrays_in(values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, (list, tuple)):
            yield from _arrays_in(value)
        elif isinstance(value, np.ndarray) or getattr(value, "on_device", False):
            yield value


def _check_devices(name: str, arrays: list[Any]) -> None:
    """Refuse arrays with memory beside those without, but for single numbers of the host."""
    for array in arrays:
        if not isinstance(array, MetaArray) and (array.ndim or not isinstance(array, np.ndarray)):
            raise DeviceError(
                f"{name}(): Expected all tensors to be on the same device, but found at least two devices, meta and "
                f"{array.device}!"
            )
