"""Batching rules of reductions, collectives, medians, counting and searching, and of shapes and strides."""

import math
from typing import Any

from ...namespace import op
from ...tensor import view_shapes
from .op_call import Call
from .rules_general import along, as_list, flattened, loop, padded


def everything(call: Call) -> Any:
    """Over all elements of each example: the overload with `dim`, on flattened examples."""
    name = next(iter(call.arguments))
    return call.run(call.arguments | {name: call.derived(name, flattened), "dim": 1}, call.sibling(call.op))


def extreme(call: Call) -> Any:
    """max or min of all elements, equal ones sharing the gradient: amax, amin."""
    flat = call.derived(next(iter(call.arguments)), flattened)
    return call.run({"input": flat, "dim": 1}, call.sibling(f"a{call.op}"))


def reduction(call: Call) -> Any:
    """Over `dim`: one or several dimensions, or all when it is None or empty."""
    rank = len(call.first._shape)
    dim = call["dim"]
    if not rank:
        return loop(call)
    if dim is not None and (isinstance(dim, int) or len(dim)):
        return along(call)
    arguments = call.all_batch_first()
    if call.op.startswith("arg"):  # counts through the flattened example
        value = arguments["input"]
        result = call.run(arguments | {"input": flattened(value), "dim": 1, "keepdim": False})
        return result.reshape((call.size, *[1] * (len(value._shape) - 1))) if call["keepdim"] else result
    return call.run(arguments | {"dim": list(range(1, rank + 1))})


def rows(call: Call) -> Any:
    """Rows of all examples together; `dim` of None stands for all dimensions of an example."""
    rank = max(len(tensor._shape) for tensor in call.tensors().values())
    if not rank:
        return loop(call)
    arguments, dim = call.all_batch_first(), call.arguments.get("dim", 0)
    if "dim" in arguments:
        is_all = dim is None or dim in ((), [])
        arguments["dim"] = list(range(1, rank + 1)) if is_all else call.dimensions(dim, rank)
    return call.run(arguments)


def summed_to(call: Call) -> Any:
    """The sum over what broadcasting to this shape had repeated."""
    value, size = call.batch_first(call["input"]), as_list(call["size"])
    missing = len(value._shape) - 1 - len(size)
    return op.sum_to_size(value, (call.size, *[1] * missing, *size)).reshape((call.size, *size))


def behind(call: Call) -> Any:
    """One call for all examples, which are the last dimension."""
    name, dim = next(iter(call.arguments)), call.arguments.get("dim")
    arguments = call.arguments | {name: call.batch_first(call[name]).movedim(0, -1)}
    if isinstance(dim, int) and dim < 0:
        arguments["dim"] = dim - 1
    return call.run(arguments).movedim(-1, 0)


def median_value(call: Call) -> Any:
    """The median of all elements: of flattened examples, equal elements sharing the gradient as in amax."""
    rows = flattened(call.batch_first(call.first))
    values = call.sibling(call.op)(rows, 1).values if rows.shape[1] else loop(call)
    if not rows.is_floating_point() or not rows.shape[1]:
        return values
    result = values.detach().unsqueeze(1)
    chosen = (rows == result) | (op.isnan(rows) & op.isnan(result))
    share = chosen.to(rows.dtype) / chosen.sum(1, True)
    missing = (rows.masked_fill(~chosen, 0) * share).sum(1)  # amax has no gradient at nan
    return op.where(op.isnan(values), missing, op.amax(rows.masked_fill(~chosen | op.isnan(rows), -math.inf), [1]))


def one_by_one(call: Call) -> Any:
    """One call for each example: what counts in bins, or multiplies by coordinates, is no faster for all at once."""
    return loop(call)


def searched(call: Call) -> Any:
    """In one row that all examples share, or in a row for each; values of any shape lie in a row for that."""
    values = call.batch_first(call["input"])
    if len(call["sorted_sequence"]._shape) > 1:
        return call.run(call.all_batch_first())
    if not call.is_batched("sorted_sequence", "sorter"):
        return call.run(call.arguments | {"input": values})
    return call.run(call.all_batch_first() | {"input": flattened(values)}).reshape(values._shape)


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
    own, requested = (view_shapes.span(*each) for each in ((value._shape[1:], value.stride()[1:]), (size, stride)))
    if offset < value._offset or offset + requested > value._offset + own:
        raise RuntimeError(
            f"vmap: as_strided(size={size}, stride={stride}, storage_offset={offset}) can access memory outside of the "
            f"first example, which has {own} elements of memory from {value._offset} on"
        )
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
