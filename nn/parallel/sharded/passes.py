"""What happens around the forward pass of a sharded module, and before the backward pass comes back to it."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ....runtime.tensor.grad_mode import mode
from ..buckets import tensors_in
from .memory import Call, ParameterGroup, converted
from .policies import MixedPrecisionPolicy
from .sharded_parameter import MARK


class Passes:
    """What the sharded modules of one model have in common: the order in which they computed."""

    def __init__(self, states: "list[Sharding]") -> None:
        self.states = states
        self.order: list[ParameterGroup] = []  # in which forward passes ended

    def begin(self) -> None:
        """A forward pass of the whole model begins: nothing gathered before is believed, as parameters have changed."""
        self.order = []
        for state in self.states:
            state.waiting.clear()
            group = state.group
            if group is not None:
                group.active.clear()
                state.positions.clear()
                if not group.pinned:
                    group.reshard()


class Sharding:
    """The state of what one call of `fully_shard` has sharded: modules that are called one after the other.

    With `reshards` whole parameters are given back after forward; None: but for the outermost module.
    """

    def __init__(
        self, modules: list[Any], group: ParameterGroup | None, policy: MixedPrecisionPolicy, reshards: bool | None
    ) -> None:
        self.modules, self.group, self.policy, self.reshards = modules, group, policy, reshards
        self.passes: Passes | None = None
        self.is_root = False
        self.unshards_in_backward = True
        self.call: Call | None = None
        self.waiting: set[int] = set()  # modules that have not computed yet, of those that are sharded together
        self.positions: list[int] = []  # in the order of this pass
        self.next_forward: list[Sharding] = []
        self.next_backward: list[Sharding] | None = None
        for module in modules:
            module.__dict__[MARK] = self
            module.register_forward_pre_hook(self.before_forward, prepend=True, with_kwargs=True)
            module.register_forward_hook(self.after_forward, always_call=False)

    def before_forward(self, module: Any, args: Any, kwargs: Any) -> Any:
        if self.passes is None:
            self._begin_root()
        assert self.passes is not None
        if self.is_root and not mode.depth:
            self.passes.begin()
        if self.group is not None and not self.waiting:
            self.waiting = {id(one) for one in self.modules}
            self.call = self.group.show()
            for state in self.next_forward:
                state.prefetch()
        kind = self.policy.param_dtype
        if kind is None or not self.policy.cast_forward_inputs:
            return None
        return converted(args, kind), converted(kwargs, kind)

    def _begin_root(self) -> None:
        states: dict[int, Sharding] = {}
        for module in self.modules:
            for inner in module.modules():
                cached = inner.__dict__.get(MARK)
                if cached is not None:
                    states[id(cached)] = cached
        self.is_root = True
        passes = Passes(list(states.values()))
        for state in passes.states:
            state.passes = passes
            if state is not self:
                state.is_root = False

    def prefetch(self) -> None:
        if self.group is not None:
            self.group.memory.begin()

    def after_forward(self, module: Any, args: Any, output: Any) -> Any:
        self.waiting.discard(id(module))
        if self.group is not None and not self.waiting:
            self._end_forward(self.group)
        kind = self.policy.output_dtype
        output = output if kind is None else converted(output, kind)
        call = self.call
        if call is not None:
            for tensor in tensors_in(output):
                if tensor.requires_grad:
                    tensor.register_hook(partial(_before_backward, self, call))
        return output if kind is not None else None

    def _end_forward(self, group: ParameterGroup) -> None:
        if group.active:  # computed again in backward, which needs the parameters still
            return
        assert self.passes is not None
        if self.call is not None:
            self.positions.append(len(self.passes.order))
            self.passes.order.append(group)
        if self.reshards is False or (self.reshards is None and self.is_root):
            group.keep()
        else:
            group.reshard()

    def before_backward(self, call: Call) -> None:
        group = call.group
        if call in group.active:
            return
        if not self.unshards_in_backward:
            group.active.add(call)
            return
        group.before_backward(call)
        if self.next_backward is not None:
            for state in self.next_backward:
                state.prefetch()
        elif self.passes is not None and self.positions:
            position = self.positions.pop()
            if position:
                self.passes.order[position - 1].memory.begin()


def _before_backward(state: Sharding, call: Call, gradient: Any) -> None:
    state.before_backward(call)


def call_as_forward(module: Any, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A method of a sharded module that may be called as its forward pass is."""

    def wrapped(*args: Any, **kwargs: Any) -> Any:
        state = module.__dict__[MARK]
        changed = state.before_forward(module, args, kwargs)
        args, kwargs = (args, kwargs) if changed is None else changed
        output = function(*args, **kwargs)
        changed = state.after_forward(module, args, output)
        return output if changed is None else changed

    wrapped.__name__ = name
    return wrapped
