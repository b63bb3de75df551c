"""Leaves with hooks: their gradient is held back until all contributions of a backward pass are there.

So edges that lead to leaves with hooks are counted before the pass, once some leaf has had a hook. Also hooks that wait
for the gradients of several tensors."""

import functools
import itertools
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from ..errors import NoGraphError, type_name
from ..tensor.tensor import TensorBase
from ..thread_state import PerThread
from .captured_inputs import reachable
from .hooks import RemovableHandle, add_tensor_hook, registered
from .node import LEAF, node_at
from .saved_tensors import edge_of


class HookedLeaves:
    __slots__ = ("left", "own", "sums")

    def __init__(self, roots: Sequence[Any], leading: set[Any] | None) -> None:
        self.left: dict[Any, int] = {}
        self.sums: dict[Any, Any] = {}
        self.own: set[Any] = set()  # the leaves whose sums nobody else can hold
        for edge in _ahead(roots, leading)[1]:
            if edge._hooks is not None:
                self.left[edge] = self.left.get(edge, 0) + 1

    def take(
        self, edges: Sequence[Any], grads: Sequence[Any], owned: bool, incoming: Any, order: Sequence[int]
    ) -> tuple[Sequence[Any], list[Any]]:
        """Keep the gradients of hooked leaves; returns the others and the leaves that have all of theirs now.

        `owned`: the gradients were just made, each once, but for one that is `incoming` passed on."""
        passed, complete = list(grads), []
        for i in order or range(min(len(edges), len(grads))):
            edge, grad = edges[i], grads[i]
            if edge is None or edge.edge_kind != LEAF or edge not in self.left:
                continue
            passed[i] = None
            if grad is not None:
                held = self.sums.get(edge)
                self.sums[edge] = grad if held is None else held + grad
                if held is not None or (owned and grad is not incoming):
                    self.own.add(edge)
            self.left[edge] -= 1
            if not self.left[edge]:
                complete.append(edge)
        return passed, complete


class Current(PerThread):
    """The innermost backward pass of this thread that looks for hooks."""

    def __init__(self) -> None:
        self.roots: Sequence[Any] = ()
        self.capture: Any = None
        self.notes: dict[Any, Any] = {}


current = Current()


def propagate_with_hooks(backward_pass: Any, edges: Sequence[Any], grads: Sequence[Any]) -> None:
    capture = backward_pass.capture
    if capture is not None:
        edges = capture.passing(edges)
    before = (current.roots, current.capture, current.notes)
    current.roots, current.capture, current.notes = edges, capture, {}
    try:
        leaves = HookedLeaves(edges, None if capture is None else capture.leading)
        if leaves.left:
            backward_pass.hooked = leaves
            grads = backward_pass.hold_back(edges, grads)
        backward_pass.propagate(edges, grads)
    finally:
        current.roots, current.capture, current.notes = before


def _ahead(roots: Sequence[Any], leading: set[Any] | None) -> tuple[set[Any], list[Any]]:
    """The nodes that a pass will reach, and its edges to leaves, each as often as the pass will follow it."""
    nodes = reachable(roots, leading)
    followed = (node.edges for node in nodes if leading is None or node in leading)
    edges = itertools.chain(roots, *followed)
    return nodes, [edge for edge in edges if edge is not None and edge.edge_kind == LEAF]


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

        def first(grad: Any) -> None:
            if first not in current.notes:
                current.notes[first] = True
                fn(grad)

        return MultiHandle(tuple(add_tensor_hook(t, first) for t in tensors if t._requires_grad))
    multi_hook = MultiGradHook(tensors, fn)
    return MultiHandle(tuple(add_tensor_hook(t, functools.partial(multi_hook.note, i)) for i, t in enumerate(tensors)))


class MultiGradHook:
    def __init__(self, tensors: tuple[Any, ...], function: Callable[[Any], None]) -> None:
        edges = [edge_of(t) for t in tensors]
        self.targets = [weakref.ref(e if e.edge_kind == LEAF else node_at(e)) for e in edges]  # they hold this hook
        self.function = function

    def note(self, index: int, grad: Any) -> None:
        if self not in current.notes:
            capture = current.capture
            nodes, leaves = _ahead(current.roots, None if capture is None else capture.leading)
            seen = {id(end) for end in (*nodes, *leaves)}
            if capture is not None:
                seen &= {*capture.leaves, *map(id, capture.nodes), *map(id, capture.leading)}
            current.notes[self] = [sum(id(target()) in seen for target in self.targets), [None] * len(self.targets)]
        progress = current.notes[self]
        progress[0] -= 1
        progress[1][index] = grad
        if progress[0] == 0:
            self.function(progress[1])
