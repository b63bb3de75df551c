"""Element-wise ops: examples side by side, other dimensions lined up from the last as they broadcast."""

from __future__ import annotations

from typing import Any

from ...dispatch.writing import is_recording
from ...namespace import op
from ...tensor import dtypes
from ...tensor.base import TensorBase
from ..call import Call, belongs


def elementwise(call: Call) -> Any:
    """Line the dimensions up behind the batch and let the op broadcast."""
    return call.run(promoted(call, side_by_side(call, rank_of(call))))


def rank_of(call: Call) -> int:
    """The number of dimensions of an example of the result."""
    return max([len(t._shape) for t in call.tensors().values()])


def side_by_side(call: Call, rank: int) -> dict[str, Any]:
    """The arguments with the examples in front, and dimensions of size 1 behind them up to `rank`."""
    return {
        name: call.derived(name, padded, rank) if belongs(value, call.level) else value
        for name, value in call.arguments.items()
    }


def lined_up(call: Call, value: Any, rank: int) -> Any:
    """A whole batch whose examples have at least `rank` dimensions; what all share as it is."""
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
