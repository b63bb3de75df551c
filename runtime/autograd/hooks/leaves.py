"""Leaves that have hooks: their gradient is held back until all contributions of a backward pass are there.

A leaf without hooks takes each contribution at once. A hook must see their sum, so the edges that lead to leaves with
hooks are counted before the pass, which costs a walk over the graph; no walk is made until some leaf has had a hook.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...modes.thread_mode import PerThread
from ..node import LEAF, OUTPUT


class HookedLeaves:
    """For each leaf with hooks, how many contributions are still to come and the sum of those that came."""

    __slots__ = ("left", "sums")

    def __init__(self, roots: Sequence[Any], leading: set[Any] | None) -> None:
        self.left: dict[Any, int] = {}
        self.sums: dict[Any, Any] = {}
        for edge in _edges_from(roots, leading, set()):
            if edge._hooks is not None:
                self.left[edge] = self.left.get(edge, 0) + 1

    def take(self, edges: Sequence[Any], grads: Sequence[Any]) -> tuple[Sequence[Any], list[Any]]:
        """Keep the gradients of hooked leaves; returns the others and the leaves that have all of theirs now."""
        passed, complete = list(grads), []
        for i, (edge, grad) in enumerate(zip(edges, grads, strict=False)):
            if edge is None or edge.edge_kind != LEAF or edge not in self.left:
                continue
            passed[i] = None
            if grad is not None:
                held = self.sums.get(edge)
                self.sums[edge] = grad if held is None else held + grad
            self.left[edge] -= 1
            if not self.left[edge]:
                complete.append(edge)
        return passed, complete


class Current(PerThread):
    """The innermost backward pass of this thread that looks for hooks: where it began, what it visits, notes on it."""

    def __init__(self) -> None:
        self.roots: Sequence[Any] = ()
        self.capture: Any = None
        self.notes: dict[Any, Any] = {}


current = Current()


def propagate_with_hooks(backward_pass: Any, edges: Sequence[Any], grads: Sequence[Any]) -> None:
    """Run a backward pass in which leaves may have hooks."""
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


def visited() -> set[int]:
    """The ids of the nodes and leaves whose gradients the current backward pass gets to see."""
    capture = current.capture
    seen: set[Any] = set()
    leaves = {id(edge) for edge in _edges_from(current.roots, None if capture is None else capture.leading, seen)}
    found = leaves | {id(node) for node in seen}
    return found if capture is None else found & capture.receivers()


def _edges_from(roots: Sequence[Any], leading: set[Any] | None, seen: set[Any]) -> Iterator[Any]:
    """Every edge to a leaf that the pass will follow, as often as it will; `seen` gathers the nodes on the way."""
    stack = list(roots)
    while stack:
        edge = stack.pop()
        if edge is None:
            continue
        if edge.edge_kind == LEAF:
            yield edge
            continue
        node = edge.node if edge.edge_kind == OUTPUT else edge
        if node not in seen:
            seen.add(node)
            if leading is None or node in leading:
                stack.extend(node.edges)
