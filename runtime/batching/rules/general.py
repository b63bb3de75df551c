"""Rules that serve any op: one call for each example, and random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...namespace import op
from ...tensor.base import TensorBase
from ..call import SIZES, Call, belongs
from .elementwise import rank_of, side_by_side


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
    """The result for a batch of no examples, from that of one."""
    if isinstance(result, TensorBase):
        return op.unsqueeze(result, 0).narrow(0, 0, 0)
    return of_items(result, map(without_examples, result))


def of_items(like: Any, items: Iterator[Any]) -> Any:
    """A tuple, named tuple or list of the kind of another."""
    return type(like)(*items) if hasattr(like, "_fields") else type(like)(items)


def dynamic(call: Call) -> Any:
    """Refused: how many elements the result has depends on the values."""
    raise RuntimeError(
        f"vmap: {call.op}() is not possible on a tensor that differs between the examples: the shape of its result "
        "depends on the values. It looks like data-dependent control flow; use where() to choose between values"
    )


def sampled_per_example(call: Call) -> Any:
    """Other random numbers for each example."""
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
    """Random numbers that all examples of a batch share."""
    one = call.example(0)
    if call.writes:
        name = next(iter(one))
        return call.first.copy_(call.run(one | {name: one[name].detach().clone()}))
    if not call.name.endswith("_like"):
        raise RuntimeError(
            f"vmap: {call.name}() with randomness='same' expected arguments that all examples share, but they differ"
        )
    return call.run(one)
