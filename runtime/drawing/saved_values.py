"""What a node keeps for backward: the names, the bytes, and whether it is gone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..autograd.node import FREED
from ..autograd.saved.packed import Packed
from ..dispatch.entries import op_node
from ..tensor.base import TensorBase


@dataclass
class Kept:
    """What one node keeps: bytes by name, and by the memory they lie in; `freed` when that is gone."""

    sizes: dict[str, int] = field(default_factory=dict)
    memory: dict[int, int] = field(default_factory=dict)
    packed: int = 0  # values that saved-tensor hooks keep elsewhere
    freed: bool = False

    @property
    def size(self) -> int:
        """The bytes of all, memory that two of them share once."""
        return sum(self.memory.values())


def kept_by(node: Any) -> Kept:
    """Look at the saved values of a node without unpacking them."""
    kept = Kept()
    own = op_node(node)
    for slot in own.saved_slots:
        name, value = slot.removeprefix("kept_"), getattr(own, slot)
        if value is FREED:
            kept.freed = True
        for tensor in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(tensor, Packed):
                kept.packed += 1
            elif isinstance(tensor, TensorBase):
                kept.sizes[name] = kept.sizes.get(name, 0) + tensor.nbytes
                address = id(tensor._storage if tensor._storage.base is None else tensor._storage.base)
                kept.memory[address] = max(kept.memory.get(address, 0), tensor.nbytes)
    return kept
