"""The operands of a call on nested tensors, and ops along dimensions: on all elements, else part by part."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from ...runtime.dispatch.registry import Op
from ...runtime.namespace import op
from ...runtime.tensor.tensor import TensorBase
from .tensor import NestedTensor, Ragged, pack


def nested_in(values: Iterable[Any]) -> list[NestedTensor]:
    return [value for value in values if isinstance(value, NestedTensor)]


def first_nested(args: Iterable[Any]) -> NestedTensor:
    """The nested tensor that a call is about: it must be among the arguments that come by place."""
    result = nested_in(args)
    if not result:
        raise NotImplementedError("nested tensors are to be given by place")
    return result[0]


def repacked(packed: Any, like: NestedTensor) -> NestedTensor:
    return pack(packed, like._ragged, like._ragged_dim)


def pointwise(function: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> NestedTensor:
    """An op of each element: of all of them at once, so the parts of two nested tensors must have one size."""
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
    if isinstance(value, NestedTensor):
        return value._packed
    if not isinstance(value, TensorBase) or value.ndim == 0:
        return value
    behind = len(like._sizes) - 1 - like._ragged_dim
    if value.ndim <= behind or (value.ndim == behind + 1 and value.shape[0] == 1):
        return value
    return op.cat(rows_for_parts(value, like), like._ragged_dim - 1)


def rows_for_parts(value: Any, like: NestedTensor) -> list[Any]:
    """What a tensor with a row for each part, or one for all of them, is beside each part."""
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


_DIM = re.compile(r"dims?\d?")  # arguments that count dimensions, as in batching rules
Dims = tuple[int, ...]


def along(function: Callable[..., Any], entry: Op, args: Any, kwargs: dict[str, Any]) -> Any:
    """An op that has dimensions to go along, but not that of the parts themselves, or works on whole parts."""
    tensor = first_nested(args)
    if sum(isinstance(value, NestedTensor) for value in (*args, *kwargs.values())) > 1:
        raise NotImplementedError(f"{entry.name}(): there is no rule for several nested tensors")
    names = [name for name, _, _, named in entry.arguments if not named]
    dims: list[int] = []

    def inner(name: str, value: Any) -> Any:
        return counted(entry.name, value, tensor, dims) if _DIM.fullmatch(name) and value is not None else value

    values = [inner(name, value) for name, value in zip(names, args, strict=False)]
    named = {name: inner(name, value) for name, value in kwargs.items()}
    position = next(number for number, value in enumerate(args) if value is tensor)
    ragged = tensor._ragged_dim - 1

    def run(part: Any) -> Any:
        return function(*values[:position], part, *values[position + 1 :], **named)

    if dims and ragged not in dims:
        return unpacked(run(tensor._packed), tensor, dims)
    if not dims and any(_DIM.fullmatch(name) for name, _, _, _ in entry.arguments):
        raise NotImplementedError(f"{entry.name}(): say along which dimension of the nested tensor")
    reduces = any(name == "keepdim" for name, _, _, _ in entry.arguments)
    return concatenated([run(part) for part in tensor.parts()], tensor, reduces)


def counted(name: str, value: Any, tensor: NestedTensor, dims: list[int]) -> Any:
    if isinstance(value, tuple | list):
        return [counted(name, each, tensor, dims) for each in value]
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    count = len(tensor._sizes)
    if not -count <= value < count:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {value})"
        )
    if value % count == 0:
        raise RuntimeError(f"{name}(): not supported for NestedTensor on dim=0")
    dims.append(value % count - 1)
    return dims[-1]


def unpacked(result: Any, tensor: NestedTensor, dims: list[int]) -> Any:
    """What an op gives for all elements, in parts again: those before the packed dimension may be gone."""
    if isinstance(result, tuple | list):
        items = [unpacked(item, tensor, dims) for item in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    gone = tensor._packed.ndim - result.ndim
    ragged = tensor._ragged_dim - sum(dim < tensor._ragged_dim - 1 for dim in set(dims)) * (gone > 0)
    if result.shape[ragged - 1 : ragged] != (tensor._ragged.starts[-1],):
        raise NotImplementedError("there is no rule for nested tensors where their ragged dimension changes")
    return pack(result, tensor._ragged, ragged)


def concatenated(results: list[Any], tensor: NestedTensor, reduces: bool) -> Any:
    first = results[0]
    if isinstance(first, tuple | list):
        items = [concatenated(list(item), tensor, reduces) for item in zip(*results, strict=True)]
        return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)
    if not isinstance(first, TensorBase):
        raise NotImplementedError("there is no rule for nested tensors: parts give no tensors")
    if reduces or first.ndim != tensor._packed.ndim:
        return op.stack(results)
    dim = tensor._ragged_dim - 1
    lengths = [result.shape[dim] for result in results]
    packed = op.cat(results, dim)
    if tuple(lengths) == tensor._ragged.lengths:
        return repacked(packed, tensor)
    return pack(packed, Ragged(lengths), tensor._ragged_dim)
