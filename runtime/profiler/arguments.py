"""How arguments of ops are described in a trace: shapes, strides and dtypes of tensors, the text of everything else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from ..tensor.base import TensorBase

_LONGEST = 80  # characters of the text of one argument


class Argument(NamedTuple):
    """One argument of a call, under PyTorch's headings; lists of tensors have lists everywhere."""

    dims: Any = ()
    strides: Any = ()
    type: Any = ""
    text: str = ""


def describe(args: Iterable[Any], kwargs: dict[str, Any]) -> tuple[Argument, ...]:
    """The arguments of a call in order, then those by name (`out`, `dtype`, ...) that are given."""
    named = [value for value in kwargs.values() if value is not None]
    return tuple([_argument(value) for value in (*args, *named)])


def _argument(value: Any) -> Argument:
    if isinstance(value, TensorBase):
        return Argument(list(value.shape), list(value.stride()), _type_name(value))
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, TensorBase) for item in value):
        parts = [_argument(item) for item in value]
        return Argument([p.dims for p in parts], [p.strides for p in parts], [p.type for p in parts])
    kind = "Scalar" if isinstance(value, (bool, int, float, complex)) else ""
    text = "" if value is None else str(value)
    return Argument([], [], kind, text if len(text) <= _LONGEST else text[: _LONGEST - 3] + "...")


def _type_name(tensor: Any) -> str:
    return str(tensor.dtype).rpartition(".")[2]
