"""The operators of ONNX, opset 18: the types of their inputs and outputs, and their attributes, read off a table.

A line an operator: `Gemm(A: T, B: T, C?: T; transB: int, alpha: float) -> Y: T`. Inputs with `?` may be left out, `*`
stands for any number; a type is a dtype, or a letter that stands for the same dtype wherever the line has it.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import NamedTuple

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
