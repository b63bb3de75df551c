"""Recording: every op that a module calls, as nodes of a graph, while it computes."""

import builtins
import functools
import inspect
import pkgutil
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

import numpy as np

from ...dispatch.errors import entry_of
from ...dispatch.registry import Op
from ...errors import type_name
from ...spec_lines import generated_package
from ...tensor import dtypes
from ...tensor.observers import NOT_HANDLED, OpCall, Watcher, watch
from ...tensor.tensor import TensorBase, host_array
from .graph import INPUT, PARAMETER, RESULT, Graph, Operators, Value, operators
from .memory_aliases import Memories
from .program import OnnxExporterError, UnsupportedOperatorError
from .rules_tensors import cast

_FUNCTIONS = (
    *("abs", "all", "any", "bool", "dict", "enumerate", "float", "int", "isinstance", "len", "list", "max", "min"),
    *("range", "reversed", "round", "slice", "sorted", "sum", "tuple", "zip"),
)
_BUILTINS = {name: getattr(builtins, name) for name in _FUNCTIONS}


def arguments_of(entry: Op, function: Callable[..., Any], args: Any, kwargs: Any) -> dict[str, Any]:
    bound = _signature(function).bind(*args, **kwargs)
    bound.apply_defaults()
    spelt_input = re.search(r"\bself\b", entry.schema) is not None
    results = {}
    for name, kind, *_ in entry.arguments:
        own = "self" if name == "input" and spelt_input else name
        results[own] = _plain(kind, bound.arguments[name if name in bound.arguments else own])
    return results


@functools.cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _plain(kind: str, value: Any) -> Any:
    """An argument in the form that its type promises: lists as lists, one number for `int[2]` as two of them."""
    list_match = re.fullmatch(r"(int|float|bool)\[(\d*)\]\??", kind)
    if list_match is None:
        return _number(value) if kind.startswith(("Scalar", "int", "float")) else value
    if isinstance(value, (int, float)):
        return [value] * int(list_match[2] or 1)
    return value if value is None else [_number(each) for each in value]


def _number(value: Any) -> Any:
    return host_array(value).item() if isinstance(value, TensorBase) else value


def tensors_in(values: Any) -> Iterator[Any]:
    for value in values:
        if isinstance(value, TensorBase):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from tensors_in(value)


def read_arguments(entry: Op, arguments: dict[str, Any], memories: Memories) -> dict[str, Any]:
    computed = _computed(entry, arguments)

    def read(name: str, value: Any) -> Any:
        if isinstance(value, TensorBase):
            result = memories.read(value)
            return result if computed is None or _is_strided(entry, name) else _cast(memories, result, computed)
        if isinstance(value, (list, tuple)):
            return [read(name, item) for item in value]
        return value

    return {name: read(name, value) for name, value in arguments.items()}


def _cast(memories: Memories, value: Value, dtype: str) -> Value:
    result: Value = cast(memories.onnx, value, dtype)
    result.shape = value.shape
    return result


def _is_strided(entry: Op, name: str) -> bool:
    """Whether an argument takes no part in promotion: masks and indices."""
    return entry.formulas.get(name) == "non_differentiable"


def _computed(entry: Op, arguments: dict[str, Any]) -> str | None:
    """The dtype that the op computes in; None where its tensors are taken as they are."""
    if isinstance(arguments.get("dtype"), dtypes.dtype) and entry.kind == "kernel":
        return str(arguments["dtype"].name)
    keywords = {name for name, _, _, keyword in entry.arguments if keyword}
    kinds = {("self" if name == "input" else name): kind for name, kind, *_ in entry.arguments}
    parts: list[Any] = []
    for name, value in arguments.items():
        if name not in keywords and not _is_strided(entry, name) and _promotes(kinds.get(name, "Tensor")):
            parts += [value] if isinstance(value, (bool, int, float, complex)) else tensors_in([value])
    tensors = [part for part in parts if isinstance(part, TensorBase)]
    if entry.dtype in ("none", "") or not tensors or entry.kind in ("view", "composite"):
        return None
    if entry.dtype == "same":
        return str(tensors[0]._dtype.name)
    taking = tensors if entry.dtype == "match" and entry.kind != "elementwise" else parts
    return _promoted(entry.dtype, dtypes.result_type(*taking))


def _promotes(kind: str) -> bool:
    return kind.startswith(("Tensor", "Scalar", "Operand")) and not kind.startswith("ScalarType")


def _promoted(rule: str, result: Any) -> str:
    if rule == "float" and not (result.is_floating_point or result.is_complex):
        return str(dtypes.get_default_dtype().name)
    if rule == "accumulate" and not (result.is_floating_point or result.is_complex):
        return "int64"
    return str(result.name)


def translate(graph: Graph, entry: Op, arguments: dict[str, Any], results: list[Any]) -> list[Value | None]:
    onnx = Operators(graph)
    scope = {"__builtins__": {}, **_BUILTINS, "np": np, **_operators(onnx), **_helpers(onnx, entry), **arguments}
    described = [_described(graph, result) for result in results]
    scope["results"] = described
    scope |= {"result": described[0]} if len(described) == 1 else {f"result{i}": d for i, d in enumerate(described)}
    *parts, last = entry.onnx.splitlines()
    for part in parts:
        name, _, expression = part.partition(" = ")
        scope[name] = eval(_compiled(expression), scope)
    value = eval(_compiled(last), scope)
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    assert len(values) == len(results), f"{entry.name}: {len(values)} values of {len(results)} results"
    return [v if v is None else cast(onnx, v, r._dtype.name) for v, r in zip(values, results, strict=True)]


def _described(graph: Graph, result: Any) -> Value:
    return Value(graph, RESULT, result._dtype.name, tuple(result._shape))


@functools.cache
def _compiled(expression: str) -> Any:
    return compile(expression, "<onnx>", "eval")


def _operators(onnx: Operators) -> dict[str, Any]:
    return {name: onnx[name] for name in operators()}


def _helpers(onnx: Operators, entry: Op) -> dict[str, Any]:
    functions = _helper_functions() | _own_functions(generated_package(entry.function.__module__).rpartition(".")[0])
    return {name: functools.partial(function, onnx) for name, function in functions.items()}


@functools.cache
def _own_functions(package: str) -> dict[str, Callable[..., Any]]:
    name = f"{package}.onnx"
    own = package != __name__.partition(".")[0] and package and find_spec(name) is not None
    return _offered(import_module(name)) if own else {}


@functools.cache
def _helper_functions() -> dict[str, Callable[..., Any]]:
    package = import_module(__package__)
    names = [each.name for each in pkgutil.iter_modules(package.__path__) if each.name.startswith("rules_")]
    modules = [import_module(f".{name}", __package__) for name in names]
    return {name: function for module in modules for name, function in _offered(module).items()}


def _offered(module: ModuleType) -> dict[str, Callable[..., Any]]:
    results = {name: each for name, each in vars(module).items() if inspect.isfunction(each) and name[0] != "_"}
    return {name: function for name, function in results.items() if function.__module__ == module.__name__}


_INNERMOST = 100  # autocast and vmap come first: what they call is recorded
_NAME = "onnx.export"
_OWN = Path(__file__).parents[3]  # the folder of the framework's own code


class Recorder:
    """The graph of what one thread computes.

    Args:
        paths: of each module by its identity, for messages and for the names of nodes.
        everything: record what depends on no input too, for it may depend on the sizes of inputs.
    """

    def __init__(self, paths: dict[int, str], everything: bool = False) -> None:
        self.graph = Graph()
        self.memories = Memories(self.graph)
        self.paths = paths
        self.everything = everything
        self.thread = threading.get_ident()
        self.inside = False  # of an op that is recorded itself

    def declare(self, parameters: dict[str, Any], inputs: list[Any]) -> None:
        for tensor in inputs:
            self.memories.declare(tensor, INPUT)
        for name, tensor in parameters.items():
            value = self.memories.declare(tensor, PARAMETER)
            value.name = value.name or name

    @contextmanager
    def watching(self) -> Iterator[None]:
        watch.enter(_NAME, Watcher(intercept=self.intercept, order=_INNERMOST, read=self.read))
        try:
            yield
        finally:
            watch.leave(_NAME)

    def intercept(self, call: OpCall) -> Any:
        if self.inside or threading.get_ident() != self.thread:
            return NOT_HANDLED
        entry = entry_of(call.function.__module__, call.name)
        if entry is None and call.rule == "random":
            raise self._error(call.name, "draws random numbers, which a graph would repeat: call eval() first")
        if entry is None or (not entry.onnx and entry.kind == "composite"):
            return NOT_HANDLED  # what it calls is recorded
        varies = any(map(self.memories.varies, tensors_in((*call.args, *call.kwargs.values()))))
        if not entry.onnx and varies:
            raise self._error(entry.name, "has no 'onnx' in derivatives.yaml", UnsupportedOperatorError)
        return self._record(call, entry) if entry.onnx and (varies or self.everything) else NOT_HANDLED

    def read(self, tensor: Any) -> None:
        """Refuse to give Python numbers that depend on an input: what it does with them would hold for these alone."""
        if not self.inside and threading.get_ident() == self.thread and self.memories.varies(tensor):
            raise self._error("item()", "Python reads numbers that depend on an input, which a graph would fix")

    def _record(self, call: OpCall, entry: Op) -> Any:
        self.graph.op, self.graph.module = entry.name, self.module()
        try:
            arg = arguments_of(entry, call.function, call.args, call.kwargs)
            values = read_arguments(entry, arg, self.memories)
            self.inside = True
            result = call.proceed()
            results = [result] if isinstance(result, TensorBase) else list(result)
            match = translate(self.graph, entry, values, results)
        except (OnnxExporterError, NotImplementedError) as error:
            raise self._error(entry.name, str(error)) from error
        finally:
            self.inside = False
        for tensor, value in zip(results, match, strict=True):
            if value is not None and not value.varies:
                value.data = np.array(host_array(tensor))
            self.memories.put(tensor, value)
        self.memories.alive.append(results)
        return result

    def _error(self, name: str, why: str, kind: type[OnnxExporterError] = OnnxExporterError) -> OnnxExporterError:
        module = self.module()
        where = f" in module '{module}'" if module else ""
        return kind(f"onnx.export(): {name}{where} ({_line()}): {why}")

    def module(self) -> str:
        frame: FrameType | None = sys._getframe(1)
        while frame is not None:
            path = self.paths.get(id(frame.f_locals.get("self")))
            if path is not None:
                return path
            frame = frame.f_back
        return ""


def _line() -> str:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and Path(frame.f_code.co_filename).is_relative_to(_OWN):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else "no line"


def recorded(
    function: Callable[[], Any], inputs: list[Any], parameters: dict[str, Any], paths: dict[int, str], everything: bool
) -> tuple[Graph, list[Any]]:
    """The graph of a function and what it returned, a flat list of tensors.

    Args:
        function: called once.
        inputs: the tensors that vary.
        parameters: tensors by name.
        paths: of modules, by identity.
        everything: record what depends on no input too.

    Raises:
        OnnxExporterError: an op cannot be written in ONNX.
    """
    recorder = Recorder(paths, everything)
    recorder.declare(parameters, inputs)
    with recorder.watching():
        outputs = function()
        for output in outputs:
            if not isinstance(output, TensorBase):
                raise OnnxExporterError(f"onnx.export(): a module's outputs are tensors, not {type_name(output)}")
        recorder.graph.outputs = [recorder.memories.read(output) for output in outputs]
    return recorder.graph, outputs
