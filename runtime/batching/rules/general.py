"""Rules that serve any op: one call for each example, and random numbers."""

from __future__ import annotations

from typing import Any

from ...namespace import op
from ...tensor import TensorBase
from ..call import Call, belongs


def loop(call: Call) -> Any:
    """One call for each example; what they return is stacked."""
    results = [call.run(call.example(index)) for index in range(call.size)]
    return None if call.writes else stacked(results)


def stacked(results: list[Any]) -> Any:
    """The results of all examples as one, tuples item by item."""
    first = results[0]
    if isinstance(first, TensorBase):
        return op.stack(results, 0)
    items = [stacked([result[i] for result in results]) for i in range(len(first))]
    return type(first)(*items) if hasattr(first, "_fields") else type(first)(items)


def dynamic(call: Call) -> Any:
    """Refused: how many elements the result has depends on the values."""
    raise RuntimeError(
        f"vmap: {call.op}() is not possible on a tensor that differs between the examples: the shape of its result "
        "depends on the values. It looks like data-dependent control flow; use where() to choose between values"
    )


def drawn_each(call: Call) -> Any:
    """Other random numbers for each example."""
    if call.writes and not belongs(call.first, call.level):
        raise RuntimeError(
            f"vmap: {call.name}() with randomness='different' expected a tensor that differs between the examples, but "
            "all share this one"
        )
    found = loop(call)
    return call.first if call.writes else call.wrapped(found)


def drawn_once(call: Call) -> Any:
    """The same random numbers for all examples of a batch."""
    one = call.example(0)
    if call.writes:
        name = next(iter(one))
        return call.first.copy_(call.run(one | {name: one[name].detach().clone()}))
    if not call.name.endswith("_like"):
        raise RuntimeError(
            f"vmap: {call.name}() with randomness='same' expected arguments that all examples share, but they differ"
        )
    return call.run(one)
