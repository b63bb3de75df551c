"""What the edges of a graph of ONNX operators carry, and the nodes between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

INPUT, PARAMETER, CONSTANT, RESULT = "input", "parameter", "constant", "result"


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

    def __add__(self, other: Any) -> Any:
        return self.graph.add("Add", (self, other), {})

    def __radd__(self, other: Any) -> Any:
        return self.graph.add("Add", (other, self), {})

    def __sub__(self, other: Any) -> Any:
        return self.graph.add("Sub", (self, other), {})

    def __rsub__(self, other: Any) -> Any:
        return self.graph.add("Sub", (other, self), {})

    def __mul__(self, other: Any) -> Any:
        return self.graph.add("Mul", (self, other), {})

    def __rmul__(self, other: Any) -> Any:
        return self.graph.add("Mul", (other, self), {})

    def __truediv__(self, other: Any) -> Any:
        return self.graph.add("Div", (self, other), {})

    def __rtruediv__(self, other: Any) -> Any:
        return self.graph.add("Div", (other, self), {})

    def __pow__(self, other: Any) -> Any:
        return self.graph.add("Pow", (self, other), {})

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
