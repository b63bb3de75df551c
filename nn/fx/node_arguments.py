"""Arguments of nodes: nested tuples, lists, dicts and slices, by name as signatures have them; and `Graph.lint`."""

import inspect
from collections.abc import Callable, Reversible
from typing import Any, NamedTuple, NoReturn, Protocol

from ...runtime.errors import ArgumentError, type_name

_HELP = (
    "If you are attempting to modify the kwargs or args of a specgrad.fx.Node object, instead create a new copy of it "
    "and assign the copy to the node:\n    new_args = ... # copy and mutate args\n    node.args = new_args"
)


def _refused(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Refuse to change it: `args` and `kwargs` are those of the method of what can be changed."""
    raise TypeError(f"{type(self).__name__!r} object does not support mutation. {_HELP}")


class immutable_list(list[Any]):
    """A list that cannot be changed.

    Example:
        >>> sg.fx.immutable_collections.immutable_list([1, 2]) + [3]
        [1, 2, 3]
    """

    append = extend = insert = remove = pop = clear = sort = reverse = _refused
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refused

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return immutable_list, (tuple(self),)


class immutable_dict(dict[str, Any]):
    """A dict that cannot be changed.

    Example:
        >>> sg.fx.immutable_collections.immutable_dict(dim=1)["dim"]
        1
    """

    clear = pop = popitem = update = setdefault = _refused
    __setitem__ = __delitem__ = __ior__ = _refused

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return immutable_dict, (tuple(self.items()),)

    def copy(self) -> dict[str, Any]:
        """A dict that can be changed."""
        return dict(self)


class AnyNode:
    """The base of Node: what stands for a result among arguments."""


def map_aggregate(a: Any, fn: Callable[[Any], Any]) -> Any:
    """The same nesting with `fn` of each item that is no tuple, list, dict or slice; lists and dicts are immutable.

    Args:
        a: the nested arguments.
        fn: called with each item.

    Example:
        >>> sg.fx.node.map_aggregate((1, [2, {"a": 3}]), lambda n: n * 10)
        (10, [20, {'a': 30}])
    """
    if not callable(fn):
        raise ArgumentError(f"map_aggregate(): argument 'fn' must be callable, not {type_name(fn)}")
    return _mapped(a, fn)


def _mapped(a: Any, fn: Callable[[Any], Any]) -> Any:
    if isinstance(a, tuple):
        items = [_mapped(item, fn) for item in a]
        return type(a)(*items) if hasattr(a, "_fields") else tuple(items)
    if isinstance(a, list):
        return immutable_list([_mapped(item, fn) for item in a])
    if isinstance(a, dict):
        return immutable_dict({key: _mapped(item, fn) for key, item in a.items()})
    if isinstance(a, slice):
        return slice(_mapped(a.start, fn), _mapped(a.stop, fn), _mapped(a.step, fn))
    return fn(a)


def map_arg(a: Any, fn: Callable[[Any], Any]) -> Any:
    """The same nesting with `fn` of each Node, and all else as it is.

    Args:
        a: the nested arguments.
        fn: called with each Node.

    Example:
        >>> x = sg.fx.Graph().placeholder("x")
        >>> sg.fx.map_arg((x, [x, 1]), lambda node: node.name)
        ('x', ['x', 1])
    """
    if not callable(fn):
        raise AssertionError("map_arg(fn, ...) expected a callable")
    return _mapped(a, lambda item: fn(item) if isinstance(item, AnyNode) else item)


def leaves(a: Any) -> list[Any]:
    """What is no tuple, list, dict or slice in a nesting, in order."""
    items: list[Any] = []
    _mapped(a, items.append)
    return items


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


def last_uses(graph: GraphLike) -> dict[Any, list[Any]]:
    """The nodes whose results each node is the last to use."""
    seen: set[Any] = set()
    results: dict[Any, list[Any]] = {}
    for node in reversed(graph.nodes):
        for used in node.all_input_nodes:
            if used not in seen:
                seen.add(used)
                results.setdefault(node, []).append(used)
    return results


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
