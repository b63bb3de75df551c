"""Leaves that have hooks: their gradient is held back until all contributions of a backward pass are there.

A leaf without hooks takes each contribution at once. A hook must see their sum, so the edges that lead to leaves with
hooks are counted before the pass, which costs a walk over the graph; no walk is made until some leaf has had a hook.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .node import LEAF, OUTPUT


class HookedLeaves:
    """For each leaf with hooks, how many contributions are still to come and the sum of those that came."""

    __slots__ = ("left", "sums")

    def __init__(self, roots: Sequence[Any], leading: set[Any] | None) -> None:
        self.left: dict[Any, int] = {}
        self.sums: dict[Any, Any] = {}
        for edge in _edges_from(roots, leading):
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


def hooked_leaves(roots: Sequence[Any], leading: set[Any] | None) -> HookedLeaves | None:
    """The leaves with hooks that can be reached from `roots` through the nodes in `leading` (None: all nodes)."""
    found = HookedLeaves(roots, leading)
    return found if found.left else None


def _edges_from(roots: Sequence[Any], leading: set[Any] | None) -> Iterator[Any]:
    """Every edge to a leaf that the pass will follow, as often as it will."""
    seen: set[Any] = set()
    stack = list(roots)
    while stack:
        edge = stack.pop()
        if edge is None:
            continue
        if edge.edge_kind == LEAF:
            yield edge
            continue
        node = edge.node if edge.edge_kind == OUTPUT else edge
        if node not in seen and (leading is None or node in leading):
            seen.add(node)
            stack.extend(node.edges)
