"""Parameters that are gathered together before a module's forward pass, their memory, and their gradients.

Graphs keep the whole parameters, and views of them, from forward to backward. What they keep are tensors without
memory meanwhile, whose use is an error; when the parameters are there again, these tensors are laid over the new
memory. A tensor of which nothing is known here, such as a conjugate, keeps the old memory, whose numbers are the same.

In the graph the whole parameters come from the sharded ones by one node for each forward pass. It is older than all
nodes that use them, so the engine calls it when their gradients are complete: then the gradients are joined with those
of other ranks, each rank gets those of its rows, and the memory is given back.
"""

import weakref
from collections.abc import Mapping
from math import prod
from typing import Any

from ....generated.ops import cat
from ....runtime.autograd.function import Function, once_differentiable
from ....runtime.extensions.distributed import all_to_all
from ....runtime.extensions.distributed.groups.process_group import ProcessGroup
from ....runtime.extensions.distributed.shard_rows import padded
from ....runtime.tensor.dtype_views import origin_of
from ....runtime.tensor.grad_mode import is_grad_enabled, no_grad
from ....runtime.tensor.replace_memory import resized, set_layout
from ....runtime.tensor.tensor import TensorBase, alias, note_layout_change
from .policies import MixedPrecisionPolicy
from .sharded_parameter import Member, accumulate, reduced


class Memory:
    """The whole parameters of some members, as long as they are needed, in `dtype` or their own."""

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


class Call:
    """One forward pass with the whole parameters of a group.

    Args:
        group: the group.
        tensors: the whole parameters that gradients are wanted for, until they are in the graph.
    """

    def __init__(self, group: "ParameterGroup", tensors: tuple[Any, ...]) -> None:
        self.group, self.tensors = group, tensors


class Unshard(Function):
    """Whole parameters of the rows of all ranks; backward gives this rank's rows of the mean gradient."""

    @staticmethod
    def forward(ctx: Any, call: Call, *sharded: Any) -> Any:
        ctx.call = call
        ctx.set_materialize_grads(False)
        made, call.tensors = call.tensors, ()
        return made

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Any) -> Any:
        return (None, *ctx.call.group.came(ctx.call, gradients))


class ParameterGroup:
    """What one call of `fully_shard` has cut."""

    def __init__(self, members: list[Member], ranks: ProcessGroup, policy: MixedPrecisionPolicy) -> None:
        self.members, self.ranks, self.policy = members, ranks, policy
        self.memory = Memory(members, ranks, policy.param_dtype)
        self.syncs = True  # whether gradients are joined, and not added up here
        self.divisor: float | None = None
        self.reshards_after_backward = True
        self.pinned = False  # whether the program has asked for the whole parameters
        self.active: set[Call] = set()  # forward passes through which a backward pass goes now
        self.shown: list[Any] = []

    def show(self) -> Call | None:
        for member, tensor in zip(self.members, self.shown or [None] * len(self.members), strict=True):
            member.refresh(tensor)
        tensors = self.memory.hand_out()
        chosen = [n for n, member in enumerate(self.members) if member.parameter.requires_grad]
        call = None
        if chosen and is_grad_enabled():
            call = Call(self, tuple([tensors[n] for n in chosen]))
            made = Unshard.apply(call, *[self.members[n].parameter for n in chosen])
            for number, one in zip(chosen, made, strict=True):
                tensors[number] = one
        self.shown = tensors
        for member, tensor in zip(self.members, tensors, strict=True):
            member.assign(tensor)
        return call

    def keep(self) -> None:
        """Leave the whole parameters as attributes of the modules, whose parameters are the sharded ones again."""
        for member, tensor in zip(self.members, self.shown, strict=True):
            member.show(tensor)

    def reshard(self) -> None:
        self.pinned = False
        self.shown = []
        for member in self.members:
            member.hide()
        self.memory.free()

    def before_backward(self, call: Call) -> None:
        self.active.add(call)
        self.memory.gather()

    def came(self, call: Call, gradients: tuple[Any, ...]) -> list[Any]:
        """The gradients of a pass's whole parameters are complete: those of the sharded ones, None if not yet."""
        self.active.discard(call)
        if not self.active and self.reshards_after_backward:
            self.reshard()
        trained = [member for member in self.members if member.parameter.requires_grad]
        if not self.syncs:
            accumulate(trained, gradients, self.policy.reduce_dtype)
            return [None] * len(trained)
        dtype = self.policy.reduce_dtype or self.policy.param_dtype
        return reduced(trained, gradients, self.ranks, dtype, self.divisor)
