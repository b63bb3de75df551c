"""Checkpoints that keep the results of some ops: these are not computed again.

While the call runs, an op that is to be saved keeps what its node saves as if there were no checkpoint, and its result
is kept too. When the call is repeated, the result is taken from there, unrecorded: so both calls number the tensors
that the other ops save in the same way.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import Enum
from itertools import count
from typing import Any

from ...autograd.saved_tensor_hooks import saved_tensors_hooks
from ...namespace import op as own_ops
from ...pytree import flatten, unflatten
from ...tensor.grad_mode import current_version
from ...tensor.observers import NOT_HANDLED, OpCall, Watcher, watch
from ...tensor.tensor import TensorBase
from ...thread_state import PerThread

_numbers = count()


class CheckpointPolicy(Enum):
    """Whether an op's result is kept, or computed again; what is preferred is done here as what must be."""

    MUST_SAVE = 0
    PREFER_SAVE = 1
    MUST_RECOMPUTE = 2
    PREFER_RECOMPUTE = 3
    MUST_CPU_OFFLOAD = 4
    PREFER_CPU_OFFLOAD = 5


@dataclass(kw_only=True, eq=False)
class SelectiveCheckpointContext:
    """What a policy is told besides op and arguments.

    Args:
        is_recompute: whether the call is being repeated.
        op_output: the result of the op, where that is known.
    """

    is_recompute: bool
    op_output: Any = None


class _State(PerThread):
    def __init__(self) -> None:
        self.contexts: list[Any] = []
        self.inside = False


_state = _State()


def _intercept(call: OpCall) -> Any:
    if not _state.contexts or _state.inside:
        return NOT_HANDLED
    return _state.contexts[-1].answer(call)


_WATCHER = Watcher(intercept=_intercept, order=-1)  # outside of vmap: what is kept are examples as they are


class _Context(AbstractContextManager[None]):
    """A block in which some ops are treated by a policy; `saved_value` has results in the order of the ops."""

    def __init__(self, policy: Callable[..., Any], saved_value: list[Any], mutable: bool) -> None:
        self.policy = policy
        self.saved_value = saved_value
        self.mutable = mutable
        self.name = f"selective checkpoint {next(_numbers)}"

    def __enter__(self) -> None:
        _state.contexts.append(self)
        watch.enter(self.name, _WATCHER)

    def __exit__(self, *_: object) -> None:
        watch.leave(self.name)
        _state.contexts.remove(self)

    def saves(self, call: OpCall, repeated: bool) -> bool:
        arguments = {name: value for name, value in call.kwargs.items() if value is not None}  # no `out=None`
        _state.inside = True  # the policy's own ops are none of the call's
        try:
            context = SelectiveCheckpointContext(is_recompute=repeated)
            result = self.policy(context, _shown(call), *call.args, **arguments)
        finally:
            _state.inside = False
        if result in (CheckpointPolicy.MUST_CPU_OFFLOAD, CheckpointPolicy.PREFER_CPU_OFFLOAD):
            raise NotImplementedError("create_selective_checkpoint_contexts(): results are not moved to the CPU here")
        return result in (True, CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_SAVE)


class _Keeping(_Context):
    def __enter__(self) -> None:
        self.saved_value.clear()
        super().__enter__()

    def answer(self, call: OpCall) -> Any:
        if not self.saves(call, repeated=False):
            return NOT_HANDLED
        _state.inside = True
        try:
            with saved_tensors_hooks(lambda tensor: tensor, lambda tensor: tensor):
                result = call.proceed()
        finally:
            _state.inside = False
        self.saved_value.append((call.name, result, _versions(result)))
        return result


class _Taking(_Context):
    def __enter__(self) -> None:
        self.next = 0
        super().__enter__()

    def answer(self, call: OpCall) -> Any:
        if not self.saves(call, repeated=True):
            return NOT_HANDLED
        if self.next >= len(self.saved_value) or self.saved_value[self.next][0] != call.name:
            raise RuntimeError(f"{call.name} encountered during backward, but not found in storage")
        _, result, versions = self.saved_value[self.next]
        self.next += 1
        if not self.mutable and versions != _versions(result):
            raise RuntimeError(
                "Tensor cached during selective activation checkpoint has been mutated: pass "
                "allow_cache_entry_mutation=True where that is meant"
            )
        leaves, spec = flatten(result)
        return unflatten(list(map(detached, leaves)), spec)


def _versions(result: Any) -> list[int]:
    tensors: list[Any] = [leaf for leaf in flatten(result)[0] if isinstance(leaf, TensorBase)]
    return [current_version(tensor) for tensor in tensors]


def detached(value: Any) -> Any:
    """A tensor outside of the first graph, for which ops that follow are recorded as they were; others as they are."""
    if not isinstance(value, TensorBase):
        return value
    tensor: Any = value
    return tensor.detach()._requiring_grad(tensor.requires_grad)


def _shown(call: OpCall) -> Any:
    """What policies know an op by: the same object each time."""
    return getattr(own_ops, call.name.partition(".")[0], call.function)


def _name(op: Any) -> str:
    return str(getattr(op, "__name__", op)).partition(".")[0]


def create_selective_checkpoint_contexts(
    policy_fn_or_list: Callable[..., Any] | Sequence[Any], allow_cache_entry_mutation: bool = False
) -> tuple[AbstractContextManager[None], AbstractContextManager[None]]:
    """The contexts for `checkpoint(..., context_fn=...)` by which the results of some ops are kept.

    Args:
        policy_fn_or_list: called as `policy(ctx, op, *args, **kwargs)`: a CheckpointPolicy; or the ops to be saved.
            Ops are functions of specgrad, `specgrad.mm`, which `specgrad.ops.aten.mm` and its overloads equal.
        allow_cache_entry_mutation: whether what is kept may be written to before it is used.

    Returns:
        The context of the call, and that of its repetition.

    Raises:
        TypeError: neither a function nor a list.
        RuntimeError: in backward: what was kept has been written to, or the repeated call runs other ops.

    Example:
        >>> import specgrad as sg
        >>> from functools import partial
        >>> x = sg.ones(2, 2, requires_grad=True)
        >>> save_products = partial(create_selective_checkpoint_contexts, [sg.mm])
        >>> f = lambda t: sg.mm(t, t).exp()
        >>> y = sg.utils.checkpoint.checkpoint(f, x, use_reentrant=False, context_fn=save_products)
        >>> y.sum().backward()
    """
    if isinstance(policy_fn_or_list, (list, tuple, set, frozenset)):
        names = {_name(op) for op in policy_fn_or_list}
        by_name = CheckpointPolicy.MUST_SAVE, CheckpointPolicy.PREFER_RECOMPUTE

        def policy(ctx: Any, op: Any, *args: Any, **kwargs: Any) -> CheckpointPolicy:
            return by_name[_name(op) not in names]

    elif callable(policy_fn_or_list):
        policy = policy_fn_or_list
    else:
        raise TypeError("policy_fn_or_list must be either a function or a list of ops.")
    arguments = policy, list[Any](), allow_cache_entry_mutation
    return _Keeping(*arguments), _Taking(*arguments)
