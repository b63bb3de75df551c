"""GraphModule: a Module whose forward is the code of a Graph; and graphs as plain records, which pickle."""

import copy
import itertools
import linecache
from typing import Any, NamedTuple

from ...runtime.errors import ArgumentError, type_name
from ...runtime.tensor.tensor import TensorBase
from ..modules.module import Module
from ..parameter import Parameter
from .code import PythonCode
from .graph import Graph
from .node import Node
from .node_arguments import map_aggregate, map_arg

__all__ = ["GraphModule"]


_numbers = itertools.count()
_QUALNAME = "GraphModule.__new__.<locals>.GraphModuleImpl"  # by which libraries know the class of one graph


class GraphModule(Module):
    """A Module whose forward is generated from a Graph; assigning `graph`, or calling `recompile`, generates it anew.

    Each has a class of its own, so that `forward` is a method as any other, which debuggers step through.

    Args:
        root: the module that has what the graph names, or a dict of these by path.
        graph: the graph.
        class_name: the name of the class, for its repr.

    Example:
        >>> traced = sg.fx.symbolic_trace(sg.nn.Sequential(sg.nn.Linear(2, 3), sg.nn.ReLU()))
        >>> traced(sg.ones(1, 2)).shape
        specgrad.Size([1, 3])
        >>> print(traced.code.strip())
        def forward(self, input):
            input_1 = input
            _0 = getattr(self, "0")(input_1);  input_1 = None
            _1 = getattr(self, "1")(_0);  _0 = None
            return _1
    """

    _graph: Graph
    _code: str

    def __new__(cls, *args: Any, **kwargs: Any) -> "GraphModule":
        base = next(c for c in cls.__mro__ if "_of_one_graph" not in vars(c))
        namespace = {"_of_one_graph": True, "__doc__": base.__doc__, "__qualname__": _QUALNAME}
        return object.__new__(type(base.__name__, (base,), namespace))

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule") -> None:
        if not isinstance(graph, Graph):
            raise ArgumentError(f"GraphModule(): argument 'graph' must be Graph, not {type_name(graph)}")
        super().__init__()
        type(self).__name__ = class_name
        used = [node.target for node in graph.nodes if node.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            self.training = root.training
            for target in used:
                copy_attribute(root, self, target)
        elif isinstance(root, dict):
            for target in sorted(used, key=lambda path: path.count(".")):
                if target not in root:
                    raise RuntimeError(f"Node target {target!r} was not provided in the root dict")
                owner, name = owner_of(self, target)
                setattr(owner, name, root[target])
        else:
            raise RuntimeError(f"Unsupported type {type(root)} passed for root!")
        self.meta: dict[str, Any] = dict(getattr(root, "meta", {}))
        self.graph = graph

    @property
    def graph(self) -> Graph:
        """The graph; the one that is assigned becomes this module's own."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self.__dict__["_graph"] = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The text of `forward`."""
        return self._code

    def recompile(self) -> PythonCode:
        """Make `forward` of the graph as it is now."""
        code = self._graph.python_code("self")
        self.__dict__["_code"] = code.src
        type(self).forward = _compiled(code)  # type: ignore[method-assign]
        return code

    def add_submodule(self, target: str, m: Any) -> bool:
        """Put a module `m` at the path `target`, between modules that are made where there are none.

        False where something else stands in its way.
        """
        *prefix, name = target.split(".")
        owner: Any = self
        for part in prefix:
            if not hasattr(owner, part):
                owner.add_module(part, Module())
            owner = getattr(owner, part)
            if not isinstance(owner, Module):
                return False
        owner.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Remove the module at the path `target`; False where there is none, a TypeError where it is no text."""
        if not isinstance(target, str):
            raise TypeError(f"delete_submodule(): argument 'target' must be a str, but got {type(target).__name__}")
        *prefix, name = target.split(".")
        owner: Any = self
        for part in prefix:
            owner = getattr(owner, part, None)
        if not isinstance(owner, Module) or not isinstance(getattr(owner, name, None), Module):
            return False
        delattr(owner, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Remove the modules that no node names, nor one that is inside or around them."""
        used: set[str] = set()
        for node in self._graph.nodes:
            if node.op in ("call_module", "get_attr"):
                parts = node.target.split(".")
                used.update(".".join(parts[: count + 1]) for count in range(len(parts)))
                if node.op == "call_module":
                    inner = self.get_submodule(node.target).named_modules()
                    used.update(f"{node.target}.{name}" for name, _ in inner if name)
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    def print_readable(self, print_output: bool = True, **options: Any) -> str:
        """The module as a class with its code, and the GraphModules inside it, also printed with `print_output`.

        PyTorch's options (`include_stride`, `include_device`, `colored`) are accepted.
        """
        body = self._code.strip("\n").replace("\n", "\n    ")
        parts = [f"class {type(self).__name__}(specgrad.nn.Module):\n    {body}\n"]
        for child in self.children():
            if isinstance(child, GraphModule):
                parts.append("    " + child.print_readable(print_output=False).replace("\n", "\n    "))
        text = "\n".join(parts)
        if print_output:
            print(text)
        return text

    def __deepcopy__(self, memo: dict[int, Any]) -> "GraphModule":
        copied = GraphModule.__new__(type(self))
        memo[id(self)] = copied
        type(copied).__name__ = type(self).__name__
        copied.__dict__.update(copy.deepcopy(_without_graph(self), memo))
        copied.graph = copy.deepcopy(self._graph, memo)
        return copied

    def __copy__(self) -> "GraphModule":
        return GraphModule(self, copy.deepcopy(self._graph), type(self).__name__)

    def __reduce__(self) -> Any:
        base = next(c for c in type(self).__mro__ if "_of_one_graph" not in vars(c))
        return _restored, (base, type(self).__name__, _without_graph(self), records_of(self._graph))

    def __str__(self) -> str:
        hint = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__repr__(), self._code, hint])


def _without_graph(module: GraphModule) -> dict[str, Any]:
    return {name: value for name, value in vars(module).items() if name not in ("_graph", "_code")}


def _restored(base: Any, name: str, state: dict[str, Any], records: Any) -> GraphModule:
    made = GraphModule.__new__(base)
    type(made).__name__ = name
    made.__dict__.update(state)
    made.graph = graph_of(records)
    return made


def _compiled(code: PythonCode) -> Any:
    file = f"<eval_with_key>.{next(_numbers)}"
    linecache.cache[file] = (len(code.src), None, code.src.splitlines(keepends=True), file)
    space = dict(code.globals)
    exec(compile(code.src, file, "exec"), space)
    return space["forward"]


class AttributesOnly(Module):
    """A module with the attributes of a dict, for graphs to be moved to.

    Args:
        body: the dict.
    """

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = body


def copy_attribute(source: Any, to: Any, target: str) -> None:
    """Let a module have what another has at a path, with modules in between.

    Args:
        source, to, target: the module that has it, the one that is to have it, and the path, such as "layers.weight".
    """
    *prefix, name = target.split(".")
    for part in prefix:
        attribute = getattr(source, part)
        own = getattr(to, part, None)
        if own is attribute:
            return  # the module in which it is was copied whole
        if own is None:
            own = Module()
            setattr(to, part, own)
        source, to = attribute, own
    value = getattr(source, name)
    if isinstance(value, TensorBase) and not isinstance(value, Parameter):
        to.register_buffer(name, value, name not in getattr(source, "_non_persistent_buffers_set", ()))
    else:
        setattr(to, name, value)


def owner_of(to: Any, target: str) -> tuple[Any, str]:
    """The module that has the last name of a path, and that name; modules before it are made where there are none."""
    *prefix, name = target.split(".")
    for part in prefix:
        if getattr(to, part, None) is None:
            setattr(to, part, Module())
        to = getattr(to, part)
    return to, name


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
