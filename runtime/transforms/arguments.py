"""Arguments chosen by number, the unit vectors of trees of tensors, and Jacobians taken apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ..pytree import flatten, unflatten
from ..tensor.base import fresh


def chosen(name: str, args: Sequence[Any], argnums: Any) -> Any:
    """The argument of a number, or a tuple of those of several."""
    if isinstance(argnums, int):
        return args[_position(name, args, argnums)]
    if not isinstance(argnums, tuple):
        raise RuntimeError(f"{name}: argnums must be int or Tuple[int, ...], got: {type(argnums)}")
    if not argnums:
        raise RuntimeError(f"{name}: argnums must be non-empty")
    positions = [_position(name, args, number) for number in argnums]
    if len(set(positions)) < len(positions):
        raise RuntimeError(f"{name}: argnums elements must be unique, got {argnums}")
    return tuple(args[position] for position in positions)


def _position(name: str, args: Sequence[Any], number: Any) -> int:
    if not isinstance(number, int):
        raise RuntimeError(f"{name}: argnum must be int, got: {type(number)}")
    if not -len(args) <= number < len(args):
        raise RuntimeError(f"{name}: Got argnum={number}, but only {len(args)} positional inputs")
    return number % len(args)


def replaced(args: Sequence[Any], argnums: Any, values: Any) -> list[Any]:
    """The arguments with others in the places of the chosen ones."""
    result = list(args)
    if isinstance(argnums, int):
        result[argnums] = values
    else:
        for number, value in zip(argnums, values, strict=True):
            result[number] = value
    return result


def basis_of(tensors: Sequence[Any]) -> list[Any]:
    """The unit vectors of all tensors together: one batch for each tensor, of all the elements' number."""
    sizes = [prod(t._shape) for t in tensors]
    total, start, result = sum(sizes), 0, []
    for tensor, size in zip(tensors, sizes, strict=True):
        units = np.zeros((total, size), tensor._dtype.np)
        units[range(start, start + size), range(size)] = 1
        flat = fresh(units.reshape(-1), type(tensor._shape)((total, size)), tensor._dtype)
        result.append(flat.reshape((total, *tensor._shape)))
        start += size
    return result


def parted_jacobian(rows: Any, outputs: Sequence[Any], out_spec: Any) -> Any:
    """From rows, one for each element of all outputs, to a tree like the output's of trees like the arguments'."""
    leaves, spec = flatten(rows)
    start, found = 0, []
    for output in outputs:
        size = prod(output._shape)
        blocks = [leaf.narrow(0, start, size).reshape((*output._shape, *leaf._shape[1:])) for leaf in leaves]
        found.append(unflatten(blocks, spec))
        start += size
    return unflatten(found, out_spec)


def joined_jacobian(columns: Any, inputs: Sequence[Any], in_spec: Any) -> Any:
    """From columns, one for each element of all inputs, last in each leaf, to a tree like the output's of trees."""
    leaves, spec = flatten(columns)
    return unflatten([_parts(leaf, inputs, in_spec) for leaf in leaves], spec)


def _parts(leaf: Any, inputs: Sequence[Any], in_spec: Any) -> Any:
    start, found = 0, []
    for value in inputs:
        size = prod(value._shape)
        block = leaf.narrow(-1, start, size)
        found.append(block.reshape((*leaf._shape[:-1], *value._shape)))
        start += size
    return unflatten(found, in_spec)
