"""Tracer: runs a module's forward with proxies in the place of its arguments."""

import functools
import inspect
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType, ModuleType
from typing import Any

from ...runtime.dispatch.registry import look_into_tables
from ...runtime.errors import ArgumentError, type_name
from ...runtime.tensor.tensor import TensorBase
from ..modules.container import Sequential
from ..modules.module import Module
from ..parameter import Parameter
from .graph import Graph
from .graph_module import GraphModule
from .node import has_side_effect
from .patches import Patcher, patch_layers, patch_wrapped, recording
from .proxy import ParameterProxy, Proxy, TracerBase

_LAYERS = (__name__.partition(".")[0] + ".nn.", "torch.nn.")  # the second is what they say under `as_torch`
_VARIADIC = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


class _Anything:
    """The class of PH: in `concrete_args`, an argument that is not fixed."""

    def __repr__(self) -> str:
        return "PH"


PH = _Anything()


@has_side_effect
def assert_value(value: Any, expected: Any, message: str) -> None:
    if value is not expected and not (type(value) is type(expected) and value == expected):
        raise AssertionError(message)


class Tracer(TracerBase):
    """Makes the Graph of a module or a function by running it with proxies.

    Args:
        autowrap_modules: modules whose functions become nodes, `math` when not given.
        autowrap_functions: functions that become nodes, wherever modules name them.
        param_shapes_constant: whether shapes of parameters are numbers, and no nodes.

    Example:
        >>> class Leafless(sg.fx.Tracer):
        ...     def is_leaf_module(self, m, qualname):
        ...         return False
        >>> graph = Leafless().trace(sg.nn.Sequential(sg.nn.ReLU()))
        >>> [node.op for node in graph.nodes]
        ['placeholder', 'call_function', 'output']
    """

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        for name, value in (("autowrap_modules", autowrap_modules), ("autowrap_functions", autowrap_functions)):
            if not isinstance(value, tuple | list):
                raise TypeError(f"Tracer(): argument '{name}' must be a tuple, but got {type(value).__name__}")
        public = [f for module in autowrap_modules for name, f in vars(module).items() if name[0] != "_"]
        self._autowrapped = {id(f): f for f in (*filter(callable, public), *autowrap_functions)}
        self._autowrap_search: list[ModuleType] = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.root: Any = None
        self.submodule_paths: dict[Any, str] | None = None
        self.tensor_attrs: dict[int, tuple[str, Any]] = {}
        self._hints: dict[str, Any] = {}

    # ---- what a subclass may change ----

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        """Whether a call of the module `m` is a node, and not traced through: of specgrad's layers, all but Sequential.

        Its path is `module_qualified_name`.
        """
        return type(m).__module__.startswith(_LAYERS) and not isinstance(m, (Sequential, GraphModule))

    def path_of_module(self, mod: Any) -> str:
        """The path of the submodule `mod`; a NameError where the root has no such module."""
        if self.submodule_paths is not None and mod in self.submodule_paths:
            return self.submodule_paths[mod]
        for name, module in self.root.named_modules():
            if module is mod:
                return str(name)
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Any, forward: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """What a call of the module `m` gives: the proxy of a node for a leaf, else what its forward does.

        `forward` calls it with `args` and `kwargs`.
        """
        path = self.path_of_module(m)
        if self.is_leaf_module(m, path):
            return self.create_proxy("call_module", path, args, kwargs)
        return forward(*args, **kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """What a module's attribute `attr` is to the traced program: a parameter's proxy, other values themselves.

        Its value is `attr_val`; `parameter_proxy_cache` has the proxies that there are, by path.
        """
        if isinstance(attr_val, Parameter):
            return self._proxy_of(attr_val, self.root.named_parameters(), parameter_proxy_cache)
        if self.proxy_buffer_attributes and isinstance(attr_val, TensorBase):
            return self._proxy_of(attr_val, self.root.named_buffers(), parameter_proxy_cache)
        return attr_val

    def create_arg(self, a: Any) -> Any:
        """The argument `a` as in TracerBase; the root's parameters and buffers by path, among them any other tensor."""
        if isinstance(a, Parameter):
            for name, parameter in self.root.named_parameters():
                if parameter is a:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, TensorBase):
            return self.create_node("get_attr", self._path_of_tensor(a), (), {})
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        return super().create_arg(a)

    def create_args_for_root(self, root_fn: Any, is_module: bool, concrete_args: Any = None) -> tuple[Any, list[Any]]:
        """The function to run, and a placeholder's proxy for each of its parameters.

        That is `root_fn`, or with `is_module` a module's `forward`. `concrete_args` fixes parameters, by name.
        """
        known = inspect.unwrap(root_fn) if callable(root_fn) else root_fn
        if not hasattr(known, "__code__"):
            raise TypeError(f"symbolic_trace(): expected a Module or a function, but got {type(root_fn).__name__}")
        self._hints = getattr(known, "__annotations__", {})
        code = known.__code__
        names = list(code.co_varnames)
        count = code.co_argcount + code.co_kwonlyargcount
        args: list[Any] = [self.root] if is_module else []
        if is_module and not count:
            raise RuntimeError("``self`` argument cannot be part of *args expansion!")
        defaults = {name: p.default for name, p in inspect.signature(known).parameters.items()}
        for name in names[len(args) : count]:
            args.append(self._argument(name, defaults[name], concrete_args or {}))
        rest = names[count:]
        if code.co_flags & inspect.CO_VARARGS:
            args.append(self._placeholder("*" + rest.pop(0), inspect.Parameter.empty))
        if code.co_flags & inspect.CO_VARKEYWORDS:
            args.append(self._placeholder("**" + rest.pop(0), inspect.Parameter.empty))
        if code.co_kwonlyargcount or code.co_flags & _VARIADIC:
            root_fn = _positional_wrapper(known, len(args))
        return root_fn, args

    # ---- tracing ----

    def trace(self, root: Any, concrete_args: dict[str, Any] | None = None) -> Graph:
        """Run the module or function `root` with proxies; the graph of what it did.

        `concrete_args` fixes parameters, by name. A TraceError where the program depends on values that are not known.
        """
        if concrete_args is not None and not isinstance(concrete_args, dict):
            raise ArgumentError(
                f"symbolic_trace(): argument 'concrete_args' must be dict, not {type_name(concrete_args)}"
            )
        is_module = isinstance(root, Module)
        self.root = root if is_module else Module()
        function = getattr(type(root), self.traced_func_name) if is_module else root
        self.submodule_paths = {module: name for name, module in self.root.named_modules()}
        self.tensor_attrs = {}
        self._note_tensors(self.root, "")
        self.graph = Graph(tracer_cls=type(self))
        called, args = self.create_args_for_root(function, is_module, concrete_args)
        space = getattr(inspect.unwrap(function), "__globals__", {})
        with self._patched(space):
            result = called(*args)
        self.create_node("output", "output", (self.create_arg(result),), {}, type_expr=self._hint("return"))
        self.submodule_paths = None
        return self.graph

    @contextmanager
    def _patched(self, space: dict[str, Any]) -> Iterator[None]:
        proxies: dict[str, Any] = {}
        call, look_up = Module.__call__, Module.__getattr__

        @functools.wraps(call)
        def module_call(mod: Any, *args: Any, **kwargs: Any) -> Any:
            self._autowrap(patcher, getattr(getattr(mod, "forward", mod), "__globals__", {}))
            return self.call_module(mod, functools.partial(call, mod), args, kwargs)

        @functools.wraps(look_up)
        def module_getattr(mod: Any, attr: str) -> Any:
            return self.getattr(attr, look_up(mod, attr), proxies)

        with Patcher() as patcher:
            patcher.patch_attribute(_tracing, "depth", _tracing.depth + 1)
            patcher.afterwards(_look_natively)
            patcher.patch_attribute(Module, "__getattr__", module_getattr)
            patcher.patch_attribute(Module, "__call__", module_call)
            patch_wrapped(patcher)
            patch_layers(patcher)
            for searched in (space, *map(vars, self._autowrap_search)):
                self._autowrap(patcher, searched)
            yield

    def _autowrap(self, patcher: Patcher, space: dict[str, Any]) -> None:
        for name, value in list(space.items()):
            if id(value) in self._autowrapped and not name.startswith("_") and callable(value):
                patcher.patch_item(space, name, recording(value))

    def _argument(self, name: str, default: Any, concrete: dict[str, Any]) -> Any:
        proxy = self._placeholder(name, default)
        if name not in concrete or concrete[name] is PH:
            return proxy
        value = concrete[name]
        if value is None or isinstance(value, (bool, int, float, str)):
            message = f"{name} has been specialized to have value {value} but got another value"
            self.create_proxy("call_function", assert_value, (proxy, value, message), {})
        return value

    def _placeholder(self, name: str, default: Any) -> Any:
        args = () if default is inspect.Parameter.empty else (default,)
        if name.startswith("*"):
            args = ()
        hint = self._hint(name.replace("*", ""))
        return self.create_proxy("placeholder", name, args, {}, type_expr=hint)

    def _hint(self, name: str) -> Any:
        cached = self._hints.get(name)
        return None if cached in (Any, "Any") else cached

    def _proxy_of(self, value: Any, members: Any, cache: dict[str, Any]) -> Any:
        for name, member in members:
            if member is not value:
                continue
            if name not in cache:
                shaped = functools.partial(self._shaped, name, value)  # a subclass may not know of it
                options: dict[str, Any] = {"proxy_factory_fn": shaped} if self.param_shapes_constant else {}
                cache[name] = self.create_proxy("get_attr", name, (), {}, **options)
            return cache[name]
        return value

    def _shaped(self, name: str, value: Any, node: Any) -> Proxy:
        return ParameterProxy(self, node, name, value)

    def _note_tensors(self, module: Any, prefix: str) -> None:
        for name, value in vars(module).items():
            if isinstance(value, TensorBase):
                self.tensor_attrs[id(value)] = prefix + name, value
        for name, child in module.named_children():
            self._note_tensors(child, f"{prefix}{name}.")

    def _path_of_tensor(self, tensor: Any) -> str:
        for name, buffer in self.root.named_buffers():
            if buffer is tensor:
                return str(name)
        if id(tensor) not in self.tensor_attrs:
            name = self.get_fresh_qualname("_tensor_constant")
            self.tensor_attrs[id(tensor)] = name, tensor
            setattr(self.root, name, tensor)
        return self.tensor_attrs[id(tensor)][0]

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name that begins with `prefix`, which the root does not have yet."""
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"


class _Tracing:
    depth = 0


_tracing = _Tracing()


def is_fx_tracing() -> bool:
    """Whether a program is being traced.

    Example:
        >>> sg.fx._symbolic_trace.is_fx_tracing()
        False
    """
    return _tracing.depth > 0


def _positional_wrapper(function: Any, count: int) -> FunctionType:
    code = function.__code__
    flags = code.co_flags & ~_VARIADIC
    plain = code.replace(co_flags=flags, co_argcount=count, co_posonlyargcount=0, co_kwonlyargcount=0)
    return FunctionType(plain, function.__globals__, function.__name__, function.__defaults__, function.__closure__)


def _look_natively() -> None:
    """Let attributes of modules be looked up natively again, which another `__getattr__` ends for all classes."""
    waiting: list[Any] = [Module]
    while waiting:
        cls = waiting.pop()
        if cls.__getattr__ is Module.__getattr__:
            look_into_tables(cls)
        waiting += cls.__subclasses__()


def symbolic_trace(root: Any, concrete_args: dict[str, Any] | None = None) -> GraphModule:
    """The GraphModule of a module or a function: a module that does the same, whose code is a graph.

    Args:
        root: the module or function.
        concrete_args: values of parameters that are fixed while it is traced, by name.

    Returns: GraphModule: with the parameters, buffers and submodules of `root` that its graph uses.

    Raises: TraceError: what the program does depends on values that are not known.

    Example:
        >>> def double_relu(x):
        ...     return sg.relu(x) * 2
        >>> print(sg.fx.symbolic_trace(double_relu).code.strip())
        def forward(self, x):
            relu = specgrad.relu(x);  x = None
            mul = relu * 2;  relu = None
            return mul
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


__all__ = ["PH", "Tracer", "is_fx_tracing", "symbolic_trace"]
