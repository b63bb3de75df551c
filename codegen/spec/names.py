"""Operators and the special methods of Python, NumPy's names of parameters, and the operators of ONNX.

A line of onnx_operators.txt: `Gemm(A: T, B: T, C?: T; transB: int, alpha: float) -> Y: T`. Inputs with `?` may be left
out, `*` stands for any number; behind the semicolon are attributes.
"""

import ast
import functools
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from .model import Argument

UNARY = {"neg": ("__neg__",), "abs": ("__abs__",), "~": ("__invert__",), "invert": ("__invert__",)}
BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "r-": "rsub",
    "<<": "lshift",
    ">>": "rshift",
}
REFLECTED = frozenset(BINARY) - {"@", "-", "r-"}  # those that come with the operator; `r-` is an entry's own
FROM_NUMBERS = frozenset(BINARY) - {"@", "r-", "**"}  # ops that take a number before a tensor; `**` has one of its own
COMPARISONS = {"==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
SYMBOLS: dict[type[ast.AST], str] = {  # by the nodes of expressions that stand for them
    **{type(ast.parse(f"a {symbol} b", mode="eval").body.op): symbol for symbol in BINARY if symbol != "r-"},  # type: ignore[attr-defined]
    **{type(ast.parse(f"a {symbol} b", mode="eval").body.ops[0]): symbol for symbol in COMPARISONS},  # type: ignore[attr-defined]
    ast.USub: "neg",
    ast.Invert: "invert",
}


def special_methods(operator: str) -> tuple[str, ...]:
    if operator in BINARY:
        return (f"__{BINARY[operator]}__",)
    return UNARY.get(operator, ()) or ((COMPARISONS[operator],) if operator in COMPARISONS else ())


NUMPY_NAMES = {"dim": "axis", "keepdim": "keepdims"}


def numpy_names(arguments: Sequence[Argument]) -> tuple[tuple[str, str], ...]:
    return tuple((NUMPY_NAMES[a.name], a.name) for a in arguments if a.name in NUMPY_NAMES)


def by_numpy_names(arguments: Sequence[Argument]) -> list[Argument]:
    """What stands for `dim` and `keepdim` where it is given."""
    named = [replace(a, name=NUMPY_NAMES[a.name], default="None") for a in arguments if a.name in NUMPY_NAMES]
    return [replace(a, type=replace(a.type, optional=True), keyword_only=True) for a in named]


def possibly_missing(arguments: Sequence[Argument]) -> list[Argument]:
    """A required `dim`, which may come as `axis`, and what follows get defaults: checks find out what is missing."""
    required = [a.name for a in arguments if not a.keyword_only and a.default is None]
    missing = required[required.index("dim") :] if "dim" in required else []
    return [replace(a, default="None") if a.name in missing else a for a in arguments]


TABLE = Path(__file__).parents[2] / "runtime" / "extensions" / "onnx" / "onnx_operators.txt"
_LINE = re.compile(r"(\w+)\((.*?)(?:; (.*))?\) -> (.*)")


class Operator(NamedTuple):
    fewest: int
    max_args: float
    attributes: tuple[str, ...]


@functools.cache
def operators(path: Path = TABLE) -> dict[str, Operator]:
    results = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        match = _LINE.fullmatch(line)
        assert match is not None, line
        parts = ((match[2]).split(", "), (match[3] or "").split(", "))
        inputs, attributes = ([part.partition(":")[0] for part in each if part] for each in parts)
        needed = [position for position, name in enumerate(inputs, 1) if not name.endswith("?")]
        max_args = math.inf if inputs and inputs[-1].endswith("*") else len(inputs)
        results[match[1]] = Operator(needed[-1] if needed else 0, max_args, tuple(attributes))
    return results


def chooses_by_types(overloads: Sequence[Sequence[Argument]]) -> bool:
    if len({tuple((a.python_name, a.keyword_only) for a in arguments) for arguments in overloads}) > 1:
        return False
    for same in zip(*overloads, strict=True):
        required = {a.type for a in same if a.default is None}
        optional = {a.type for a in same if a.default is not None}
        if required & optional or (required and optional and numpy_names(overloads[0])):
            return False
    return True
