"""Hooks on tensors and nodes: where they are kept and how they are removed; `hook_calls` says how they run.

A node's hooks live in `node.hooks`, a `Hooks` record made on first use; a leaf's in its `_hooks`.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable
from typing import Any

_ids = itertools.count()


class Registered:
    """Whether a leaf has ever had a hook: until then the engine need not look for them."""

    __slots__ = ("leaf_hooks",)

    def __init__(self) -> None:
        self.leaf_hooks = False


registered = Registered()


class RemovableHandle:
    """Takes a hook away again: `handle.remove()`, or by leaving its `with` block."""

    def __init__(self, table: dict[int, Any]) -> None:
        self.table = table
        self.id = next(_ids)

    def remove(self) -> None:
        """Remove the hook; doing so twice is harmless."""
        self.table.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *_: object) -> None:
        self.remove()


class Hooks:
    """The hooks of one node, or of one leaf tensor."""

    __slots__ = ("accumulated", "accumulator", "post", "pre", "retained", "tensor")

    def __init__(self) -> None:
        self.tensor: dict[int, tuple[int, Callable[..., Any]]] = {}  # id -> (output number, hook)
        self.retained: dict[int, tuple[int, Callable[..., Any]]] = {}  # run after those of `tensor`
        self.pre: dict[int, Callable[..., Any]] = {}
        self.post: dict[int, Callable[..., Any]] = {}
        self.accumulated: dict[int, Callable[..., Any]] = {}
        self.accumulator: Any = None  # of a leaf: a weak reference to its AccumulateGrad, if that was given hooks


def _add(table: dict[int, Any], hook: Any) -> RemovableHandle:
    handle = RemovableHandle(table)
    table[handle.id] = hook
    return handle


def add_node_hook(node: Any, kind: str, hook: Callable[..., Any]) -> RemovableHandle:
    """Register a node hook; `kind` is 'pre' or 'post'."""
    return _add(getattr(_hooks_of(node), kind), hook)


def add_tensor_hook(tensor: Any, hook: Callable[..., Any]) -> RemovableHandle:
    """Register `hook(grad)` on a tensor: on its node where it has one, on itself where it is a leaf."""
    if tensor.is_leaf:
        return _add(leaf_hooks(tensor).tensor, (0, hook))
    hooks, index = _output_hooks(tensor._fn)
    return _add(hooks.tensor, (index, hook))


def _output_hooks(edge: Any) -> tuple[Hooks, int]:
    """The hooks of the node that an edge leads to, and the number of its output."""
    node, index = (edge, 0) if edge.edge_kind == 0 else (edge.node, edge.index)
    return _hooks_of(node), index


def _hooks_of(node: Any) -> Hooks:
    new = Hooks()
    if node.hooks is None:  # no other thread gets in between here
        node.hooks = new
    return node.hooks


def add_accumulated_hook(tensor: Any, hook: Callable[..., Any]) -> RemovableHandle:
    """Register `hook(tensor)`, called after a gradient was added to a leaf's `.grad`."""
    return _add(leaf_hooks(tensor).accumulated, hook)


def leaf_hooks(tensor: Any) -> Hooks:
    """The hooks of a leaf; from the first on, the engine looks for them."""
    new = Hooks()
    if tensor._hooks is None:  # no other thread gets in between here
        tensor._hooks = new
        registered.leaf_hooks = True
    return tensor._hooks


def retain_grad(tensor: Any) -> RemovableHandle:
    """Keep the gradient of a non-leaf in its `.grad`; the hook holds the tensor weakly, so no cycle arises."""
    reference = weakref.ref(tensor)

    def keep(grad: Any) -> None:
        alive = reference()
        if alive is not None:
            alive._grad = grad.clone() if alive._grad is None else alive._grad + grad

    hooks, index = _output_hooks(tensor._fn)
    return _add(hooks.retained, (index, keep))
