"""Interpreter runs a graph node by node; Transformer makes another graph of what it runs."""

from collections.abc import Iterator
from typing import Any

from ...runtime.errors import ArgumentError, type_name
from ..modules.module import Module
from .graph import Graph
from .graph_module import GraphModule
from .node import Node
from .node_arguments import last_uses, map_aggregate, map_arg
from .proxy import Proxy
from .tracer import Tracer


class Interpreter:
    """Runs a GraphModule node by node; a subclass changes what some kind of node does.

    Args:
        module: the GraphModule.
        garbage_collect_values: whether a result is dropped behind its last use.
        graph: another graph to run in its place.

    Raises: TypeError: `module` is no Module.

    Example:
        >>> class Shout(sg.fx.Interpreter):
        ...     def call_function(self, target, args, kwargs):
        ...         print(target.__name__)
        ...         return super().call_function(target, args, kwargs)
        >>> Shout(sg.fx.symbolic_trace(lambda x: sg.relu(x).sum())).run(sg.ones(2))
        relu
        tensor(2.)
    """

    def __init__(self, module: Any, garbage_collect_values: bool = True, graph: Graph | None = None) -> None:
        if not isinstance(module, Module):
            raise ArgumentError(f"{type(self).__name__}(): argument 'module' must be Module, not {type_name(module)}")
        self.module = module
        self.submodules = dict(module.named_modules())
        self.graph: Graph = graph if graph is not None else module.graph  # type: ignore[assignment]
        self.env: dict[Node, Any] = {}
        self.name = "Interpreter"
        self.garbage_collect_values = garbage_collect_values
        self.extra_traceback = True
        self.user_to_last_uses: dict[Node, list[Node]] = last_uses(self.graph) if garbage_collect_values else {}

    def run(self, *args: Any, initial_env: dict[Node, Any] | None = None, enable_io_processing: bool = True) -> Any:
        """Run the graph with the module's arguments by place; its result.

        `initial_env` has results of nodes that are known already. With `enable_io_processing` arguments and result go
        through `Graph.process_inputs` and `process_outputs`.
        """
        self.env = dict(initial_env or {})
        if enable_io_processing:
            args = self.graph.process_inputs(*args)
        self.args_iter: Iterator[Any] = iter(args)
        for node in self.graph.nodes:
            if node in self.env:
                continue
            self.env[node] = self._run_with_location(node)
            for used in self.user_to_last_uses.get(node, ()):
                del self.env[used]
            if node.op == "output":
                result = self.env[node]
                return self.graph.process_outputs(result) if enable_io_processing else result
        return None

    def _run_with_location(self, node: Node) -> Any:
        try:
            return self.run_node(node)
        except Exception as error:
            if self.extra_traceback:
                error.add_note(f"While executing {node.format_node()}")
            raise

    def run_node(self, n: Node) -> Any:
        """The result of the node `n`."""
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return getattr(self, n.op)(n.target, args, kwargs)

    def placeholder(self, target: str, args: Any, kwargs: Any) -> Any:
        """The argument named `target`: the next of those that were given, or its default, in `args`; `kwargs` is empty.

        A RuntimeError where there is none left, and no default.
        """
        if target.startswith("*"):
            return list(self.args_iter)
        try:
            return next(self.args_iter)
        except StopIteration:
            if args:
                return args[0]
            message = f"Expected positional argument for parameter {target}, but one was not passed in!"
            raise RuntimeError(message) from None

    def get_attr(self, target: str, args: Any, kwargs: Any) -> Any:
        """The module's attribute at the path `target`; `args` and `kwargs` are empty."""
        return self.fetch_attr(target)

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """The result of the function `target` of `args` and `kwargs`."""
        return target(*args, **kwargs)

    def call_method(self, target: str, args: Any, kwargs: Any) -> Any:
        """The result of the method named `target`; `args` begin with the object, `kwargs` are arguments by name."""
        owner, *rest = args
        return getattr(owner, target)(*rest, **kwargs)

    def call_module(self, target: str, args: Any, kwargs: Any) -> Any:
        """The result of the submodule at the path `target` of `args` and `kwargs`."""
        return self.fetch_attr(target)(*args, **kwargs)

    def output(self, target: str, args: Any, kwargs: Any) -> Any:
        """The result of the graph, in `args`; `target` is "output", and `kwargs` is empty."""
        return args[0]

    def fetch_attr(self, target: str) -> Any:
        """What the module has at the path `target`; a RuntimeError where it has nothing there."""
        result = self.module
        parts = target.split(".")
        for count, part in enumerate(parts):
            if not hasattr(result, part):
                raise RuntimeError(f"Node referenced nonexistent target {'.'.join(parts[: count + 1])}")
            result = getattr(result, part)
        return result

    def fetch_args_kwargs_from_env(self, n: Node) -> tuple[Any, Any]:
        """The arguments of the node `n`, with results in the place of nodes."""
        return self.map_nodes_to_values(n.args, n), self.map_nodes_to_values(n.kwargs, n)

    def map_nodes_to_values(self, args: Any, n: Node) -> Any:
        """The nested arguments `args` of the node `n`, with results in the place of nodes."""

        def value(node: Node) -> Any:
            if node not in self.env:
                hint = "Run Graph.lint() to diagnose such issues"
                raise RuntimeError(f"Node {n} referenced nonexistent value {node}! {hint}")
            return self.env[node]

        return map_arg(args, value)


class Transformer(Interpreter):
    """Makes another GraphModule of one, node by node; a subclass says what becomes of some kind of node.

    Args:
        module: the GraphModule.

    Example:
        >>> class Smooth(sg.fx.Transformer):
        ...     def call_function(self, target, args, kwargs):
        ...         return super().call_function(sg.sigmoid if target is sg.relu else target, args, kwargs)
        >>> Smooth(sg.fx.symbolic_trace(lambda x: sg.relu(x))).transform()(sg.zeros(1))
        tensor([0.5000])
    """

    def __init__(self, module: Any) -> None:
        super().__init__(module)
        self.new_graph = Graph()
        self.tracer = _Appending(self.new_graph, module)

    def placeholder(self, target: str, args: Any, kwargs: Any) -> Any:
        default = args[0] if args else ...
        return Proxy(self.new_graph.placeholder(target, default_value=default), self.tracer)

    def get_attr(self, target: str, args: Any, kwargs: Any) -> Any:
        return self.tracer.create_proxy("get_attr", target, args, kwargs)

    def call_module(self, target: str, args: Any, kwargs: Any) -> Any:
        return self.tracer.call_module(self.fetch_attr(target), self.fetch_attr(target).forward, args, kwargs)

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_function", target, args, kwargs)

    def transform(self) -> GraphModule:
        """The new GraphModule."""
        result = super().run(enable_io_processing=False)
        if result is not None:
            output = self.new_graph.output(map_aggregate(result, _node_of))
            output.meta = dict(self.graph.output_node().meta)
        return GraphModule(self.module, self.new_graph)


def _node_of(value: Any) -> Any:
    return value.node if isinstance(value, Proxy) else value


class _Appending(Tracer):
    """Adds to a new graph; modules stay calls."""

    def __init__(self, graph: Graph, root: Module) -> None:
        super().__init__()
        self.graph = graph
        self.root = root

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        return True


__all__ = ["Interpreter", "Transformer"]
