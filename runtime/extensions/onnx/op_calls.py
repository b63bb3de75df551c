"""A call of an op in ONNX operators: its arguments as the formula of the entry's key `onnx` takes them."""

from __future__ import annotations

import builtins
import functools
import inspect
import pkgutil
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import numpy as np

from ...dispatch.registry import Op
from ...spec_lines import generated_package
from ...tensor import dtypes
from ...tensor.tensor import TensorBase, host_array
from .graph import RESULT, Graph, Operators, Value
from .memory_aliases import Memories
from .operators import operators
from .rules_common import cast

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
