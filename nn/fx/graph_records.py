"""Graphs as plain records, which pickle: nodes are named, and functions found by their names."""

from __future__ import annotations

from typing import Any, NamedTuple

from .graph import Graph
from .node import Node
from .node_arguments import map_aggregate, map_arg


class Record(NamedTuple):
    """One node; what is in `meta` is not kept."""

    op: str
    target: Any
    args: Any
    kwargs: Any
    name: str
    type: Any


def records_of(graph: Graph) -> list[Record]:
    return [Record(n.op, n.target, _named(n.args), _named(n.kwargs), n.name, n.type) for n in graph.nodes]


def _named(value: Any) -> Any:
    return map_arg(value, lambda node: _Reference(node.name))


class _Reference:
    def __init__(self, name: str) -> None:
        self.name = name


def graph_of(records: list[Record]) -> Graph:
    graph = Graph()
    nodes: dict[str, Node] = {}

    def resolved(value: Any) -> Any:
        return map_aggregate(value, lambda item: nodes[item.name] if isinstance(item, _Reference) else item)

    for r in records:
        nodes[r.name] = graph.create_node(r.op, r.target, resolved(r.args), resolved(r.kwargs), r.name, r.type)
    return graph
