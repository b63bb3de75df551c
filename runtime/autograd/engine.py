"""The backward engine: an explicit loop over nodes, newest first, without recursion.

Every node has a sequence number larger than those of the nodes that made its inputs, so taking the waiting node with
the largest number means that all contributions to its gradient have arrived. A straight chain never touches the heap.
"""

from __future__ import annotations

import functools
import heapq
from collections.abc import Sequence
from typing import Any

from .accumulation import accumulate
from .grad_mode import mode, watch
from .hooked_leaves import hooked_leaves
from .hooks import registered, run_post_hooks, run_pre_hooks, run_tensor_hooks
from .node import LEAF, NODE, Node


def all_different(grads: Sequence[Any]) -> bool:
    """Whether no gradient stands twice among those of several inputs."""
    if len(grads) == 2:
        return grads[0] is not grads[1]
    given = [id(grad) for grad in grads if grad is not None]
    return len(set(given)) == len(given)


class Capture:
    """What `autograd.grad` or `inputs=` asks for: gradients by edge, and the nodes that lead to them."""

    __slots__ = ("accumulate", "grads", "leading", "outputs")

    def __init__(self, edges: list[Any], roots: list[Any], accumulate: bool) -> None:
        self.accumulate = accumulate  # whether leaves add to .grad as well as being captured
        self.grads: dict[Any, Any] = {edge: None for edge in edges if edge.edge_kind == LEAF}
        self.outputs: dict[tuple[Any, int], Any] = {_place(e): None for e in edges if e.edge_kind != LEAF}
        self.leading = _nodes_leading_to(roots, self.grads, {node for node, _ in self.outputs})

    def found(self, edge: Any) -> Any:
        """The gradient captured at an edge, or None."""
        return self.grads[edge] if edge.edge_kind == LEAF else self.outputs[_place(edge)]

    def take(self, node: Node, grad: Any) -> None:
        """Note the finished gradient of a node's outputs where it was asked for."""
        for index in range(node.output_count):
            if (node, index) in self.outputs:
                self.outputs[node, index] = grad if node.output_count == 1 else grad[index]


def _place(edge: Any) -> tuple[Any, int]:
    return (edge, 0) if edge.edge_kind == NODE else (edge.node, edge.index)


def _node_of(edge: Any) -> Any:
    return edge if edge.edge_kind == NODE else edge.node


def _nodes_leading_to(roots: list[Any], leaves: dict[Any, Any], nodes: set[Any]) -> set[Any]:
    """The nodes that must run: those from which a wanted leaf or node can be reached by going backward."""
    order, seen, stack = [], set(), [_node_of(e) for e in roots if e.edge_kind != LEAF]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            order.append(node)
            stack.extend(_node_of(e) for e in node.edges if e is not None and e.edge_kind != LEAF)
    leading: set[Any] = set()
    for node in sorted(order, key=lambda n: n.sequence):
        for edge in node.edges:
            if edge is None:
                continue
            wanted = edge in leaves if edge.edge_kind == LEAF else _node_of(edge) in leading or _node_of(edge) in nodes
            if wanted:
                leading.add(node)
                break
    return leading


def run(edges: list[Any], grads: list[Any], retain: bool, create: bool, capture: Capture | None = None) -> None:
    """Propagate `grads` from `edges` to the leaves (or to what `capture` asks for)."""
    before = mode.grad
    mode.grad = create
    try:
        pass_class = watched_pass(watch.passes) if watch.passes else BackwardPass
        pass_class(retain, capture).propagate(edges, grads)
    finally:
        mode.grad = before


@functools.cache
def watched_pass(watching: tuple[type, ...]) -> Any:
    """One class of backward passes out of those of all watchers; it may have attributes of its own."""
    return type("WatchedPass", watching, {})


class BackwardPass:
    """One backward pass: the gradients that wait for their node, and a heap of those nodes."""

    __slots__ = ("buffers", "capture", "heap", "hooked", "retain")

    def __init__(self, retain: bool, capture: Capture | None) -> None:
        self.retain = retain
        self.capture = capture
        self.buffers: dict[Node, Any] = {}
        self.heap: list[tuple[int, Node]] = []
        self.hooked: Any = None

    def propagate(self, edges: list[Any], grads: Sequence[Any]) -> None:
        """Run all nodes that the gradients reach."""
        if registered.leaf_hooks:
            leading = None if self.capture is None else self.capture.leading
            self.hooked = hooked_leaves(edges, leading)
            grads = self.hold_back(edges, grads)
        node, grad = self.follow(edges, grads, owned=False)
        heap, buffers, step = self.heap, self.buffers, self.step
        while node is not None or heap:
            if node is None:
                node = heapq.heappop(heap)[1]
                grad = buffers.pop(node)
            node, grad = step(node, grad)
        if self.hooked is not None:
            for leaf, grad in self.hooked.sums.items():  # those that got less than could have come
                self.reach(leaf, grad, owned=False)

    def step(self, node: Node, grad: Any) -> tuple[Any, Any]:
        """Run one node; return the next node and its gradient when that one may run at once."""
        capture = self.capture
        if node.hooks is not None:
            grad = run_pre_hooks(node, grad)
        if capture is not None:
            capture.take(node, grad)
            if node not in capture.leading:
                return None, None
        grads: Sequence[Any] = node.apply(grad)
        owned = node.gives_fresh and node.hooks is None
        if node.hooks is not None and node.hooks.post:
            grads = run_post_hooks(node, tuple(grads), grad)
        edges = node.edges
        if not self.retain and node.saved_slots:
            node.release()
        if self.hooked is not None:
            grads = self.hold_back(edges, grads)
        return self.follow(edges, grads, owned, grad)

    def hold_back(self, edges: Sequence[Any], grads: Sequence[Any]) -> Sequence[Any]:
        """Keep the gradients of leaves with hooks until they are complete; the rest goes on."""
        if self.hooked is None:
            return grads
        passed, complete = self.hooked.take(edges, grads)
        for leaf in complete:
            if leaf in self.hooked.sums:
                self.reach(leaf, self.hooked.sums.pop(leaf), owned=False)
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
            if edge is None or grad is None:
                continue
            kind = edge.edge_kind
            if kind == LEAF:
                self.reach(edge, grad, owned and grad is not incoming)
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
        """Add a gradient to what waits for a node."""
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

    def reach(self, leaf: Any, grad: Any, owned: bool) -> None:
        """A gradient has arrived at a leaf."""
        hooks = leaf._hooks
        if hooks is not None:
            grad, owned = run_tensor_hooks(hooks, grad), False
        capture = self.capture
        if capture is not None and (not capture.accumulate or leaf not in capture.grads):
            if leaf in capture.grads:
                held = capture.grads[leaf]
                capture.grads[leaf] = grad if held is None else held + grad
            return
        accumulate(leaf, grad, owned)
        if hooks is not None:
            for hook in list(hooks.accumulated.values()):
                hook(leaf)
