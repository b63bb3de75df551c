"""Which parameters have no part in what a module has computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...runtime.tensor.base import TensorBase


def tensors_in(value: Any) -> Iterator[Any]:
    """The tensors in a structure of lists, tuples, mappings and objects of dataclasses."""
    if isinstance(value, TensorBase):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from tensors_in(one)
    elif isinstance(value, list | tuple | set):
        for one in value:
            yield from tensors_in(one)
    elif hasattr(value, "__dataclass_fields__"):
        yield from tensors_in([getattr(value, name) for name in value.__dataclass_fields__])


def unused_of(parameters: Sequence[Any], output: Any) -> list[int]:
    """The numbers of the parameters that no graph of the output's tensors leads to."""
    outputs = [one for one in tensors_in(output) if one.requires_grad]
    matches = {id(one) for one in outputs}
    waiting = [one.grad_fn for one in outputs if one.grad_fn is not None]
    seen = set()
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            matches.add(id(leaf))
        waiting.extend(following for following, _ in node.next_functions if following is not None)
    return [number for number, one in enumerate(parameters) if id(one) not in matches]
