"""Hooks that wait for the gradients of several tensors."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ...errors import NoGraphError, type_name
from ...tensor.base import TensorBase
from ..node import LEAF, node_at
from ..saved.saved import edge_of
from .hooks import RemovableHandle, add_tensor_hook, registered
from .leaves import current, visited

MODES = ("all", "any")


class MultiHandle(RemovableHandle):
    def __init__(self, handles: tuple[RemovableHandle, ...]) -> None:
        self.handles = handles

    def remove(self) -> None:
        """Remove all of them; doing so twice is harmless."""
        for handle in self.handles:
            handle.remove()


def register_multi_grad_hook(tensors: Sequence[Any], fn: Callable[[Any], None], *, mode: str = "all") -> MultiHandle:
    """Call a function once in each backward pass that computes gradients of some of the tensors.

    Args:
        tensors: tensors that require grad.
        fn: in mode "all" it gets the list of their gradients, None for tensors that are not in the graph of the pass,
            as soon as all are known; in mode "any" the first gradient that is known.
        mode: "all" or "any".

    Returns:
        A handle whose `remove()` takes the hook away.

    Raises:
        ValueError: another mode.
        RuntimeError: a tensor does not require grad; in mode "any" such tensors are left out.

    Example:
        >>> import specgrad as sg
        >>> a, b = sg.tensor([2.0, 3.0], requires_grad=True).unbind()
        >>> handle = sg.autograd.graph.register_multi_grad_hook((a, b), print)
        >>> (a * b).backward()
        [tensor(3.), tensor(2.)]
    """
    if mode not in MODES:
        raise ValueError(f"Expects mode to be one of {MODES} but got {mode}")
    tensors = tuple(tensors)
    for tensor in tensors:
        if not isinstance(tensor, TensorBase):
            raise TypeError(f"register_multi_grad_hook(): expected Tensors, but got {type_name(tensor)}")
        if mode == "all" and not tensor._requires_grad:
            raise NoGraphError(
                "register_multi_grad_hook(): Expected gradient function to be set: a tensor does not require grad"
            )
    registered.leaf_hooks = True  # passes keep what `current` says
    if mode == "any":
        first = First(fn)
        return MultiHandle(tuple(add_tensor_hook(t, first) for t in tensors if t._requires_grad))
    multi_hook = MultiGradHook(tensors, fn)
    return MultiHandle(tuple(add_tensor_hook(t, multi_hook.part(i)) for i, t in enumerate(tensors)))


class First:
    """Calls a function with the first gradient of each pass."""

    def __init__(self, function: Callable[[Any], None]) -> None:
        self.function = function

    def __call__(self, grad: Any) -> None:
        if self not in current.notes:
            current.notes[self] = True
            self.function(grad)


class MultiGradHook:
    """Calls a function with the gradients of several tensors when the last that a pass computes is known."""

    def __init__(self, tensors: tuple[Any, ...], function: Callable[[Any], None]) -> None:
        edges = [edge_of(t) for t in tensors]
        self.targets = [weakref.ref(e if e.edge_kind == LEAF else node_at(e)) for e in edges]  # they hold this hook
        self.function = function

    def part(self, index: int) -> Callable[[Any], None]:
        return functools.partial(self.note, index)

    def note(self, index: int, grad: Any) -> None:
        """The gradient of one tensor is known in the current pass."""
        if self not in current.notes:
            seen = visited()
            current.notes[self] = [sum(id(target()) in seen for target in self.targets), [None] * len(self.targets)]
        progress = current.notes[self]
        progress[0] -= 1
        progress[1][index] = grad
        if progress[0] == 0:
            self.function(progress[1])
