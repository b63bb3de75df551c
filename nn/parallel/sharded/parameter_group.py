"""Parameters that are gathered together before a module's forward pass, and whose gradients are joined together.

In the graph the whole parameters come from the sharded ones by one node for each forward pass. It is older than all
nodes that use them, so the engine calls it when their gradients are complete: then the gradients are joined with those
of other ranks, each rank gets those of its rows, and the memory is given back.
"""

from __future__ import annotations

from typing import Any

from ....runtime.autograd.function import Function, once_differentiable
from ....runtime.extensions.distributed.groups.process_group import ProcessGroup
from ....runtime.tensor.grad_mode import is_grad_enabled
from .memory import Memory
from .policies import MixedPrecisionPolicy
from .reduce_gradients import accumulate, reduced
from .sharded_parameter import Member


class Call:
    """One forward pass with the whole parameters of a group.

    Args:
        group: the group.
        tensors: the whole parameters that gradients are wanted for, until they are in the graph.
    """

    def __init__(self, group: ParameterGroup, tensors: tuple[Any, ...]) -> None:
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
    """What one call of `fully_shard` has cut.

    Args:
        members: the parameters.
        ranks: the process group.
        policy: in which dtypes they are used and their gradients joined.
    """

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
        """The gradients of the whole parameters of a forward pass are complete.

        Returns: Those of the sharded parameters; None where there are none, or not yet.
        """
        self.active.discard(call)
        if not self.active and self.reshards_after_backward:
            self.reshard()
        trained = [member for member in self.members if member.parameter.requires_grad]
        if not self.syncs:
            accumulate(trained, gradients, self.policy.reduce_dtype)
            return [None] * len(trained)
        dtype = self.policy.reduce_dtype or self.policy.param_dtype
        return reduced(trained, gradients, self.ranks, dtype, self.divisor)
