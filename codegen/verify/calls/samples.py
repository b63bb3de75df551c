"""The inputs that `verify` runs an op on: the calls of the spec, or for element-wise ops calls made from the arity.

A call such as `self=T(3, 4), dim=1` is evaluated over its syntax tree, never by `eval`. Random numbers are drawn off
the round numbers, where functions have kinks, and differ between tensors: only `edge_cases` are meant to meet ties.
"""

import ast
import math
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from specgrad.runtime.dispatch.ranks import Ranks
from specgrad.runtime.extensions.simulator.ranks import SimulatedRanks

from ...language.syntax import ARITHMETIC

CELL = 0.05  # width of the grid's cells
GOLDEN = 0.381966  # the steps by which the tensors of one call differ in their place within a cell
ELEMENTWISE_SHAPES = ("3, 1", "4", "2, 1, 1")  # broadcast against each other

CONSTANTS = {"inf": math.inf, "nan": math.nan, "pi": math.pi}


@dataclass(frozen=True)
class SampledArgument:
    """A tensor of a call; `random` tells T(...) from V([...]), `real` those that stay so in any dtype of the others."""

    array: np.ndarray
    random: bool
    real: bool = False


def arguments_of(text: str) -> dict[str, ast.expr]:
    """The expressions of a call by the names of its arguments."""
    call = ast.parse(f"_({text})", mode="eval").body
    assert isinstance(call, ast.Call)
    return {keyword.arg or "": keyword.value for keyword in call.keywords}


class Drawing:
    """Evaluates the arguments of one call; the same op, text and kind of number always give the same tensors."""

    def __init__(self, op: Any, text: str, is_complex: bool, dtypes: Any) -> None:
        self.op = op
        self.is_complex = is_complex
        self.dtypes = dtypes  # the module that defines float32, ...
        self.rng = np.random.default_rng(zlib.crc32(f"{op.name}({text}) {is_complex}".encode()))
        self.tensors = 0
        self.argument = ""

    def arguments(self, text: str) -> dict[str, Any]:
        return {name: self.value(name, tree) for name, tree in arguments_of(text).items()}

    def value(self, argument: str, node: ast.expr) -> Any:
        self.argument = argument
        value = self.evaluate(node)
        type_ = next((t for n, t, *_ in self.op.arguments if n == ("input" if argument == "self" else argument)), "")
        return value * (1 + 0.5j) if self.is_complex and type_ == "Scalar" and isinstance(value, float) else value

    def evaluate(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return CONSTANTS[name] if name in CONSTANTS else getattr(self.dtypes, name)
            case ast.List(elts=items):
                return [self.evaluate(item) for item in items]
            case ast.Tuple(elts=items):
                return tuple(self.evaluate(item) for item in items)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.evaluate(operand)
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in ARITHMETIC:
                return ARITHMETIC[type(sign)](self.evaluate(left), self.evaluate(right))
            case ast.Call(func=ast.Name(id=maker), args=args, keywords=keywords):
                named = {k.arg or "": self.evaluate(k.value) for k in keywords}
                return getattr(self, f"make_{maker.lower()}")(*(self.evaluate(a) for a in args), **named)
        raise ValueError(f"{ast.unparse(node)} cannot stand in a sample")

    def make_t(self, *shape: int, lo: float | None = None, hi: float | None = None) -> SampledArgument:
        first, last = self.op.domain.get(self.argument, (-2.0, 2.0))
        first, last = first if lo is None else lo, last if hi is None else hi
        self.tensors += 1
        array = self.numbers(shape, first, max(last, first + 1.0) if hi is None else last)
        if self.is_complex:
            array = np.asarray(array + 1j * self.numbers(shape, first, last))
        return SampledArgument(array, random=True)

    def numbers(self, shape: tuple[int, ...], lo: float, hi: float) -> np.ndarray:
        """Numbers off the multiples of CELL, no two alike where there are cells enough."""
        count, cells = math.prod(shape), max(int((hi - lo) / CELL), 1)
        chosen = self.rng.choice(cells, count, replace=count > cells)
        fraction = 0.1 + 0.8 * ((self.tensors * GOLDEN) % 1.0) + self.rng.uniform(-0.02, 0.02, count)
        return np.asarray(lo + (chosen + fraction) * CELL).reshape(shape)

    def make_i(self, *shape: int, high: int = 5) -> SampledArgument:
        return SampledArgument(np.asarray(self.rng.integers(0, high, shape)), random=True)

    def make_b(self, *shape: int) -> SampledArgument:
        return SampledArgument(np.asarray(self.rng.random(shape) < 0.5), random=True)

    def make_ranks(self, count: int) -> Ranks:
        return SimulatedRanks(count)

    def make_v(self, content: Any, real: bool = False) -> SampledArgument:
        array = np.array(content)
        if array.size == 0:
            array = array.astype(np.float64)
        complex_values = self.is_complex and array.dtype.kind == "f" and not real
        return SampledArgument(array.astype(np.complex128) if complex_values else array, random=False, real=real)


def in_domain(op: Any, name: str, numbers: Iterable[Any]) -> list[Any]:
    """The numbers that an argument may be by the key `domain`; the center of its interval where none is."""
    numbers = list(numbers)
    if name not in op.domain or not numbers:
        return numbers
    low, high = op.domain[name]
    center = (low + high) / 2
    return [v for v in numbers if low <= v <= high] or [math.floor(center) if isinstance(numbers[0], int) else center]


def types_of(op: Any) -> dict[str, str]:
    return {"self" if name == "input" else name: type_ for name, type_, *_ in op.arguments}


def sample_calls(op: Any) -> tuple[str, ...]:
    return op.samples if op.samples or op.kind != "elementwise" else generated_calls(op)


def generated_calls(op: Any, full: str = "3, 4") -> tuple[str, ...]:
    names = [("self" if n == "input" else n) for n, type_, *_ in op.arguments if type_ in ("Tensor", "Operand")]
    maker = "T({})" if {"float", "complex"} & set(op.dtypes) else "I({})"
    shapes = [[full] * len(names), [""] * len(names), ["2, 0"] * len(names)]
    if len(names) > 1:
        shapes += [[ELEMENTWISE_SHAPES[i % 3] for i in range(len(names))]]
    pairs = [zip(names, each, strict=True) for each in shapes]
    return tuple(", ".join(f"{name}={maker.format(shape)}" for name, shape in each) for each in pairs)


def points(op: Any) -> Iterator[tuple[str, bool, bool]]:
    for is_complex in (False, True) if op.complex and "complex" in op.dtypes else (False,):
        if is_complex or {"float", "int", "bool"} & set(op.dtypes):
            yield from ((text, False, is_complex) for text in sample_calls(op))
            yield from ((text, True, is_complex) for text in op.hard)
