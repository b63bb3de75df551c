"""The backward engine: an explicit loop over nodes, newest first, without recursion.

Every node has a sequence number larger than those of the nodes that made its inputs, so taking the waiting node with
the largest number means that all contributions to its gradient have arrived. A straight chain never touches the heap.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Any

from ...dispatch.fast_path import native_backward, no_native
from ...modes.grad_mode import mode
from ...modes.intercept import watch
from ..hooks.hooks import (
    run_accumulated_hooks,
    run_leaf_pre_hooks,
    run_output_hooks,
    run_post_hooks,
    run_pre_hooks,
    run_tensor_hooks,
    see_only_leaf,
)
from ..node import LEAF, NODE, Node
from .accumulate_grad import accumulate, all_different
from .inputs import Capture

Walk = Callable[[Any, Any, Any], tuple[Any, Any]]  # of a pass, a node and its gradient: those with which Python goes on


class Missing(list[Any]):
    """The waiting gradients of a node to which only None has come so far: a None for each of its outputs."""

    def __add__(self, grad: Any) -> Any:
        return grad


def apply_if_defined(node: Any, grad: Any) -> Sequence[Any]:
    """The gradients of a node's inputs; None gives None, except in custom Functions, which make zeros of it."""
    value = grad is not None if node.output_count == 1 else any(g is not None for g in grad)
    return node.apply(grad) if value or node.runs_without else (None,) * len(node.edges)


def step_without(backward_pass: Any, node: Any, waiting: Missing) -> tuple[Any, Any]:
    """Run a node to which None has come, as a step of a backward pass."""
    grad = None if node.output_count == 1 else list(waiting)
    if node.runs_without or any(g is not None for g in waiting):
        return backward_pass.step(node, grad)
    return backward_pass.step_with_hooks(node, grad)


class BackwardPass:
    """One backward pass: the gradients that wait for their node, and a heap of those nodes."""

    __slots__ = ("__weakref__", "buffers", "capture", "create", "heap", "hooked", "retain")

    def __init__(self, retain: bool, create: bool, capture: Capture | None) -> None:
        self.retain = retain
        self.create = create
        self.capture = capture
        self.buffers: dict[Node, Any] = {}
        self.heap: list[tuple[int, Node]] = []
        self.hooked: Any = None

    def propagate(self, edges: Sequence[Any], grads: Sequence[Any]) -> None:
        if self.capture is not None:
            edges = self.capture.passing(edges)
        node, grad = self.follow(edges, grads, owned=False)
        self.resume(node, grad)

    def resume(self, node: Any, grad: Any) -> None:
        self.run_from(node, grad, no_native if watch.active else native_backward())

    def run_from(self, node: Any, grad: Any, run_natively: Walk) -> None:
        """Run a node, if there is one, and all that wait; `run_natively` goes as far as it can at a time."""
        heap, buffers, step = self.heap, self.buffers, self.step
        while node is not None or heap:
            if node is None:
                node = heapq.heappop(heap)[1]
                grad = buffers.pop(node)
                if grad.__class__ is Missing:
                    node, grad = step_without(self, node, grad)
                    continue
            node, grad = run_natively(self, node, grad)
            if node is not None:
                node, grad = step(node, grad)

    def step(self, node: Node, grad: Any) -> tuple[Any, Any]:
        """Run one node; return the next node and its gradient when that one may run at once."""
        capture = self.capture
        if node.hooks is not None or (capture is not None and node in capture.special):
            return self.step_with_hooks(node, grad)
        grads: Sequence[Any] = node.apply(grad)
        edges: Sequence[Any] = node.edges
        if not self.retain and node.saved_slots:
            node.release()
        if self.hooked is not None:
            owned = node.returns_owned and (len(grads) < 2 or all_different(grads))
            grads = self.hold_back(edges, grads, owned, grad, node.hook_order)
        return self.follow(edges, grads, node.returns_owned, grad)

    def step_with_hooks(self, node: Node, grad: Any) -> tuple[Any, Any]:
        """Run one node that has hooks, or whose gradient is asked for: that is seen before its hooks, if it runs."""
        capture, hooks = self.capture, node.hooks
        if capture is not None:
            if node not in capture.leading:
                capture.take(node, grad if hooks is None else run_output_hooks(node, grad))
                return None, None
            capture.take(node, grad)
        if hooks is not None:
            grad = run_pre_hooks(node, grad)
        capture_node = node if hooks is not None or capture is None else capture.asking(node)
        grads = apply_if_defined(capture_node, grad)
        if hooks is not None:
            if hooks.post:
                grads = run_post_hooks(node, tuple(grads), grad)
            mode.grad = self.create or None  # which a hook may have changed
        return self.finish(node, grads)

    def finish(self, node: Node, grads: Sequence[Any]) -> tuple[Any, Any]:
        """Release a node that has run with care, and hand on its gradients, which somebody else may hold."""
        edges: Sequence[Any] = node.edges
        if not self.retain and node.saved_slots:
            node.release()
        if self.capture is not None and node in self.capture.forks:
            edges = self.capture.passing(edges)
        if self.hooked is not None:
            grads = self.hold_back(edges, grads, order=node.hook_order)
        return self.follow(edges, grads, owned=False)

    def hold_back(
        self,
        edges: Sequence[Any],
        grads: Sequence[Any],
        owned: bool = False,
        incoming: Any = None,
        order: Sequence[int] = (),
    ) -> Sequence[Any]:
        """Keep the gradients of leaves with hooks until they are complete; the rest goes on."""
        if self.hooked is None:
            return grads
        passed, complete = self.hooked.take(edges, grads, owned, incoming, order)
        for leaf in complete:
            self.deliver_to_leaf(leaf, self.hooked.sums.pop(leaf, None), owned=leaf in self.hooked.own)
        return passed

    def follow(self, edges: Sequence[Any], grads: Sequence[Any], owned: bool, incoming: Any = None) -> tuple[Any, Any]:
        """Hand gradients on; one of them may skip the heap: the newest single-output node that waits for no other.

        `owned` says that the gradients were just made, so that a leaf may keep one that is not `incoming` passed on.
        """
        heap = self.heap
        if owned and len(grads) > 1:
            owned = all_different(grads)
        held, held_grad = None, None
        for edge, grad in zip(edges, grads):  # noqa: B905  (strict= costs a keyword call per node)
            if edge is None:
                continue
            kind = edge.edge_kind
            if grad is None:
                if kind != LEAF and edge is not held:
                    self.deliver_none(edge)
            elif kind == LEAF:
                self.deliver_to_leaf(edge, grad, owned and grad is not incoming)
            elif kind != NODE:
                self.deliver(edge, grad)
            elif edge is held:
                held_grad = held_grad + grad
            elif held is None and edge not in self.buffers:
                held, held_grad = edge, grad
            else:
                self.deliver(edge, grad)
        if held is not None and heap and -heap[0][0] > held.sequence:
            self.deliver(held, held_grad)
            return None, None
        return held, held_grad

    def deliver(self, edge: Any, grad: Any) -> None:
        if edge.edge_kind != NODE:
            self.deliver_output(edge.node, edge.index, grad)
            return
        waiting = self.buffers.get(edge)
        if waiting is None:
            self.buffers[edge] = grad
            heapq.heappush(self.heap, (-edge.sequence, edge))
        else:
            self.buffers[edge] = waiting + grad

    def deliver_output(self, node: Node, index: int, grad: Any) -> None:
        waiting = self.buffers.get(node)
        if waiting is None:
            waiting = self.buffers[node] = [None] * node.output_count
            heapq.heappush(self.heap, (-node.sequence, node))
        waiting[index] = grad if waiting[index] is None else waiting[index] + grad

    def deliver_all(self, node: Node, grads: Sequence[Any]) -> None:
        """Add gradients, or None, of each output of a node to what waits for it."""
        for index, grad in enumerate(grads):
            if grad is not None:
                self.deliver_output(node, index, grad)

    def deliver_none(self, edge: Any) -> None:
        """Let a node know that it got None, if nothing else has come yet."""
        node = edge if edge.edge_kind == NODE else edge.node
        if node not in self.buffers:
            self.buffers[node] = Missing([None] * node.output_count)
            heapq.heappush(self.heap, (-node.sequence, node))

    def deliver_to_leaf(self, leaf: Any, grad: Any, owned: bool) -> None:
        """A gradient has arrived at a leaf; None only where it has hooks."""
        hooks = leaf._hooks
        if hooks is not None:
            grad, owned = run_tensor_hooks(hooks, grad), owned and see_only_leaf(hooks)
        capture = self.capture
        if capture is not None and not capture.accumulate:
            capture.add(leaf, grad)
            return
        if hooks is not None:
            grad = run_leaf_pre_hooks(hooks, grad)
        if grad is not None:
            accumulate(leaf, grad, owned, self.create)
        if hooks is not None:
            run_accumulated_hooks(leaf, hooks, grad)
            mode.grad = self.create or None  # which a hook may have changed
