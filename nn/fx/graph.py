"""Graph: the steps of a computation in order, with methods that add, copy and remove them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from .code import CodeGen, PythonCode
from .names import Namespace, target_name
from .node import Node
from .node_arguments import lint, map_arg


class Graph:
    """The steps of a computation in order: nodes, from arguments to the one output.

    Args:
        owning_module: the GraphModule whose graph this is.
        tracer_cls: the class of the tracer that made it.
        tracer_extras: what that needs to trace again.

    Example:
        >>> graph = sg.fx.Graph()
        >>> x = graph.placeholder("x")
        >>> result = graph.output(graph.call_function(sg.relu, (x,)))
        >>> print(graph)
        graph():
            %x : [num_users=1] = placeholder[target=x]
            %relu : [num_users=1] = call_function[target=specgrad.relu](args = (%x,), kwargs = {})
            return relu
    """

    def __init__(self, owning_module: Any = None, tracer_cls: Any = None, tracer_extras: Any = None) -> None:
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._count = 0
        self._graph_namespace = Namespace()
        self._owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen = CodeGen()

    @property
    def owning_module(self) -> Any:
        """The GraphModule whose graph this is, or None."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, mod: Any) -> None:
        self._owning_module = mod

    @property
    def nodes(self) -> NodeList:
        """All nodes in order."""
        return NodeList(self)

    def output_node(self) -> Node:
        """The node that returns the result."""
        last = self._root.prev
        if last.op != "output":
            raise AssertionError("the last node of a graph is its output")
        return last

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """The nodes of a kind `op`, of these the ones with this `target` (needed for `call_function`).

        They come in their order, with or without `sort`.
        """
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    # ---- adding nodes ----

    def create_node(
        self,
        op: str,
        target: Any,
        args: tuple[Any, ...] | None = None,
        kwargs: dict[str, Any] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """Add a node at the place where nodes are inserted, the end unless a block of `inserting_before` says else.

        Its kind is `op`; `target` is what is called, or the name of the argument, module or attribute. Nodes of this
        graph in `args` and `kwargs` stand for their results. The value has a `name`, made from the target when not
        given, and the annotation `type_expr`.
        """
        value = self._graph_namespace.create_name(name if name is not None else target_name(target), None)
        node = Node(self, value, op, target, args or (), kwargs or {}, type_expr)
        if any(used.graph is not self for used in node.all_input_nodes):
            raise AssertionError("an argument of a node is a node of another graph")
        self._insert(node)
        self._count += 1
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """Add an argument called `name`: `*args` and `**kwargs` for any number.

        Its annotation is `type_expr`, and its default, where it has one, `default_value`.
        """
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """Add the look-up of a parameter, buffer or other attribute of the module at the path `qualified_name`.

        Its annotation is `type_expr`.
        """
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self, module_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None, name: str | None = None
    ) -> Node:
        """Add the call of the submodule at the path `module_name`.

        `args`, `kwargs`, `type_expr` and `name` are as of `create_node`.
        """
        return self.create_node("call_module", module_name, args, kwargs, name, type_expr)

    def call_method(
        self, method_name: str, args: Any = None, kwargs: Any = None, type_expr: Any = None, name: str | None = None
    ) -> Node:
        """Add the call of the method `method_name` of the first of `args`.

        `args`, `kwargs`, `type_expr` and `name` are as of `create_node`.
        """
        return self.create_node("call_method", method_name, args, kwargs, name, type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: Any = None,
        kwargs: Any = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """Add the call of `the_function`; `args`, `kwargs`, `type_expr`, `name`: as of `create_node`."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def output(self, result: Any, type_expr: Any = None) -> Node:
        """Add the node that returns `result`, nodes in tuples, lists and dicts, with the annotation `type_expr`."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    # ---- copying, moving, removing ----

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Any] = lambda x: x) -> Node:
        """Add a copy of `node`, of another graph; `arg_transform` gives this graph's node for one that is used."""
        args = map_arg(node.args, arg_transform)
        kwargs = map_arg(node.kwargs, arg_transform)
        copied = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        copied.meta = dict(node.meta)
        return copied

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Add copies of all nodes of another graph `g`; what it returns, in this graph's nodes.

        `val_map` takes its nodes with their copies; those that are there already are used as they are. With
        `return_output_node` the other graph's output is given as well.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def erase_node(self, to_erase: Node) -> None:
        """Remove the node `to_erase`; a RuntimeError where some node uses it."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: "
                f"{to_erase.users}!"
            )
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            return
        to_erase._unlink()
        to_erase._erased = True
        self._count -= 1
        to_erase._set((), {})

    def inserting_before(self, n: Node | None = None) -> InsertPoint:
        """A block in which nodes are added before the node `n`, the first one when not given."""
        if n is None:
            return self.inserting_after(self._root)
        self._own(n)
        return InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> InsertPoint:
        """A block in which nodes are added behind the node `n`, the last when not given, each behind those before."""
        if n is None:
            return self.inserting_before(self._root)
        self._own(n)
        return InsertPoint(self, n.append)

    def _own(self, node: Node) -> None:
        if node.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Remove nodes whose results nobody uses; whether there were some.

        `is_impure_node` says of a node whether it stays all the same; `Node.is_impure` when not given.
        """
        self.lint()
        stays = is_impure_node or Node.is_impure
        count = self._count
        for node in reversed(self.nodes):
            if not node.users and not stays(node):
                self.erase_node(node)
        return self._count < count

    def lint(self) -> None:
        """See that the graph is whole: order, names, users and targets; a RuntimeError says what is wrong."""
        lint(self)

    # ---- text ----

    def python_code(self, root_module: str, *, verbose: bool = False, **options: Any) -> PythonCode:
        """The graph as a Python function, in which the module is called `root_module`: `self`.

        With `verbose` comments say of what shape and dtype results were, where that is known. PyTorch's other options
        (`include_stride`, `include_device`, `colored`) are accepted.
        """
        return self._codegen.python_code(self, root_module, verbose)

    def set_codegen(self, codegen: CodeGen) -> None:
        """Let another object, `codegen`, write the code."""
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable[[Any], Any]) -> Any:
        """Change the lines of code whenever they are written; what is returned ends that, by itself or as a block.

        `make_transformer` gets the function that changed them before, or None, and gives the one to use.
        """
        return self._codegen.transformed_by(make_transformer)

    def process_inputs(self, *args: Any) -> tuple[Any, ...]:
        """The arguments of a call as the nodes see them."""
        return args

    def process_outputs(self, out: Any) -> Any:
        """The nodes' result `out` as the caller sees it."""
        return out

    def print_tabular(self) -> None:
        """Print a table of the nodes; an ImportError without the package tabulate."""
        try:
            tabulate = import_module("tabulate").tabulate
        except ImportError:
            print(
                "`print_tabular` relies on the library `tabulate`, which could not be found on this machine. Run `pip "
                "install tabulate` to install the library."
            )
            raise
        rows = [[node.op, node.name, node.target, node.args, node.kwargs] for node in self.nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))

    def __str__(self) -> str:
        lines = [line for node in self.nodes if (line := node.format_node())]
        return "\n    ".join(["graph():", *lines])

    def __deepcopy__(self, memo: dict[int, Any]) -> Graph:
        copied = Graph(tracer_cls=self._tracer_cls)
        memo[id(self)] = copied
        results: dict[Node, Node] = {}
        result = copied.graph_copy(self, results, return_output_node=True)
        if result is not None:
            value, old = result
            copied.output(value, old.type).meta = dict(old.meta)
        copied._codegen = self._codegen
        return copied


class NodeList:
    """The nodes of a graph in order; nodes may be added and removed while it is gone through."""

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        self.graph = graph
        self.direction = direction

    def __len__(self) -> int:
        return self.graph._count

    def __iter__(self) -> Iterator[Node]:
        root = self.graph._root
        node = getattr(root, self.direction)
        while node is not root:
            if not node._erased:
                yield node
            node = getattr(node, self.direction)

    def __reversed__(self) -> Iterator[Node]:
        return iter(NodeList(self.graph, "_next" if self.direction == "_prev" else "_prev"))


class InsertPoint:
    """Where a graph adds nodes; as a block, until it ends."""

    def __init__(self, graph: Graph, insert: Callable[[Node], None]) -> None:
        self.graph = graph
        self.before, graph._insert = graph._insert, self._insert
        self.first = insert
        self.last: Node | None = None

    def _insert(self, node: Node) -> None:
        behind = getattr(self.first, "__name__", "") == "append"
        if behind and self.last is not None and not self.last._erased:
            self.last.append(node)
        else:
            self.first(node)
        self.last = node

    def __enter__(self) -> InsertPoint:
        return self

    def __exit__(self, *error: object) -> None:
        self.graph._insert = self.before


__all__ = ["CodeGen", "Graph", "Namespace", "PythonCode"]
