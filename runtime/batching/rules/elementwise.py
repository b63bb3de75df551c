"""Element-wise ops: examples side by side, other dimensions lined up from the last as they broadcast."""

from __future__ import annotations

from typing import Any

from ... import dtypes
from ...namespace import op
from ...tensor import TensorBase
from ..call import Call, belongs


def elementwise(call: Call) -> Any:
    """Line the dimensions up behind the batch and let the op broadcast."""
    rank = max(len(t._shape) for t in call.tensors().values())
    arguments = {name: lined_up(call, value, rank) for name, value in call.arguments.items()}
    return call.run(promoted(call, arguments))


def lined_up(call: Call, value: Any, rank: int) -> Any:
    """A whole batch, with dimensions of size 1 behind the examples up to `rank`; what all share as it is."""
    return padded(call.whole(value), rank) if belongs(value, call.level) else value


def padded(value: Any, rank: int) -> Any:
    """A whole batch whose examples have at least `rank` dimensions."""
    for _ in range(rank - len(value._shape) + 1):
        value = value.unsqueeze(1)
    return value


def promoted(call: Call, arguments: dict[str, Any]) -> dict[str, Any]:
    """Examples without dimensions do not widen a dtype, though their batch has one."""
    originals = [v for v in call.arguments.values() if taking_part(v)]
    wanted = dtypes.result_type(*originals)
    if wanted is dtypes.result_type(*[v for v in arguments.values() if taking_part(v)]):
        return arguments
    return {
        name: value.to(wanted) if isinstance(value, TensorBase) and taking_part(value) else value
        for name, value in arguments.items()
    }


def taking_part(value: Any) -> bool:
    """Whether an argument has a say in the dtype: tensors but masks, and numbers."""
    if isinstance(value, TensorBase):
        return value._dtype is not dtypes.bool_
    return isinstance(value, (int, float, complex)) and not isinstance(value, bool)


def filling(call: Call) -> Any:
    """masked_fill and fill: one number for each example, where the op itself takes one for all."""
    value = call["value"]
    if not belongs(value, call.level):
        return elementwise(call)
    whole = call.whole(call["input"])
    number = padded(call.whole(value), len(whole._shape) - 1).to(whole._dtype)
    if "mask" not in call.arguments:
        return whole.copy_(number.expand(whole._shape))
    mask = call["mask"]
    mask = padded(call.whole(mask), len(whole._shape) - 1) if belongs(mask, call.level) else mask
    result = op.where(mask, number, whole)
    return whole.copy_(result) if call.writes else result


def composite(call: Call) -> Any:
    """The in-place form of an op made of others: its result, written."""
    function = getattr(op, call.function.__name__.removesuffix("_"))
    return call.first.copy_(call.run(call.arguments, function))


def like(call: Call) -> Any:
    """A new tensor of the shape of another: one for each example."""
    return call.run(call.all_whole())
