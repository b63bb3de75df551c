"""Batching rules for any op: element by element, with dimensions lined up from the last as they broadcast; along
dimensions, which are counted in the whole batch; one call for each example; and random numbers.
"""

from collections.abc import Iterator
from math import prod
from typing import Any

from ...autograd.inplace import is_recording
from ...namespace import op
from ...tensor import dtypes
from ...tensor.observers import core_dims_of
from ...tensor.tensor import TensorBase
from .op_call import SIZES, Call, belongs


def elementwise(call: Call) -> Any:
    """Line the dimensions up behind the batch and let the op broadcast."""
    return call.run(promoted(call, side_by_side(call, rank_of(call))))


def rank_of(call: Call) -> int:
    return max([len(t._shape) for t in call.tensors().values()])


def side_by_side(call: Call, rank: int) -> dict[str, Any]:
    """The arguments with the examples in front, and dimensions of size 1 behind them up to `rank`."""
    return {
        name: call.derived(name, padded, rank) if belongs(value, call.level) else value
        for name, value in call.arguments.items()
    }


def lined_up(call: Call, value: Any, rank: int) -> Any:
    return padded(call.batch_first(value), rank) if belongs(value, call.level) else value


def padded(value: Any, rank: int) -> Any:
    """A whole batch, with dimensions of size 1 in front of those of an example, up to `rank`."""
    for _ in range(rank - len(value._shape) + 1):
        value = value.unsqueeze(1)
    return value


def promoted(call: Call, arguments: dict[str, Any]) -> dict[str, Any]:
    """Examples without dimensions do not widen the dtype of those with some, though their batch has one."""
    own = [value for value in call.arguments.values() if is_operand(value)]
    if call.writes or all(value._dtype is own[0]._dtype for value in own[1:]):
        return arguments
    requested = dtypes.result_type(*own)
    if requested is dtypes.result_type(*filter(is_operand, arguments.values())):
        return arguments
    return {name: value.to(requested) if is_operand(value) else value for name, value in arguments.items()}


def is_operand(value: Any) -> bool:
    """Whether an argument is a tensor that takes part in type promotion: bools, masks or not, do not."""
    return isinstance(value, TensorBase) and value._dtype is not dtypes.bool_


def filling(call: Call) -> Any:
    """masked_fill and fill: one number for each example, where the op itself takes one for all."""
    if not call.is_batched("value"):
        return elementwise(call)
    rank = rank_of(call)
    batch_first = call.batch_first(call["input"])
    number = padded(call.batch_first(call["value"]), len(batch_first._shape) - 1 if call.writes else rank).to(
        batch_first._dtype
    )
    if "mask" not in call.arguments:
        return batch_first.copy_(number.expand(batch_first._shape))
    result = op.where(
        lined_up(call, call["mask"], rank), number, batch_first if call.writes else padded(batch_first, rank)
    )
    return batch_first.copy_(result) if call.writes else result


def composite(call: Call) -> Any:
    """The in-place form of an op made of others: its result, written.

    The ops that it is made of may keep what they read for backward, which is then not what is written to.
    """
    function, first = call.sibling(call.function.__name__.removesuffix("_")), call.first
    read = op.clone(first) if is_recording(tuple(call.tensors().values())) else first
    name = next(iter(call.arguments))
    return first.copy_(call.run(call.arguments | {name: read}, function))


def like(call: Call) -> Any:
    """A new tensor of the shape of another: one for each example."""
    return call.run(call.all_batch_first())


def loop(call: Call) -> Any:
    """One call for each example; what they return is stacked."""
    if call.writes:
        for example in call.examples():
            call.run(example)
        return None
    results = [call.run(example) for example in call.examples()]
    return stacked(results) if results else without_examples(call.run(call.example(0)))


def stacked(results: list[Any]) -> Any:
    """The results of all examples as one, tuples item by item."""
    first = results[0]
    return (
        op.stack(results, 0)
        if isinstance(first, TensorBase)
        else of_items(first, (stacked(list(items)) for items in zip(*results, strict=True)))
    )


def without_examples(result: Any) -> Any:
    if isinstance(result, TensorBase):
        return op.unsqueeze(result, 0).narrow(0, 0, 0)
    return of_items(result, map(without_examples, result))


def of_items(like: Any, items: Iterator[Any]) -> Any:
    return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)


def dynamic(call: Call) -> Any:
    """Refused: how many elements the result has depends on the values."""
    raise RuntimeError(
        f"vmap: {call.op}() is not possible on a tensor that differs between the examples: the shape of its result "
        "depends on the values. It looks like data-dependent control flow; use where() to choose between values"
    )


def sampled_per_example(call: Call) -> Any:
    if not call.writes:
        return call.wrapped(sampled_in_batch(call) if SIZES in call.arguments else loop(call))
    if not belongs(call.first, call.level):
        raise RuntimeError(
            "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same "
            f"randomness: {call.name}()"
        )
    call.run(side_by_side(call, rank_of(call)))
    return call.first


def sampled_in_batch(call: Call) -> Any:
    """Numbers of a shape that the arguments give, one number after the other or as a list: of the whole batch."""
    sizes, size = call[SIZES], call.arguments.get("size")
    if size is not None:
        return call.run(call.arguments | {"size": (call.size, *size)})
    size_list = sizes[0] if len(sizes) == 1 and isinstance(sizes[0], (list, tuple)) else sizes
    return call.run(call.arguments | {SIZES: (call.size, *size_list)})


def sampled_once(call: Call) -> Any:
    one = call.example(0)
    if call.writes:
        name = next(iter(one))
        return call.first.copy_(call.run(one | {name: one[name].detach().clone()}))
    if not call.name.endswith("_like"):
        raise RuntimeError(
            f"vmap: {call.name}() with randomness='same' expected arguments that all examples share, but they differ"
        )
    return call.run(one)


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
    return [value] if isinstance(value, int) else list(value)


def new_dimension(call: Call) -> Any:
    """`dim` counts the dimensions of the result, which has one more."""
    return call.run(counted(call, len(call.first._shape) + 1))


def leading(call: Call) -> Any:
    """The op takes any number of dimensions in front, or looks at each element alone."""
    return call.run(call.all_batch_first())


def generalized(call: Call) -> Any:
    """The op broadcasts the dimensions ahead of those that it names for each tensor."""
    dims, tensors = core_dims_of[call.function], call.tensors()
    ahead = max(len(tensor._shape) - dims[name] for name, tensor in tensors.items())
    arguments = {
        name: call.derived(name, padded, ahead + dims[name]) if belongs(value, call.level) else value
        for name, value in call.arguments.items()
    }
    return call.run(arguments)


def shaped(value: Any, shape: tuple[int, ...]) -> Any:
    """A tensor in another shape; the tensor itself where it has that."""
    return value if value._shape == shape else value.reshape(shape)


def flattened(value: Any) -> Any:
    """A whole batch whose examples have one dimension."""
    return shaped(value, (value._shape[0], prod(value._shape[1:])))


def merged(value: Any) -> Any:
    return value.reshape((value._shape[0] * value._shape[1], *value._shape[2:]))


def parted(value: Any, size: int) -> Any:
    if isinstance(value, TensorBase):
        return op.reshape(value, (size, value._shape[0] // size, *value._shape[1:]))
    return tuple(parted(v, size) for v in value)
