"""Edges of the graph: a node for its only output, an `Output` of a node with several, or a leaf itself."""

from typing import Any

NODE, OUTPUT, LEAF = 0, 1, 2  # `edge_kind` of what an edge leads to


def node_at(edge: Any) -> Any:
    return edge if edge.edge_kind == NODE else edge.node


def output_at(edge: Any) -> tuple[Any, int]:
    """The node that an edge leads to, and the number of its output; the edge is no leaf."""
    return (edge, 0) if edge.edge_kind == NODE else (edge.node, edge.index)
