"""The operands of a call on nested tensors: packed elements for nested ones, rows that fit these for others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...runtime.namespace import op
from ...runtime.tensor.base import TensorBase
from .tensor import NestedTensor, pack


def nested_in(values: Iterable[Any]) -> list[NestedTensor]:
    """The nested tensors among arguments."""
    return [value for value in values if isinstance(value, NestedTensor)]


def first_nested(args: Iterable[Any]) -> NestedTensor:
    """The nested tensor that a call is about.

    Raises:
        NotImplementedError: there is none among the arguments that come by place.
    """
    result = nested_in(args)
    if not result:
        raise NotImplementedError("nested tensors are to be given by place")
    return result[0]


def repacked(packed: Any, like: NestedTensor) -> NestedTensor:
    """Other elements in the parts of a nested tensor."""
    return pack(packed, like._ragged, like._ragged_dim)


def pointwise(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> NestedTensor:
    """An op of each element: of all of them at once.

    Raises:
        RuntimeError: the parts of two nested tensors have other sizes.
    """
    result = nested_in((*args, *kwargs.values()))
    for other in result[1:]:
        if other._sizes[result[0]._ragged_dim] != result[0]._ragged.size or other._ragged_dim != result[0]._ragged_dim:
            shapes = " and ".join(str(each._sizes) for each in result)
            raise RuntimeError(
                f"cannot call binary pointwise function {function.__name__} with inputs of shapes {shapes}"
            )
    like = max(result, key=lambda each: len(each._sizes))
    named = {name: on_values(value, like) for name, value in kwargs.items()}
    return repacked(function(*[on_values(value, like) for value in args], **named), like)


def on_values(value: Any, like: NestedTensor) -> Any:
    """An operand beside the elements of a nested tensor, with which it broadcasts."""
    if isinstance(value, NestedTensor):
        return value._packed
    if not isinstance(value, TensorBase) or value.ndim == 0:
        return value
    behind = len(like._sizes) - 1 - like._ragged_dim
    if value.ndim <= behind or (value.ndim == behind + 1 and value.shape[0] == 1):
        return value
    return op.cat(rows_for_parts(value, like), like._ragged_dim - 1)


def rows_for_parts(value: Any, like: NestedTensor) -> list[Any]:
    """What a tensor with a row for each part, or one for all of them, is beside each part.

    Raises:
        RuntimeError: it does not broadcast with the nested tensor.
    """
    dims = len(like._sizes)
    full = value.reshape((1,) * (dims - value.ndim) + tuple(value.shape)) if value.ndim < dims else value
    count, longest = len(like._ragged), max(like._ragged.lengths)
    size = full.shape[like._ragged_dim] if full.ndim == dims else -1
    if full.ndim != dims or full.shape[0] not in (1, count) or size not in (1, longest):
        raise RuntimeError(f"a tensor of shape {list(value.shape)} does not broadcast with nested sizes {like._sizes}")
    matches = []
    for number, length in enumerate(like._ragged.lengths):
        row = full[number if full.shape[0] > 1 else 0]
        sizes = list(row.shape)
        sizes[like._ragged_dim - 1] = length
        matches.append(row.narrow(like._ragged_dim - 1, 0, length) if size != 1 else row.expand(sizes))
    return matches
