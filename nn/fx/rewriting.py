"""replace_pattern: finds a small graph inside another, and puts a third in its place."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

from ..modules.module import Module
from .graph import Graph
from .graph_module import GraphModule
from .node import Node
from .tracer import symbolic_trace


class Match(NamedTuple):
    """Where a pattern was found: the node that gives its result, and each node of the pattern with the graph's."""

    anchor: Node
    nodes_map: dict[Node, Node]


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replace all places of a graph that do what a pattern does, where they do not overlap.

    Args:
        gm: the GraphModule, which is changed.
        pattern: a function, Graph or GraphModule; its parameters stand for any values.
        replacement: likewise, with the same parameters.

    Returns:
        list: one Match for each place.

    Example:
        >>> import specgrad as sg
        >>> traced = sg.fx.symbolic_trace(lambda x: sg.relu(x) + 1)
        >>> found = sg.fx.replace_pattern(traced, lambda x: sg.relu(x), lambda x: sg.sigmoid(x))
        >>> len(found), traced(sg.zeros(1))
        (1, tensor([1.5000]))
    """
    requested, instead = _graph_of(pattern), _graph_of(replacement)
    matches = _matches(gm.graph, requested)
    replaced: dict[Node, Node] = {}
    for match in matches:
        _put(gm.graph, requested, instead, match, replaced)
    if isinstance(replacement, Module):
        _take_over(gm, replacement, instead)
    gm.recompile()
    return matches


def _graph_of(value: Any) -> Graph:
    if isinstance(value, GraphModule):
        return value.graph
    return value if isinstance(value, Graph) else symbolic_trace(value).graph


def _matches(graph: Graph, pattern: Graph) -> list[Match]:
    """All places from the first on; a node is part of one of them only."""
    result = pattern.output_node().args[0]
    if not isinstance(result, Node):
        raise RuntimeError("a pattern returns one value")
    matched_nodes: set[Node] = set()
    matches = []
    for node in graph.nodes:
        mapped: dict[Node, Node] = {}
        if not _fits(result, node, mapped):
            continue
        inside = {n for p, n in mapped.items() if p.op != "placeholder"}
        if inside & matched_nodes or not _is_closed(inside, node):
            continue
        matched_nodes |= inside
        mapped[pattern.output_node()] = node
        matches.append(Match(node, mapped))
    return matches


def _fits(pattern: Any, value: Any, mapped: dict[Node, Node]) -> bool:
    """Whether a value does what a node of the pattern does, with the same node of the graph for equal ones."""
    if not isinstance(pattern, Node):
        return _is_equal(pattern, value, mapped)
    if pattern in mapped:
        return mapped[pattern] is value or (not isinstance(value, Node) and mapped[pattern] == value)
    if pattern.op == "placeholder":
        mapped[pattern] = value
        return True
    if not isinstance(value, Node) or (pattern.op, pattern.target) != (value.op, value.target):
        return False
    mapped[pattern] = value
    same = len(pattern.args) == len(value.args) and pattern.kwargs.keys() == value.kwargs.keys()
    return (
        same
        and all(_fits(p, v, mapped) for p, v in zip(pattern.args, value.args, strict=True))
        and all(_fits(p, value.kwargs[name], mapped) for name, p in pattern.kwargs.items())
    )


def _is_equal(pattern: Any, value: Any, mapped: dict[Node, Node]) -> bool:
    if isinstance(pattern, (list, tuple)) and isinstance(value, (list, tuple)):
        alike = len(pattern) == len(value)
        return alike and all(_fits(p, v, mapped) for p, v in zip(pattern, value, strict=True))
    return not isinstance(value, Node) and type(pattern) is type(value) and bool(pattern == value)


def _is_closed(inside: set[Node], result: Node) -> bool:
    return all(user in inside for node in inside if node is not result for user in node.users)


def _put(graph: Graph, pattern: Graph, instead: Graph, match: Match, replaced: dict[Node, Node]) -> None:
    """The replacement before the result of one place, which is removed."""
    args = [match.nodes_map[n] for n in pattern.nodes if n.op == "placeholder" and n in match.nodes_map]
    args = [replaced.get(value, value) if isinstance(value, Node) else value for value in args]
    parameters = [n for n in instead.nodes if n.op == "placeholder"]
    values: dict[Node, Any] = dict(zip(parameters, args, strict=False))
    with graph.inserting_before(match.anchor):
        result = graph.graph_copy(instead, values)
    if not isinstance(result, Node):
        raise RuntimeError("a replacement returns one value")
    match.anchor.replace_all_uses_with(result)
    replaced[match.anchor] = result
    for node in reversed(pattern.nodes):
        cached = match.nodes_map.get(node)
        if node.op not in ("placeholder", "output") and isinstance(cached, Node) and not cached.users:
            graph.erase_node(cached)


def _take_over(gm: GraphModule, source: Module, instead: Graph) -> None:
    """Let the module have what the replacement names and it has not."""
    for node in instead.nodes:
        if node.op == "call_module" and not _has(gm, node.target):
            gm.add_submodule(node.target, copy.deepcopy(source.get_submodule(node.target)))
        elif node.op == "get_attr" and not _has(gm, node.target):
            setattr(gm, node.target, getattr(source, node.target))


def _has(module: Any, path: str) -> bool:
    for part in path.split("."):
        if not hasattr(module, part):
            return False
        module = getattr(module, part)
    return True


__all__ = ["Match", "replace_pattern"]
