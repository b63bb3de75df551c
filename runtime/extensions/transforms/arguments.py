"""Arguments of transforms, checked in PyTorch's words and chosen by number; unit vectors and Jacobians of trees."""

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from ...pytree import flatten, unflatten
from ...tensor.memory import placed
from ...tensor.tensor import TensorBase, from_flat


def chosen(name: str, args: Sequence[Any], argnums: Any) -> Any:
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
    result = list(args)
    if isinstance(argnums, int):
        result[argnums] = values
    else:
        for number, value in zip(argnums, values, strict=True):
            result[number] = value
    return result


def handed_on(args: Sequence[Any], kwargs: Any, differentiated: Sequence[Any]) -> list[Any]:
    """The tensors that a function gets as they are, beside those that it is differentiated with respect to."""
    if len(args) == 1 and not kwargs:
        return []
    others = {id(leaf): leaf for leaf in flatten((args, kwargs))[0] if isinstance(leaf, TensorBase)}
    own = {id(leaf) for leaf in differentiated}
    return [leaf for key, leaf in others.items() if key not in own]


def basis_of(tensors: Sequence[Any]) -> list[Any]:
    """The unit vectors of all tensors together: one batch for each tensor, of all the elements' number."""
    sizes = [prod(t._shape) for t in tensors]
    total, start, result = sum(sizes), 0, []
    for tensor, size in zip(tensors, sizes, strict=True):
        units = np.zeros((total, size), tensor._dtype.np)
        units[range(start, start + size), range(size)] = 1
        flat = from_flat(placed(units.reshape(-1), tensor._device), type(tensor._shape)((total, size)), tensor._dtype)
        result.append(flat.reshape((total, *tensor._shape)))
        start += size
    return result


def parted_jacobian(rows: Any, outputs: Sequence[Any], out_spec: Any) -> Any:
    """From rows, one for each element of all outputs, to a tree like the output's of trees like the arguments'."""
    leaves, spec = flatten(rows)
    start, result = 0, []
    for output in outputs:
        size = prod(output._shape)
        blocks = [leaf.narrow(0, start, size).reshape((*output._shape, *leaf._shape[1:])) for leaf in leaves]
        result.append(unflatten(blocks, spec))
        start += size
    return unflatten(result, out_spec)


def stacked_jacobian(columns: Any, inputs: Sequence[Any], in_spec: Any) -> Any:
    """From columns, one for each element of all inputs, last in each leaf, to a tree like the output's of trees."""
    leaves, spec = flatten(columns)
    return unflatten([_parts(leaf, inputs, in_spec) for leaf in leaves], spec)


def _parts(leaf: Any, inputs: Sequence[Any], in_spec: Any) -> Any:
    start, result = 0, []
    for value in inputs:
        size = prod(value._shape)
        block = leaf.narrow(-1, start, size)
        result.append(block.reshape((*leaf._shape[:-1], *value._shape)))
        start += size
    return unflatten(result, in_spec)


def with_aux(call: str, returned: Any, has_aux: bool) -> tuple[Any, Any]:
    if not has_aux:
        return returned, None
    if not (isinstance(returned, tuple) and len(returned) == 2):
        raise RuntimeError(f"{call}: output of function f should be a tuple: (output, aux) if has_aux is True")
    for leaf in flatten(returned[1])[0]:
        if not isinstance(leaf, TensorBase):
            raise RuntimeError(f"{call}: aux: Expected tensors, got unsupported type {type(leaf)}")
    return returned


def check_tensor(name: str, value: Any) -> None:
    if not isinstance(value, TensorBase):
        raise ValueError(f"{name}: Thing passed to transform API must be Tensor, got {type(value)}")


def check_input(name: str, value: Any) -> None:
    check_tensor(name, value)
    if value._dtype.kind not in "fc":
        raise RuntimeError(
            f"{name}: only Tensors of floating point and complex dtype can require gradients, but got {value._dtype!r}"
        )


def check_outputs(call: str, outputs: Sequence[Any]) -> None:
    for output in outputs:
        if not isinstance(output, TensorBase):
            raise RuntimeError(
                f"{call}: expected f(*primals) to return only tensors, got unsupported type {type(output)}"
            )
    if not outputs:
        raise RuntimeError(f"{call}: Expected f to be a function that has non-empty output (got output = [])")


def check_floating(call: str, outputs: Sequence[Any]) -> None:
    for output in outputs:
        if output._dtype.kind not in "fc":
            raise RuntimeError(
                f"{call}: All outputs of f must be floating-point or complex Tensors, got Tensor with dtype "
                f"{output._dtype!r}"
            )


def check_real(name: str, what: str, tensors: Sequence[Any]) -> None:
    """Whether tensors are real: entries of a complex Jacobian would not say which of its derivatives they are."""
    for index, tensor in enumerate(tensors):
        if isinstance(tensor, TensorBase) and tensor._dtype.kind == "c":
            raise RuntimeError(
                f"{name}: Expected all {what}s to be real but received complex tensor at flattened {what} idx: {index}"
            )


def check_scalar(call: str, value: Any) -> None:
    if not isinstance(value, TensorBase):
        raise RuntimeError(f"{call}: Expected f(*args) to return a Tensor, got {type(value)}")
    if len(value._shape):
        raise RuntimeError(
            f"{call}: Expected f(*args) to return a scalar Tensor, got tensor with {len(value._shape)} dims. Maybe you "
            "wanted to use the vjp or jacrev APIs instead?"
        )
    if value._dtype.kind == "c":
        raise RuntimeError(
            f"{call}: grad can be implicitly created only for real scalar outputs but got {value._dtype!r}"
        )
