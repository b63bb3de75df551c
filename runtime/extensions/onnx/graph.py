"""A graph of ONNX operators while it is made: its nodes, the values between them, and numbers that become constants of
the dtype that an operator takes there.
"""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

OPSET = 18  # whose operators the table has
NEWEST_OPSET = 23  # up to which they mean the same where formulas use them
_LINE = re.compile(r"(\w+)\((.*?)(?:; (.*))?\) -> (.*)")
_DTYPES = {"float": "float32", "double": "float64"}  # ONNX's words, where they are others
NUMBERS = {  # of dtypes, in files and in attributes
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
    "complex64": 14,
    "complex128": 15,
    "bfloat16": 16,
}


class Parameter(NamedTuple):
    """An input, an output or an attribute: its name, `?` or `*` or nothing, and its type."""

    name: str
    mark: str
    type: str


class Operator(NamedTuple):
    name: str
    inputs: tuple[Parameter, ...]
    attributes: dict[str, str]
    outputs: tuple[Parameter, ...]

    def input(self, position: int) -> Parameter:
        return self.inputs[min(position, len(self.inputs) - 1)]


@functools.cache
def operators() -> dict[str, Operator]:
    text = Path(__file__).with_name("onnx_operators.txt").read_text(encoding="utf-8")
    return {operator.name: operator for operator in map(_operator, text.splitlines())}


def _operator(line: str) -> Operator:
    match = _LINE.fullmatch(line)
    assert match is not None, line
    attributes = dict(part.split(": ") for part in match[3].split(", ")) if match[3] else {}
    return Operator(match[1], _parameters(match[2]), attributes, _parameters(match[4]))


def _parameters(text: str) -> tuple[Parameter, ...]:
    matches = []
    for part in filter(None, text.split(", ")):
        name, _, kind = part.partition(": ")
        mark = name[-1] if name[-1] in "?*" else ""
        matches.append(Parameter(name.removesuffix(mark), mark, _DTYPES.get(kind, kind)))
    return tuple(matches)


INPUT, PARAMETER, CONSTANT, RESULT = "input", "parameter", "constant", "result"


def _binary(operator: str) -> Any:
    return lambda left, right: left.graph.add(operator, (left, right), {})


def _reflected(operator: str) -> Any:
    return lambda right, left: right.graph.add(operator, (left, right), {})


class Value:
    """What flows along an edge: an input, a parameter, a constant, or what a node gives.

    `dtype` is a dtype's name, `shape` what it was while recording, None inside of a formula. `data` is an array: of a
    parameter or constant, and of a result that depends on no input. Arithmetic on values gives nodes.
    """

    __slots__ = ("data", "dtype", "graph", "kind", "name", "shape", "varies")

    def __init__(self, graph: Any, kind: str, dtype: str, shape: tuple[int, ...] | None = None) -> None:
        self.graph, self.kind, self.dtype, self.shape = graph, kind, dtype, shape
        self.name = ""
        self.data: Any = None
        self.varies = kind == INPUT  # whether it depends on an input

    @property
    def ndim(self) -> int:
        assert self.shape is not None
        return len(self.shape)

    @property
    def is_float(self) -> bool:
        return "float" in self.dtype

    __add__, __sub__, __mul__, __truediv__, __pow__ = map(_binary, ("Add", "Sub", "Mul", "Div", "Pow"))
    __radd__, __rsub__, __rmul__, __rtruediv__ = map(_reflected, ("Add", "Sub", "Mul", "Div"))

    def __neg__(self) -> Any:
        return self.graph.add("Neg", (self,), {})

    def __repr__(self) -> str:
        return f"{self.kind} {self.name} {self.dtype}{list(self.shape or ())}"


@dataclass(eq=False)
class Node:
    """One call of an operator; None stands for an input that is left out."""

    operator: str
    inputs: list[Value | None]
    attributes: dict[str, Any]
    outputs: list[Value]
    op: str = ""  # the entry that it was recorded of
    module: str = ""  # the path of the module that called it


_NAMES = {number: name for name, number in NUMBERS.items()}


@dataclass(eq=False)
class Graph:
    """Nodes in the order in which they compute, with inputs, parameters and outputs."""

    nodes: list[Node] = field(default_factory=list)
    inputs: list[Value] = field(default_factory=list)
    parameters: list[Value] = field(default_factory=list)
    outputs: list[Value] = field(default_factory=list)
    op: str = ""  # the entry that is being recorded
    module: str = ""

    def add(self, name: str, inputs: tuple[Any, ...], attributes: dict[str, Any], count: int = 0) -> Any:
        """Add a node; its output, or a tuple of them.

        Args:
            name: the operator.
            inputs: values, numbers, lists of numbers, arrays, or None for one that is left out.
            attributes: by name; None for one that is left out.
            count: how many outputs there are, where the operator has any number.
        """
        operator = operators()[name]
        types = _bound(operator, inputs)
        values = [self._value(each, operator.input(position).type, types) for position, each in enumerate(inputs)]
        while values and values[-1] is None:
            values.pop()
        arguments = {key: _attribute(operator.attributes[key], v) for key, v in attributes.items() if v is not None}
        kinds = [output.type for output in operator.outputs] * (count or 1)
        outputs = [Value(self, RESULT, _dtype(kind, types, arguments)) for kind in kinds]
        for output in outputs:
            output.varies = any(value is not None and value.varies for value in values)
        self.nodes.append(Node(name, values, arguments, outputs, self.op, self.module))
        return outputs[0] if len(outputs) == 1 and not count else tuple(outputs)

    def _value(self, value: Any, kind: str, types: dict[str, str]) -> Value | None:
        if value is None or isinstance(value, Value):
            return value
        array = np.asarray(value)
        dtype = types.get(kind, kind)
        if dtype not in NUMBERS:  # nothing says what it is but itself
            kinds = {} if isinstance(value, np.ndarray) else {"f": "float32", "i": "int64"}
            dtype = types[kind] = kinds.get(array.dtype.kind, array.dtype.name)
        return self.constant(as_dtype(array, dtype))

    def constant(self, data: Any) -> Value:
        array = np.array(data)
        value = Value(self, CONSTANT, array.dtype.name, array.shape)
        value.data = array
        return value

    def read(self) -> Iterator[Value]:
        for node in self.nodes:
            yield from (value for value in node.inputs if value is not None)
        yield from self.outputs

    def used(self) -> Iterator[Value]:
        seen = set[int]()
        for value in self.read():
            if value.kind in (PARAMETER, CONSTANT) and id(value) not in seen:
                seen.add(id(value))
                yield value

    def prune(self) -> None:
        requested = {id(value) for value in self.outputs}
        retained = []
        for node in reversed(self.nodes):
            if any(id(output) in requested for output in node.outputs):
                retained.append(node)
                requested |= {id(value) for value in node.inputs}
        self.nodes = retained[::-1]

    def replace(self, old: dict[Value, Value]) -> None:
        for node in self.nodes:
            node.inputs = [value if value is None else old.get(value, value) for value in node.inputs]
        self.outputs = [old.get(value, value) for value in self.outputs]


class Operators:
    """The operators of a graph: `onnx.Relu(x)` adds a node and gives its output, of several outputs a tuple."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __getattr__(self, name: str) -> Any:
        return self[name]

    def __getitem__(self, name: str) -> Any:
        return lambda *inputs, **attributes: self._graph.add(name, inputs, attributes)


def _bound(operator: Operator, inputs: tuple[Any, ...]) -> dict[str, str]:
    """What the letters of a line stand for in a call: the dtypes of the values, else of the arrays."""
    types: dict[str, str] = {}
    for position, value in enumerate(inputs):
        if isinstance(value, Value):
            types.setdefault(operator.input(position).type, value.dtype)
    for position, value in enumerate(inputs):
        if isinstance(value, np.ndarray):
            types.setdefault(operator.input(position).type, value.dtype.name)
    return types


def as_dtype(array: Any, name: str) -> Any:
    """An array in a dtype by its name; numbers that it cannot hold become those nearest to them."""
    if name == "bfloat16":
        import ml_dtypes

        return array.astype(ml_dtypes.bfloat16)
    target = np.dtype(name)
    if target.kind in "iu" and array.dtype.kind == "f":
        limits = np.iinfo(target)
        array = np.clip(array, float(limits.min), float(limits.max))
    return array.astype(target)


def _attribute(kind: str, value: Any) -> Any:
    if kind == "ints":
        return [int(each) for each in value]
    if kind == "floats":
        return [float(each) for each in value]
    return {"int": int, "float": float}.get(kind, lambda each: each)(value)


def _dtype(kind: str, types: dict[str, str], attributes: dict[str, Any]) -> str:
    """The dtype of an output: what its letter stands for; else an attribute says it, or it has indices."""
    if kind in types or kind in NUMBERS:
        return types.get(kind, kind)
    number = attributes.get("to", attributes.get("dtype"))
    if number is not None:
        return _NAMES[number]
    return str(attributes["value"].dtype.name) if "value" in attributes else "int64"
