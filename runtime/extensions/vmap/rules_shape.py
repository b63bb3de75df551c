"""Views, joining and rolling: dimensions, sizes and strides of one example as those of the whole batch."""

from __future__ import annotations

from typing import Any

from ...namespace import op
from ...tensor import view_shapes
from .op_call import Call
from .rules_general import along, as_list, flattened, loop, padded


def windows(call: Call) -> Any:
    """unfold: the places of a window become the last dimension, of the whole batch too."""
    rank = len(call.first._shape)
    if not rank:
        return loop(call)  # a single number has a dimension 0 that is not there
    arguments = call.all_batch_first()
    arguments["dimension"] = call.dimension(arguments["dimension"], rank)
    return call.run(arguments)


def ordered(call: Call) -> Any:
    """order_of_true: of one dimension more in front that counts examples."""
    arguments = call.all_batch_first()
    return call.run(arguments | {"lead": arguments["lead"] + 1})


def concatenated(call: Call) -> Any:
    """cat: tensors of shape (0,) fit to any others, and mean nothing."""
    tensors = [t for t in call["tensors"] if t._shape != (0,)] or list(call["tensors"])[:1]
    dim = call.dimension(call["dim"], len(tensors[0]._shape))
    return op.cat([call.batch_first(t) for t in tensors], dim)


def reordered(call: Call) -> Any:
    """`dims` says where every dimension comes from; the examples stay in front."""
    arguments = call.all_batch_first()
    rank = len(call.first._shape)
    arguments["dims"] = [0, *call.dimensions(as_list(arguments["dims"]), rank)]
    return call.run(arguments)


def transposed(call: Call) -> Any:
    """All dimensions of a matrix in reverse."""
    value, rank = call.batch_first(call.first), len(call.first._shape)
    if rank > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {rank}D")
    swap = op.transpose_ if call.writes else op.transpose
    return swap(value, 1, 2) if rank == 2 else value


def squeezed(call: Call) -> Any:
    """Without the dimensions of size 1, but for the batch's."""
    value = call.batch_first(call.first)
    dims = [d for d, size in enumerate(value._shape) if d and size == 1]
    return (op.squeeze_ if call.writes else op.squeeze)(value, dims)


def broadcasting(call: Call) -> Any:
    """`size` may have more dimensions than the example."""
    size = as_list(call["size"])
    return padded(call.batch_first(call["input"]), len(size)).expand((call.size, *size))


def restrided(call: Call) -> Any:
    """Strides are those of the example's memory; from one example to the next it is a stride of the batch."""
    value = call.batch_first(call["input"])
    offset = value._offset if call["storage_offset"] is None else call["storage_offset"]
    size, stride = as_list(call["size"]), as_list(call["stride"])
    layout = {"size": (call.size, *size), "stride": (value.stride()[0], *stride), "storage_offset": offset}
    return call.run({"input": value, **layout})


def restrided_sum(call: Call) -> Any:
    """Sum through strides in the memory of each example, which lie one after the other with room for both layouts."""
    arguments = call.all_batch_first()
    before = call["offset"] + view_shapes.span(call["input"]._shape, call["stride"])
    after = call["to_offset"] + view_shapes.span(call["to_size"], call["to_stride"])
    step = max(before, after)
    arguments |= {"stride": [step, *call["stride"]], "to_stride": [step, *call["to_stride"]]}
    return call.run(arguments | {"to_size": [call.size, *call["to_size"]]})


def filled(call: Call) -> Any:
    """One number for each example, repeated to a shape."""
    size = as_list(call["size"])
    return padded(call.batch_first(call["input"]), len(size)).expand((call.size, *size)).clone()


def rolled(call: Call) -> Any:
    """Along dimensions; without any along the flattened example."""
    if as_list(call["dims"]):
        return along(call)
    value = call.batch_first(call["input"])
    return op.roll(flattened(value), call["shifts"], 1).reshape(value._shape)
