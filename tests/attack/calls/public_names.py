"""What a user may call: functions and classes of public modules, methods of Tensor, and what examples show."""

from __future__ import annotations

import ast
import doctest
import functools
import importlib
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator
from enum import EnumType
from types import BuiltinFunctionType, FunctionType, MethodType, MethodWrapperType, ModuleType
from typing import Any

import specgrad as sg

from .steady_choice import SteadyChoice

# What would end the attack, or change the machine: pictures in files, marks for other programs, memory that is shared.
NOT_CALLED = {"share_memory_", "draw", "emit_nvtx", "emit_itt", "tensorboard_trace_handler", "keep_freed_memory"}
NOT_CALLED |= {"as_torch", "main"}  # other programs, and other names for everything
NOT_CALLED |= {"wrap", "functional_datapipe", "Library"}  # once in a process, in a module
NOT_CALLED |= {"ForkingPickler", "Process", "mkdtemp"}  # the standard library's
NOT_CALLED |= {"TCPStore", "FileStore", "HashStore", "PrefixStore"}  # they wait for others, for minutes
NOT_CALLED |= {"start", "prepare_trace", "start_trace"}  # one profile at a time: that of the next call would fail
# What waits for other processes, starts them or opens a group of them: one process calls here.
COMMUNICATION = {
    "recv",
    "irecv",
    "recv_object_list",
    "spawn",
    "start_processes",
    "init_process_group",
    "barrier",
    "Pool",
}
COMMUNICATION |= {"init_reductions", "monitored_barrier", "Manager", "all_gather_object", "broadcast_object_list"}
COMMUNICATION |= {"gather_object", "scatter_object_list", "send_object_list", "set_sharing_strategy"}
OPERATORS = re.findall(
    r"\w+",
    """abs add and bool contains delitem eq float floordiv ge getitem gt iadd idiv ifloordiv imul index int invert isub
    itruediv le len lt matmul mod mul ne neg or pow radd rdiv rfloordiv rmatmul rmod rmul rpow rsub rtruediv setitem sub
    truediv xor""",
)
DUNDERS = {f"{name}__" for name in OPERATORS}


@functools.cache
def modules() -> list[ModuleType]:
    """The public modules: those with `__all__`, outside of what implements them."""
    inside = ("specgrad.runtime", "specgrad.generated", "specgrad.codegen", "specgrad.torch_for_children")
    for found in pkgutil.walk_packages(sg.__path__, "specgrad."):
        if not found.name.startswith(inside):
            importlib.import_module(found.name)
    named = sorted(name for name in sys.modules if name.split(".")[0] == "specgrad" and not name.startswith(inside))
    return [sys.modules[name] for name in named if hasattr(sys.modules[name], "__all__")]


def is_function(value: Any) -> bool:
    """Whether a value is a function, written in Python or not."""
    return isinstance(value, (FunctionType, BuiltinFunctionType))


def is_enum(value: Any) -> bool:
    """Whether calling a value would make another enumeration, as Python's enum does."""
    return isinstance(value, EnumType)


@functools.cache
def functions() -> list[tuple[str, Callable[..., Any]]]:
    """Public functions and classes by the name that errors should mention, and Tensor's methods as functions."""
    found: dict[int, tuple[str, Callable[..., Any]]] = {}
    for module in modules():
        for name in module.__all__:
            value = getattr(module, name)
            is_class = isinstance(value, type) and value.__module__ != "builtins"  # as `dict` is under another name
            if (is_class or is_function(value)) and name not in NOT_CALLED and not is_enum(value):
                found.setdefault(id(value), (name, value))
    methods = [(name.strip("_"), method(name)) for name in method_names(sg.Tensor)]
    return [*found.values(), *methods]


@functools.cache
def choice_of_functions() -> SteadyChoice[tuple[str, Callable[..., Any]]]:
    """Draws of `functions`."""
    return SteadyChoice((f"{function.__module__}.{name}", (name, function)) for name, function in functions())


def method_names(cls: type) -> list[str]:
    """Public methods and operators of a class that are written in Python; a layer's `forward` is run by calling it."""
    written = (FunctionType, MethodType, BuiltinFunctionType)
    left_out = NOT_CALLED | ({"forward"} if issubclass(cls, sg.nn.Module) else set())
    names = [name for name in dir(cls) if isinstance(getattr(cls, name, None), written) and name not in left_out]
    return [name for name in names if not name.startswith("_") or name.removeprefix("__") in DUNDERS]


def method(name: str) -> Callable[..., Any]:
    """A method as a function of the tensor and its arguments."""

    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        return getattr(self, name)(*args, **kwargs)

    call.__name__ = name
    return call


# ---- examples --------------------------------------------------------------------------------------------------------


class Reached(BaseException):
    """An example has come to the call that was asked for."""

    def __init__(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        super().__init__()
        self.call = function, list(args), kwargs


class _Marked(ast.NodeTransformer):
    """Each call goes through `_call_(its number, function, ...)`; bodies of functions stay as they are."""

    def __init__(self) -> None:
        self.count = 0

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        self.count += 1
        number = ast.Constant(self.count - 1)
        return ast.Call(ast.Name("_call_", ast.Load()), [number, node.func, *node.args], node.keywords)

    def _as_it_is(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_ClassDef = visit_Lambda = _as_it_is


class Example:
    """The code of a docstring's example, to be run up to any of its calls."""

    def __init__(self, where: str, source: str, module: str) -> None:
        self.where, self.source, self.module = where, source, module

    @functools.cached_property
    def code(self) -> Any:
        tree = ast.fix_missing_locations(_Marked().visit(ast.parse(self.source)))
        return compile(tree, f"<example of {self.where}>", "exec")

    def run(self, call: Callable[..., Any]) -> dict[str, Any]:
        """The names at the end; calls are made by `call(number, function, *args, **kwargs)`."""
        space = {**vars(sys.modules[self.module]), "sg": sg, "__name__": "example", "_call_": call}
        own = set(space)
        exec(self.code, space)
        return {name: value for name, value in space.items() if name not in own}

    @functools.cached_property
    def calls(self) -> list[int]:
        """The numbers of the calls of what is public."""
        found: list[int] = []

        def call(number: int, function: Any, /, *args: Any, **kwargs: Any) -> Any:
            if is_ours(function) and number not in found:
                found.append(number)
            return function(*args, **kwargs)

        self.run(call)
        return found

    def up_to(self, requested: int) -> tuple[Any, list[Any], dict[str, Any]]:
        """The function and the arguments of one call."""

        def call(number: int, function: Any, /, *args: Any, **kwargs: Any) -> Any:
            if number == requested:
                raise Reached(function, args, kwargs)
            return function(*args, **kwargs)

        try:
            self.run(call)
        except Reached as reached:
            return reached.call
        raise AssertionError(f"the example of {self.where} has no call {requested}")

    def objects(self) -> list[Any]:
        """What the example leaves that has methods to be called, tensors aside."""
        space = self.run(lambda number, function, /, *args, **kwargs: function(*args, **kwargs))
        return [value for value in space.values() if is_ours(type(value)) and not isinstance(value, sg.Tensor)]


def is_ours(function: Any) -> bool:
    """Whether a function, class, bound method or callable object comes from specgrad."""
    if isinstance(function, MethodWrapperType):
        return False
    if isinstance(function, (MethodType, BuiltinFunctionType)):
        owner = function.__self__
        function = owner if isinstance(owner, (type, ModuleType)) else type(owner)
    module_name = getattr(function, "__module__", None) or getattr(function, "__name__", "")
    if getattr(function, "__name__", "") in NOT_CALLED:
        return False
    return str(module_name).startswith("specgrad") or type(function).__module__.startswith("specgrad")


@functools.cache
def examples() -> list[Example]:
    """The examples of all docstrings, in the order of their names."""
    found: dict[str, Example] = {}
    for module in modules():
        for name in module.__all__:
            value = getattr(module, name)
            for path, documented in _documented(f"{module.__name__}.{name}", value):
                parts = doctest.DocTestParser().get_examples(inspect.getdoc(documented) or "")
                source = "".join(part.source for part in parts if _is_run(part))
                alone = path.rpartition(".")[2] in NOT_CALLED
                if source and not alone and "draw(" not in source and "set_num_threads" not in source:
                    module_name = getattr(inspect.unwrap(documented), "__module__", "specgrad")
                    found.setdefault(source, Example(path, source, module_name))
    return list(found.values())


@functools.cache
def choice_of_examples() -> SteadyChoice[Example]:
    """Draws of `examples`."""
    return SteadyChoice((example.where, example) for example in examples())


def _is_run(part: doctest.Example) -> bool:
    """Whether a line of an example works, and on every machine: those that need another package are marked."""
    return part.exc_msg is None and not part.options.get(doctest.SKIP, False)


def _documented(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if is_function(value) or isinstance(value, type):
        yield path, value
    if isinstance(value, type) and is_ours(value):
        for name in method_names(value):
            yield f"{path}.{name}", getattr(value, name)
