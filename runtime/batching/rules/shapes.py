"""Views, and ops along dimensions: the same op on the whole batch, with dimensions and shapes counted in it."""

from __future__ import annotations

from math import prod
from typing import Any

from ...namespace import op
from ...tensor import views
from ...tensor.base import TensorBase
from ..call import Call
from .elementwise import padded
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
    arguments = call.all_whole()
    for name in call.dimension_names():
        if arguments[name] is not None:
            arguments[name] = call.dimensions(arguments[name], rank)
    for name in call.shape_names():
        arguments[name] = (call.size, *as_list(arguments[name]))
    return arguments


def as_list(value: Any) -> list[int]:
    """A shape given as one number or several."""
    return [value] if isinstance(value, int) else list(value)


def joined(call: Call) -> Any:
    """cat: tensors of shape (0,) fit to any others, and mean nothing."""
    tensors = [t for t in call["tensors"] if t._shape != (0,)] or list(call["tensors"])[:1]
    dim = call.dimension(call["dim"], len(tensors[0]._shape))
    return op.cat([call.whole(t) for t in tensors], dim)


def new_dimension(call: Call) -> Any:
    """`dim` counts the dimensions of the result, which has one more."""
    return call.run(counted(call, len(call.first._shape) + 1))


def leading(call: Call) -> Any:
    """The op takes any number of dimensions in front, or looks at each element alone."""
    return call.run(call.all_whole())


def reordered(call: Call) -> Any:
    """`dims` says where every dimension comes from; the examples stay in front."""
    arguments = call.all_whole()
    rank = len(call.first._shape)
    arguments["dims"] = [0, *call.dimensions(as_list(arguments["dims"]), rank)]
    return call.run(arguments)


def transposed(call: Call) -> Any:
    """All dimensions of a matrix in reverse."""
    value, rank = call.whole(call.first), len(call.first._shape)
    if rank > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {rank}D")
    swap = op.transpose_ if call.writes else op.transpose
    return swap(value, 1, 2) if rank == 2 else value


def squeezed(call: Call) -> Any:
    """Without the dimensions of size 1, but for the batch's."""
    value = call.whole(call.first)
    dims = [d for d, size in enumerate(value._shape) if d and size == 1]
    return (op.squeeze_ if call.writes else op.squeeze)(value, dims)


def broadcasting(call: Call) -> Any:
    """`size` may have more dimensions than the example."""
    size = as_list(call["size"])
    return padded(call.whole(call["input"]), len(size)).expand((call.size, *size))


def restrided(call: Call) -> Any:
    """Strides are those of the example's memory; from one example to the next it is a stride of the batch."""
    value = call.whole(call["input"])
    offset = value._offset if call["storage_offset"] is None else call["storage_offset"]
    size, stride = as_list(call["size"]), as_list(call["stride"])
    layout = {"size": (call.size, *size), "stride": (value.stride()[0], *stride), "storage_offset": offset}
    return call.run({"input": value, **layout})


def restrided_sum(call: Call) -> Any:
    """Each example's memory behind the other's, with room for both layouts."""
    arguments = call.all_whole()
    before = call["offset"] + views.span(call["input"]._shape, call["stride"])
    after = call["to_offset"] + views.span(call["to_size"], call["to_stride"])
    step = max(before, after)
    arguments |= {"stride": [step, *call["stride"]], "to_stride": [step, *call["to_stride"]]}
    return call.run(arguments | {"to_size": [call.size, *call["to_size"]]})


def filled(call: Call) -> Any:
    """One number for each example, repeated to a shape."""
    size = as_list(call["size"])
    return padded(call.whole(call["input"]), len(size)).expand((call.size, *size)).clone()


def rolled(call: Call) -> Any:
    """Along dimensions; without any along the flattened example."""
    if as_list(call["dims"]):
        return along(call)
    value = call.whole(call["input"])
    return op.roll(flattened(value), call["shifts"], 1).reshape(value._shape)


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
    """What `merged` made one dimension, as two again; several results each."""
    if isinstance(value, TensorBase):
        return op.reshape(value, (size, value._shape[0] // size, *value._shape[1:]))
    return tuple(parted(v, size) for v in value)
