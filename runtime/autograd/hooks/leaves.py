"""Leaves that have hooks: their gradient is held back until all contributions of a backward pass are there.

A leaf without hooks takes each contribution at once. A hook must see their sum, so the edges that lead to leaves with
hooks are counted before the pass, by a traversal of the graph, which is left out until some leaf has had a hook.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from ...modes.thread_state import PerThread
from ..engine.inputs import reachable
from ..node import LEAF


class HookedLeaves:
    """For each leaf with hooks, how many contributions are still to come and the sum of those that came."""

    __slots__ = ("left", "own", "sums")

    def __init__(self, roots: Sequence[Any], leading: set[Any] | None) -> None:
        self.left: dict[Any, int] = {}
        self.sums: dict[Any, Any] = {}
        self.own: set[Any] = set()  # the leaves whose sums nobody else can hold
        for edge in _ahead(roots, leading)[1]:
            if edge._hooks is not None:
                self.left[edge] = self.left.get(edge, 0) + 1

    def take(
        self,
        edges: Sequence[Any],
        grads: Sequence[Any],
        owned: bool = False,
        incoming: Any = None,
        order: Sequence[int] = (),
    ) -> tuple[Sequence[Any], list[Any]]:
        """Keep the gradients of hooked leaves; returns the others and the leaves that have all of theirs now.

        `owned` says that the gradients were just made, each once, but for one that is `incoming` passed on; `order` in
        which order the edges are looked at, where that is not their own.
        """
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
    """The innermost backward pass of this thread that looks for hooks: where it began, what it visits, notes on it."""

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


def visited() -> set[int]:
    """The ids of the nodes and leaves whose gradients the current backward pass gets to see."""
    capture = current.capture
    nodes, leaves = _ahead(current.roots, None if capture is None else capture.leading)
    matches = {id(end) for end in (*nodes, *leaves)}
    return matches if capture is None else matches & capture.receivers()


def _ahead(roots: Sequence[Any], leading: set[Any] | None) -> tuple[set[Any], list[Any]]:
    """The nodes that a pass will reach, and its edges to leaves, each as often as the pass will follow it."""
    nodes = reachable(roots, leading)
    followed = (node.edges for node in nodes if leading is None or node in leading)
    edges = itertools.chain(roots, *followed)
    return nodes, [edge for edge in edges if edge is not None and edge.edge_kind == LEAF]
