"""The `inputs` of `autograd.grad` and `backward`: gradients at some edges, found without running any other node."""

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

from .node import LEAF, NODE, Node, node_at, output_at


class Capture:
    """The gradients asked for by edge, and the nodes that lead to them; all others take no part in the pass.

    `nodes`: whose outputs are asked for; `forks`: leading nodes with an edge to where nothing is; `special`: both."""

    __slots__ = ("accumulate", "forks", "leading", "leaves", "nodes", "outputs", "special")

    def __init__(self, edges: list[Any], roots: list[Any], accumulate: bool) -> None:
        self.accumulate = accumulate  # whether leaves add to .grad instead of being captured
        self.leaves: dict[int, Any] = {id(edge): None for edge in edges if edge.edge_kind == LEAF}
        self.outputs: dict[tuple[Any, int], Any] = {output_at(e): None for e in edges if e.edge_kind != LEAF}
        self.nodes: set[Any] = {node for node, _ in self.outputs}
        self.leading: set[Any] = set()
        self.forks: set[Any] = set()
        self.look_for_ways(reachable(roots))
        self.special = self.nodes | self.forks

    def look_for_ways(self, reachable: set[Node]) -> None:
        """Find the nodes from which something asked for can be reached, older ones first."""
        leaves, requested, leading, forks = self.leaves, set(self.nodes), self.leading, self.forks
        for node in sorted(reachable, key=attrgetter("sequence")):
            leads = self.accumulate and node in self.nodes  # whose hooks run, as PyTorch has it
            misses = False
            for edge in node.edges:
                if edge is None:
                    continue
                kind = edge.edge_kind  # what the capture asks for, without a call for each edge
                if (id(edge) in leaves) if kind == LEAF else ((edge if kind == NODE else edge.node) in requested):
                    leads = True
                else:
                    misses = True
            if leads:
                leading.add(node)
                requested.add(node)
                if misses:
                    forks.add(node)

    def is_requested(self, edge: Any) -> bool:
        if edge.edge_kind == LEAF:
            return id(edge) in self.leaves
        node = node_at(edge)
        return node in self.leading or node in self.nodes

    def passing(self, edges: Iterable[Any]) -> list[Any]:
        """Where nothing is asked for nothing runs, and no hook is called."""
        return [edge if edge is not None and self.is_requested(edge) else None for edge in edges]

    def asking(self, node: Node) -> Node:
        """The node, or a copy whose other edges are None, where it would compute gradients that nobody asks for."""
        if node not in self.forks or not node.may_be_copied:
            return node
        return node.with_edges(tuple(self.passing(node.edges)))

    def take(self, node: Node, grad: Any) -> None:
        for index in range(node.output_count):
            if (node, index) in self.outputs:
                self.outputs[node, index] = grad if node.output_count == 1 else grad[index]

    def add(self, leaf: Any, grad: Any) -> None:
        held = self.leaves[id(leaf)]
        self.leaves[id(leaf)] = grad if held is None else held + grad

    def grad_at(self, edge: Any) -> Any:
        return self.leaves[id(edge)] if edge.edge_kind == LEAF else self.outputs[output_at(edge)]


def reachable(roots: Sequence[Any], leading: set[Any] | None = None) -> set[Node]:
    """Where `leading` is given, what lies behind other nodes is left out."""
    seen: set[Node] = set()
    stack = list(roots)
    while stack:
        edge = stack.pop()
        if edge is None or (kind := edge.edge_kind) == LEAF:
            continue
        node = edge if kind == NODE else edge.node
        if node not in seen:
            seen.add(node)
            if leading is None or node in leading:
                stack.extend(node.edges)
    return seen
