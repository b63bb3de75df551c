"""Ops along dimensions: the op itself on the whole batch, dimensions and shapes counted in it; reshaped batches."""

from __future__ import annotations

from math import prod
from typing import Any

from ...namespace import op
from ...tensor.base import TensorBase
from ..call import Call
from .general import loop


def along(call: Call) -> Any:
    """Arguments named dim, dims, dim0, ... count dimensions; those named size, input_shape, ... are whole shapes."""
    shapes = call.shape_names()
    rank = len(as_list(call[shapes[0]])) if shapes else len(call.first._shape)
    numbers = not rank or (not shapes and any(not t._shape for t in call.tensors().values()))
    if numbers and call.dimension_names():
        return loop(call)  # a single number has a dimension 0 that is not there
    return call.run(counted(call, rank))


def counted(call: Call, rank: int) -> dict[str, Any]:
    """All arguments as they are for the whole batch; dimensions are checked for examples of `rank`."""
    arguments = call.all_batch_first()
    for name in call.dimension_names():
        if arguments[name] is not None:
            arguments[name] = call.dimensions(arguments[name], rank)
    for name in call.shape_names():
        arguments[name] = (call.size, *as_list(arguments[name]))
    return arguments


def as_list(value: Any) -> list[int]:
    """A shape given as one number or several."""
    return [value] if isinstance(value, int) else list(value)


def new_dimension(call: Call) -> Any:
    """`dim` counts the dimensions of the result, which has one more."""
    return call.run(counted(call, len(call.first._shape) + 1))


def leading(call: Call) -> Any:
    """The op takes any number of dimensions in front, or looks at each element alone."""
    return call.run(call.all_batch_first())


def shaped(value: Any, shape: tuple[int, ...]) -> Any:
    """A tensor in another shape; the tensor itself where it has that."""
    return value if value._shape == shape else value.reshape(shape)


def flattened(value: Any) -> Any:
    """A whole batch whose examples have one dimension."""
    return shaped(value, (value._shape[0], prod(value._shape[1:])))


def merged(value: Any) -> Any:
    """The examples and their first dimension as one dimension."""
    return value.reshape((value._shape[0] * value._shape[1], *value._shape[2:]))


def parted(value: Any, size: int) -> Any:
    """A merged dimension as two again, (size, rest); of several results each."""
    if isinstance(value, TensorBase):
        return op.reshape(value, (size, value._shape[0] // size, *value._shape[1:]))
    return tuple(parted(v, size) for v in value)
