"""Recording: the calls that a module makes for example inputs, as nodes of an fx Graph, while it computes.

A tensor is known by its identity: the recorder keeps each one that a node stands for, so no other can take its place.
"""

import operator
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...generated.tensor import Tensor
from ...runtime.extensions.torch_compat.overrides_api import resolve_name
from ...runtime.tensor.observers import Watcher, watch
from ...runtime.tensor.override_modes import TorchFunctionMode
from ...runtime.tensor.tensor import TensorBase
from ..fx.graph import Graph
from ..fx.node import Node
from ..fx.node_arguments import leaves, map_aggregate

_NAME = "export"
_OPERATORS: dict[str, Any] = {"__getitem__": operator.getitem, "__setitem__": operator.setitem, "__iter__": tuple}
DATA_DEPENDENT = (
    "Could not guard on data-dependent expression: {}() gives Python a number that depends on an input. The graph "
    "would hold for this number alone"
)


class DataDependentError(RuntimeError):
    """A program asks for a number of a tensor that depends on an input."""


class Recorder(TorchFunctionMode):
    """The graph of what one thread computes inside.

    Example:
        >>> from specgrad.nn.export.recorder import Recorder
        >>> recorder, x = Recorder(), sg.ones(2)
        >>> node = recorder.declare("x", x)
        >>> with recorder.watching():
        ...     y = (x + 1).exp()
        >>> [node.op for node in recorder.graph.nodes]
        ['placeholder', 'call_function', 'call_function']
    """

    def __init__(self) -> None:
        self.graph = Graph()
        self.constants: dict[str, Any] = {}  # node -> a tensor that is neither parameter, buffer nor input
        self._nodes: dict[int, tuple[Node, Any]] = {}  # identity -> the node and the tensor, which is kept
        self._varying: set[Node] = set()
        self._first: Node | None = None  # of the user's inputs: constants come before
        self._thread = threading.get_ident()
        self._was_read = False

    def declare(self, name: str, value: Any, is_input: bool = True) -> Node:
        node = self.graph.placeholder(name)
        if is_input:
            self._first = self._first or node
            self._varying.add(node)
        if isinstance(value, TensorBase):
            self._nodes[id(value)] = node, value
        return node

    @contextmanager
    def watching(self) -> Iterator[None]:
        watch.enter(_NAME, Watcher(read=self._read))
        try:
            with self:
                yield
        finally:
            watch.leave(_NAME)

    def _read(self, tensor: Any) -> None:
        cached = self._nodes.get(id(tensor))
        self._was_read |= cached is not None and cached[0] in self._varying and threading.get_ident() == self._thread

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run the call, and note it where it gives tensors or writes to one."""
        kwargs = kwargs or {}
        self._was_read = False
        result = func(*args, **kwargs)
        name = getattr(func, "__name__", "")
        if name == "__iter__":
            result = tuple(result)
        if not holds_tensor(result) and name != "__setitem__" and getattr(func, "__name__", "") != "__set__":
            is_op = ".generated.ops." in str(getattr(func, "__module__", ""))
            if self._was_read or (is_op and self._varies((args, kwargs))):
                raise DataDependentError(DATA_DEPENDENT.format(name))
            return result
        node = self._noted(func, args, kwargs)
        self._register(node, result)
        return iter(result) if name == "__iter__" else result

    def _noted(self, func: Any, args: Any, kwargs: Any) -> Node:
        varies = self._varies((args, kwargs))
        value, named = map_aggregate(args, self.node_of), map_aggregate(kwargs, self.node_of)
        name = getattr(func, "__name__", "")
        if name in ("__get__", "__set__"):
            target: Any = getattr if name == "__get__" else setattr
            attribute = func.__self__.fget.__name__
            node = self.graph.call_function(target, (value[0], attribute, *value[1:2] * (name == "__set__")))
        elif name in _OPERATORS:
            node = self.graph.call_function(_OPERATORS[name], value, named)
        elif resolve_name(func).startswith("<") and hasattr(Tensor, name):  # a member of Tensor
            node = self.graph.call_method(name, value, named)
        else:
            node = self.graph.call_function(func, value, named)
        if varies:
            self._varying.add(node)
        return node

    def _varies(self, values: Any) -> bool:
        known = [self._nodes[id(value)][0] for value in leaves(values) if id(value) in self._nodes]
        return any(node in self._varying for node in known)

    def node_of(self, value: Any) -> Any:
        if not isinstance(value, TensorBase):
            return value
        if id(value) not in self._nodes:
            self._refuse_lost(value)
            name = f"c_lifted_tensor_{len(self.constants)}"
            with self.graph.inserting_before(self._first or next(iter(self.graph.nodes), None)):
                node = self.graph.placeholder(name)
            self.constants[node.name] = value
            self._nodes[id(value)] = node, value
        return self._nodes[id(value)][0]

    def _refuse_lost(self, tensor: Any) -> None:
        """A tensor over the memory of one that depends on an input is no constant: its call was not seen."""
        memory = tensor.untyped_storage().data_ptr() if tensor.numel() else 0
        for node, known in self._nodes.values():
            if node in self._varying and memory and memory == known.untyped_storage().data_ptr():
                raise DataDependentError("export(): a tensor depends on an input by a call that could not be recorded")

    def _register(self, node: Node, result: Any) -> None:
        if isinstance(result, TensorBase):
            self._nodes[id(result)] = node, result
            node.meta["val"] = tuple(result.shape), result.dtype
        elif isinstance(result, tuple | list):
            for position, part in enumerate(result):
                if holds_tensor(part):
                    item = self.graph.call_function(operator.getitem, (node, position))
                    if node in self._varying:
                        self._varying.add(item)
                    self._register(item, part)

    def finish(self, outputs: list[Any]) -> None:
        self.graph.output(tuple(map(self.node_of, outputs)))
        for node in reversed(list(self.graph.nodes)):
            if node.target is operator.getitem and not node.users and isinstance(node.args[1], int):
                self.graph.erase_node(node)


def holds_tensor(value: Any) -> bool:
    if isinstance(value, tuple | list):
        return any(map(holds_tensor, value))
    return isinstance(value, TensorBase)
