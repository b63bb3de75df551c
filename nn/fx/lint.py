"""What `Graph.lint` looks at, and arguments of nodes by name, as the signature of what is called has them."""

from __future__ import annotations

import inspect
from collections.abc import Reversible
from typing import Any, NamedTuple, Protocol


class NodeLike(Protocol):
    """What is asked of a Node here."""

    graph: Any
    name: str
    op: str
    target: Any
    users: dict[Any, None]

    @property
    def args(self) -> tuple[Any, ...]:
        """The arguments by place."""

    @property
    def kwargs(self) -> dict[str, Any]:
        """The arguments by name."""

    @property
    def all_input_nodes(self) -> list[Any]:
        """The nodes among the arguments."""


class GraphLike(Protocol):
    """What nodes, and what reads them, ask of their Graph."""

    @property
    def nodes(self) -> Reversible[Any]:
        """All nodes in order."""

    @property
    def owning_module(self) -> Any:
        """The GraphModule whose graph this is, or None."""


def lint(graph: GraphLike) -> None:
    seen_names: set[str] = set()
    seen: set[NodeLike] = set()
    for node in graph.nodes:
        if node.graph is not graph:
            raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
        if node.name in seen_names:
            raise RuntimeError(f"Node redefined name {node.name}!")
        for used in node.all_input_nodes:
            _check_used(node, used, graph, seen, seen_names)
        seen.add(node)
        seen_names.add(node.name)
    if graph.owning_module is not None:
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                _check_target(node, graph.owning_module)


def _check_used(node: NodeLike, used: NodeLike, graph: GraphLike, seen: set[NodeLike], seen_names: set[str]) -> None:
    start = f"Argument '{used}' of Node '{node}'"
    if used.graph is not graph:
        raise RuntimeError(f"{start} does not belong to this Graph, but was used as an argument!")
    if used not in seen:
        raise RuntimeError(
            f"{start} was used before it has been defined! Please check that Nodes in the graph are topologically "
            f"ordered\n{graph}"
        )
    if node not in used.users:
        raise RuntimeError(f"Node '{used}' does not know its user '{node}'")


def _check_target(node: NodeLike, module: Any) -> None:
    result = module
    for part in node.target.split("."):
        if not hasattr(result, part):
            raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {part} of {result}")
        result = getattr(result, part)
    if node.op == "call_module" and not callable(getattr(result, "forward", None)):
        raise RuntimeError(f"Node {node} target {node.target} {part} of {result} does not reference an nn.Module")


class ArgsKwargsPair(NamedTuple):
    """Arguments by place, and by name."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def normalized(node: NodeLike, root: Any) -> ArgsKwargsPair | None:
    called = node.target if node.op == "call_function" else None
    if node.op == "call_module":
        called = root.get_submodule(node.target).forward
    if called is None:
        return None
    try:
        bound = inspect.signature(called).bind(*node.args, **node.kwargs)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    return ArgsKwargsPair((), dict(bound.arguments))
