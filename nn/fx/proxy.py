"""Proxy, what a traced program computes with: each operation is a node of the graph. And who makes proxies."""

from __future__ import annotations

import dis
import operator
import sys
import traceback
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import FrameType
from typing import Any

from ...runtime.device.device import device
from ...runtime.extensions.torch_compat.overrides_api import is_tensor_method_or_property
from ...runtime.methods.argument_guard import guards
from ...runtime.shapes import Size
from ...runtime.tensor.dtypes import dtype
from ...runtime.tensor.memory_format import layout, memory_format
from ...runtime.tensor.tensor import TensorBase
from .code import BINARY, REFLECTED, UNARY, method_name
from .graph import Graph
from .node import Node
from .node_arguments import leaves, map_aggregate

_PACKAGE_FILE = __file__.rpartition("/")[0]


def iterated_count() -> int | None:
    """How many names the program that is traced unpacks a value into where it stands; None where it does something
    else."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and (frame.f_code in guards or frame.f_code.co_filename.startswith(_PACKAGE_FILE)):
        frame = frame.f_back
    if frame is None:
        return None
    match = next((i for i in dis.get_instructions(frame.f_code) if i.offset == frame.f_lasti), None)
    if match is not None and match.opname == "UNPACK_SEQUENCE":
        return match.argval if isinstance(match.argval, int) else match.arg
    return None


_PLAIN = (str, int, float, bool, complex, dtype, device, memory_format, layout, type(None), type(Ellipsis), range)


class TraceError(ValueError):
    """What a traced program cannot do, as its values are not known."""


class TracerBase:
    """Makes nodes of what proxies are asked for; `Tracer` goes through modules as well."""

    graph: Graph
    record_stack_traces: bool = False
    check_mutable_operations: bool = False
    trace_asserts: bool = False
    proxy_buffer_attributes: bool = False
    traced_func_name: str = "forward"

    def create_node(
        self, kind: str, target: Any, args: Any, kwargs: Any, name: str | None = None, type_expr: Any = None
    ) -> Node:
        """Add a node to the graph; `kind`, `target`, `args`, `kwargs`, `name`, `type_expr`: as of `create_node`."""
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node: Node) -> Proxy:
        """The proxy of `node`; a tracer may give one of its own class."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Any,
        args: Any,
        kwargs: Any,
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Any = None,
    ) -> Any:
        """Add a node for a call with proxies in `args` and `kwargs`, and give the proxy of its result.

        `kind`, `target`, `name` and `type_expr` are as of `create_node`; `proxy_factory_fn` makes the proxy, where it
        is not `proxy`.
        """
        node_args, node_kwargs = self.create_arg(tuple(args)), self.create_arg(dict(kwargs))
        node = self.create_node(kind, target, node_args, node_kwargs, name, type_expr)
        if self.record_stack_traces:
            node.stack_trace = "".join(traceback.format_list(traceback.extract_stack()[:-2]))
        return self.proxy(node) if proxy_factory_fn is None else proxy_factory_fn(node)

    def create_arg(self, a: Any) -> Any:
        """The argument `a` as nodes hold it: a proxy's node, a plain value itself.

        Tuples, lists, dicts, slices and dataclasses are gone through; a NotImplementedError for anything else.
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, Size):
            return tuple(a)
        if isinstance(a, (tuple, list, dict)):
            return self._nested(a)
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if is_dataclass(a) and not isinstance(a, type):
            arguments = {field.name: self.create_arg(getattr(a, field.name)) for field in fields(a)}
            return self.create_node("call_function", type(a), (), arguments)
        if isinstance(a, (*_PLAIN, Node)) or callable(a):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _nested(self, a: Any) -> Any:
        if isinstance(a, dict):
            for key in a:
                map_aggregate(self.create_arg(key), _refuse_node_as_key)
            return {key: self.create_arg(item) for key, item in a.items()}
        items = [self.create_arg(item) for item in a]
        if hasattr(a, "_fields"):
            return type(a)(*items)
        return tuple(items) if isinstance(a, tuple) else items

    def to_bool(self, obj: Proxy) -> bool:
        """Whether the proxy `obj` is true: not known while a program is traced."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """The items of the proxy `obj`: as many as are unpacked into names at once."""
        count = iterated_count()
        if count is None:
            raise TraceError(
                "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args "
                "or **kwargs function argument: what a loop does depends on a number of items that is not known while "
                "a program is traced."
            )
        return (obj[i] for i in range(count))

    def keys(self, obj: Proxy) -> Any:
        """The keys of the proxy `obj`, when it is unpacked with `**`."""
        return Attribute(obj, "keys")()


def _refuse_node_as_key(item: Any) -> Any:
    if isinstance(item, Node):
        raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {item}")
    return item


class GraphAppendingTracer(TracerBase):
    """Lets a program add nodes to a graph that is there already.

    Args:
        graph: the graph.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


class Proxy:
    """Stands for a value of a traced program; what is done to it becomes nodes of the graph.

    Args:
        node: whose result it stands for.
        tracer: makes the nodes; one that adds to the node's graph when not given.

    Example:
        >>> graph = sg.fx.Graph()
        >>> x = sg.fx.Proxy(graph.placeholder("x"))
        >>> (sg.relu(x) + 1).node.op
        'call_function'
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        if tracer is None and not isinstance(node, Node):
            raise TypeError(f"Proxy(): argument 'node' must be a Node, but got {type(node).__name__}")
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Any:
        if k.startswith("__") and k.endswith("__"):
            raise AttributeError(f"'Proxy' object has no attribute '{k}'")
        return Attribute(self, k)

    def __setstate__(self, d: dict[str, Any]) -> None:
        self.__dict__ = d

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        copied = Proxy(self.node, self.tracer)
        memo[id(self)] = copied
        return copied

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        return self.tracer.iter(self)

    def __abs__(self) -> Any:
        return self.tracer.create_proxy("call_function", abs, (self,), {})

    def __getitem__(self, key: Any) -> Any:
        return self.tracer.create_proxy("call_function", operator.getitem, (self, key), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        self.tracer.create_proxy("call_function", operator.setitem, (self, key, value), {})

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call "
            "specgrad.fx.wrap('len') at module scope"
        )

    def __index__(self) -> int:
        raise TypeError("a traced value is not known: it cannot be used as an index or a size of plain Python")

    def __contains__(self, item: Any) -> bool:
        raise TraceError("symbolically traced variables cannot be asked what is in them")

    def keys(self) -> Any:
        """The keys of the value, when it is unpacked with `**`."""
        return self.tracer.keys(self)

    __hash__ = object.__hash__

    @classmethod
    def __torch_function__(cls, orig_method: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        tracer = _tracer_of(args, kwargs)
        if orig_method.__name__ == "__get__":
            return Attribute(args[0], orig_method.__self__.fget.__name__)
        if is_tensor_method_or_property(orig_method):
            return tracer.create_proxy("call_method", orig_method.__name__, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs, name=None)


def _tracer_of(args: Any, kwargs: dict[str, Any]) -> TracerBase:
    results = {id(item.tracer): item.tracer for item in leaves((args, kwargs)) if isinstance(item, Proxy)}
    if len(results) > 1:
        raise RuntimeError(
            f"Found multiple different tracers {list(results.values())} while trying to trace operations"
        )
    return next(iter(results.values()))


class Attribute(Proxy):
    """An attribute of a proxy: a node of its own once it is used otherwise than as a method.

    Args:
        root: the proxy.
        attr: the attribute's name.
    """

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root = root
        self.attr = attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node of the look-up, made when it is first asked for."""
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A proxy of a parameter: its shape, size and number of dimensions are known while the program is traced.

    Args:
        tracer: makes the nodes.
        node: the look-up of the parameter.
        name: its path.
        param: the parameter.
    """

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: TensorBase) -> None:
        super().__init__(node, tracer)
        self.name = name
        self.param = param

    @property
    def shape(self) -> Any:
        """That of the parameter."""
        return self.param.shape

    def size(self, dim: int | None = None) -> Any:
        """The parameter's size, or that of its dimension `dim`."""
        return self.param.size() if dim is None else self.param.size(dim)

    def dim(self) -> int:
        """That of the parameter."""
        return self.param.dim()

    @property
    def ndim(self) -> int:
        """That of the parameter."""
        return self.param.ndim

    def numel(self) -> int:
        """That of the parameter."""
        return self.param.numel()

    def nelement(self) -> int:
        """That of the parameter."""
        return self.param.numel()


def _operator(name: str) -> Any:
    function = getattr(operator, name)

    def method(self: Proxy, *rest: Any) -> Any:
        return self.tracer.create_proxy("call_function", function, (self, *rest), {})

    return method


def _reflected(name: str) -> Any:
    function = getattr(operator, name)

    def method(self: Proxy, other: Any) -> Any:
        return self.tracer.create_proxy("call_function", function, (other, self), {})

    return method


for _name in (*BINARY, *UNARY):
    setattr(Proxy, method_name(_name), _operator(_name))
for _name in REFLECTED:
    setattr(Proxy, f"__r{_name.rstrip('_')}__", _reflected(_name))

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "TraceError", "TracerBase"]
