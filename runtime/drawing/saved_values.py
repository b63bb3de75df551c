"""What a node keeps for backward: the names, the bytes, and whether it is gone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..autograd.node import FREED
from ..tensor import TensorBase


@dataclass
class Kept:
    """What one node keeps: bytes by name, and by the memory they lie in; `freed` when there was something."""

    sizes: dict[str, int] = field(default_factory=dict)
    memory: dict[int, int] = field(default_factory=dict)
    freed: bool = False

    @property
    def size(self) -> int:
        """The bytes of all, memory that two of them share once."""
        return sum(self.memory.values())


def kept_by(node: Any) -> Kept:
    """Look at the saved values of a node without unpacking them."""
    kept = Kept()
    holder = getattr(node, "inner", node)  # what rewrites a view keeps what the op keeps that wrote to it
    for name, value in _saved(holder):
        if value is FREED:
            kept.freed = True
        for tensor in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(tensor, TensorBase):
                kept.sizes[name] = kept.sizes.get(name, 0) + tensor.nbytes
                address = id(tensor._storage if tensor._storage.base is None else tensor._storage.base)
                kept.memory[address] = max(kept.memory.get(address, 0), tensor.nbytes)
    return kept


def _saved(node: Any) -> Iterator[tuple[str, Any]]:
    """The names and raw values of what a generated node saved, or of what a custom Function did."""
    for slot in node.saved_slots:
        value = getattr(node, slot, None)
        if slot == "ctx" and value is not None:
            yield "saved_tensors", value._saved
        else:
            yield slot.removeprefix("kept_").removeprefix("_saved_"), value
