"""The memory of whole parameters: there while they are used, and given back between forward and backward.

Graphs keep the whole parameters, and views of them, from forward to backward. What they keep are tensors without
memory meanwhile, whose use is an error; when the parameters are there again, these tensors are laid over the new
memory. A tensor of which nothing is known here, such as a conjugate, keeps the old memory, whose numbers are the same.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from math import prod
from typing import Any

from ....generated.ops import cat
from ....runtime.extensions.distributed import all_to_all
from ....runtime.extensions.distributed.groups.process_group import ProcessGroup
from ....runtime.extensions.distributed.shard_rows import padded
from ....runtime.tensor.dtype_views import origin_of
from ....runtime.tensor.grad_mode import no_grad
from ....runtime.tensor.replace_memory import resized, set_layout
from ....runtime.tensor.tensor import TensorBase, alias, note_layout_change
from .sharded_parameter import Member


class Memory:
    """The whole parameters of some members, as long as they are needed.

    Args:
        members: the members.
        group: the ranks that have the rows.
        dtype: that of whole floating-point parameters; the members' own when None.
    """

    def __init__(self, members: list[Member], group: ProcessGroup, dtype: Any) -> None:
        self.members, self.group, self.dtype = members, group, dtype
        self.unsharded: list[Any] | None = None
        self._under_way: list[tuple[list[int], Any, Any]] = []
        self._handed: list[list[weakref.ref[Any]]] = [[] for _ in members]

    def begin(self) -> None:
        if self.unsharded is not None or self._under_way:
            return
        kinds: dict[Any, list[int]] = {}
        for number, member in enumerate(self.members):
            kinds.setdefault((self._kind(member), member.parameter.device), []).append(number)
        with no_grad():
            for (kind, _), numbers in kinds.items():
                parts = [self.members[number] for number in numbers]
                own = cat([padded(one.parameter.to_local(), one.rows).to(kind).reshape(-1) for one in parts])
                every = own.new_empty(self.group.size() * own.numel())
                work = all_to_all.all_gather_into_tensor(every, own, self.group, async_op=True)
                self._under_way.append((numbers, every, work))

    def _kind(self, member: Member) -> Any:
        kind = member.parameter.dtype
        return self.dtype if self.dtype is not None and kind.is_floating_point else kind

    def gather(self) -> None:
        self.begin()
        if self.unsharded is not None:
            return
        unsharded: list[Any] = [None] * len(self.members)
        with no_grad():
            for numbers, every, work in self._under_way:
                work.wait()
                rows = every.view(self.group.size(), -1)
                start = 0
                for number in numbers:
                    shard = self.members[number].rows
                    count = shard.max_rows * prod(shard.shape[1:])
                    part = every if len(numbers) == 1 else rows[:, start : start + count].reshape(-1).contiguous()
                    unsharded[number] = part[: prod(shard.shape)].view(shard.shape)
                    start += count
        self._under_way = []
        self.unsharded = unsharded
        self._assign_memory([one._storage for one in unsharded])

    def hand_out(self) -> list[Any]:
        """Other tensors over the whole parameters, outside the graph, which lose their memory when it is given back."""
        self.gather()
        assert self.unsharded is not None
        made = [alias(one, one._shape, None, one._offset) for one in self.unsharded]
        for known, one in zip(self._handed, made, strict=True):
            known[:] = [reference for reference in known if reference() is not None]
            known.append(weakref.ref(one))
        return made

    def free(self) -> None:
        for _, _, work in self._under_way:
            work.wait()
        self._under_way = []
        if self.unsharded is not None:
            empty = [resized(origin_of(one._storage), 0) for one in self.unsharded]
            self.unsharded = None
            self._assign_memory(empty)

    def _assign_memory(self, memories: list[Any]) -> None:
        for known, memory in zip(self._handed, memories, strict=True):
            for reference in known:
                tensor = reference()
                if tensor is not None:
                    for one in (tensor, *_views(tensor)):
                        set_layout(one, memory)
        note_layout_change()


def _views(tensor: Any) -> list[Any]:
    matches = [reference() for reference in list(tensor._views or ())]
    return [one for one in matches if one is not None and not one.lazy_conj]


def converted(value: Any, dtype: Any) -> Any:
    """The structure (lists, tuples, mappings) with its floating-point tensors in a dtype."""
    if isinstance(value, TensorBase):
        tensor: Any = value
        return tensor.to(dtype) if tensor.is_floating_point() else tensor
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[converted(one, dtype) for one in value])
    if isinstance(value, list | tuple):
        return type(value)(converted(one, dtype) for one in value)
    if isinstance(value, Mapping):
        return type(value)({name: converted(one, dtype) for name, one in value.items()})  # type: ignore[call-arg]
    return value
