"""Arithmetic that gives new tensors, and what each op keeps for its gradient."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .drawn import Drawing
from .dual import BINARY, UNARY, Dual, Refused, Unsuitable, away_from, constant, multiplied, product
from .machine import Machine
from .model import EITHER, RESULT, Cell
from .step import Op

# What the gradient of a function reads: its argument or its result; of the others it reads nothing.
READS = {
    "sin": "self",
    "square": "self",
    "abs": "self",
    "exp": RESULT,
    "tanh": EITHER,
    "sigmoid": EITHER,
    "relu": RESULT,
}


def unary(name: str) -> Op:
    """A function of one tensor."""

    def run(machine: Machine, a: Cell) -> Cell:
        saves = {"self": [a], RESULT: [RESULT], EITHER: [EITHER]}.get(READS.get(name, ""), [])
        return machine.compute(UNARY[name], [a], saves)

    return Op(f"{{0}}.{name}()", Drawing.nothing, run, "new")


def read(name: str, a: Cell, b: Cell) -> tuple[bool, bool]:
    """Whether the gradient of a binary op reads its first and its second operand."""
    if name == "mul":
        return b.requires, a.requires
    return (name == "div" and b.requires) or name == "maximum", name in ("div", "maximum")


def chosen(cells: Sequence[Cell], requested: Sequence[bool]) -> list[Cell]:
    """Those that are wanted."""
    return [cell for cell, yes in zip(cells, requested, strict=True) if yes]


def binary(name: str) -> Op:
    """A function of two tensors that broadcasts."""

    def run(machine: Machine, a: Cell, b: Cell) -> Cell:
        return machine.compute(BINARY[name], [a, b], chosen((a, b), read(name, a, b)))

    return Op(f"torch.{name}({{0}}, {{1}})", Drawing.nothing, run, "new", 2)


def with_number(name: str) -> Op:
    """A function of a tensor and a number."""

    def run(machine: Machine, a: Cell, number: float) -> Cell:
        return machine.compute(lambda x: BINARY[name](x, constant(number, x)), [a], keeps=name in ("mul", "div"))

    return Op(f"torch.{name}({{0}}, {{number}})", Drawing.scalar, run, "new")


def reduced(dual: Dual, dim: int | None, keepdim: bool) -> Dual:
    """The sum over one dimension or all."""
    if not dual.values.ndim:
        return dual
    axis = tuple(range(dual.values.ndim)) if dim is None else (dim % dual.values.ndim,)
    return dual.each(lambda x: x.sum(axis=axis, keepdims=keepdim))


def total(machine: Machine, a: Cell, dim: int | None = None, keepdim: bool = False) -> Cell:
    """The sum."""
    return machine.compute(lambda x: reduced(x, dim, keepdim), [a])


def mean(machine: Machine, a: Cell) -> Cell:
    """The mean."""
    if not a.positions.size:
        raise Unsuitable
    return machine.compute(lambda x: reduced(x, None, False).each(lambda y: y / a.positions.size), [a])


def matmul(machine: Machine, a: Cell, b: Cell) -> Cell:
    """The matrix product."""
    if max(a.positions.ndim, b.positions.ndim) > 2 or (a.positions.ndim == 1 and b.positions.ndim == 2):
        raise Unsuitable  # a vector times a matrix has version 1 in PyTorch
    return machine.compute(product, [a, b], chosen((a, b), read("mul", a, b)))


def running_sum(dual: Dual, dim: int) -> Dual:
    """Sums of all elements up to each."""
    return dual.each(lambda y: np.cumsum(y, dim % dual.values.ndim)) if dual.values.ndim else dual


def softmax(machine: Machine, a: Cell, dim: int) -> Cell:
    """exp(x) / sum exp(x) along a dimension."""
    if not a.positions.size:
        raise Unsuitable

    def function(x: Dual) -> Dual:
        axis = dim % max(x.values.ndim, 1)
        power = x.scaled(np.exp(x.values), np.exp(x.values))
        values = power.values / (power.values.sum(axis, keepdims=True) if x.values.ndim else power.values)
        weighted = values[..., None] * x.derivatives
        sums = weighted.sum(axis, keepdims=True) if x.values.ndim else weighted
        return Dual(values, weighted - values[..., None] * sums)

    return machine.compute(function, [a], [RESULT])


def concatenated(machine: Machine, a: Cell, b: Cell) -> Cell:
    """One after the other."""
    if not a.positions.ndim or a.positions.ndim != b.positions.ndim or a.shape[1:] != b.shape[1:]:
        if (0,) in (a.shape, b.shape) and a.positions.ndim and b.positions.ndim:
            raise Unsuitable  # such a one counts for nothing
        raise Refused
    return machine.compute(lambda x, y: Dual(*map(np.concatenate, zip(x, y, strict=True))), [a, b])


def stacked(machine: Machine, a: Cell, b: Cell) -> Cell:
    """Side by side."""
    if a.shape != b.shape:
        raise Refused
    return machine.compute(lambda x, y: Dual(*map(np.stack, zip(x, y, strict=True))), [a, b])


def halved(machine: Machine, a: Cell, number: float) -> Cell:
    """Half of the elements that are not larger than a number."""

    def function(x: Dual) -> Dual:
        away_from(x.values - number)
        return multiplied(x, constant(np.where(x.values > number, 1.0, 0.5), x))

    return machine.compute(function, [a], keeps=True)


def copy(machine: Machine, a: Cell) -> Cell:
    """The same numbers in memory of its own."""
    return machine.compute(lambda x: x, [a])


ARITHMETIC: dict[str, Op] = {
    **{name: unary(name) for name in UNARY},
    **{name: binary(name) for name in BINARY},
    **{f"{name}.number": with_number(name) for name in BINARY if name != "maximum"},
    "sum": Op("{0}.sum()", Drawing.nothing, total, "new"),
    "sum.dim": Op("{0}.sum({dim}, keepdim={keepdim})", Drawing.reduction, total, "new"),
    "mean": Op("{0}.mean()", Drawing.nothing, mean, "new"),
    "matmul": Op("{0} @ {1}", Drawing.nothing, matmul, "new", 2),
    "cumsum": Op(
        "{0}.cumsum({dim})",
        Drawing.dim,
        lambda m, a, dim: m.compute(lambda x: running_sum(x, dim), [a]),
        "new",
    ),
    "softmax": Op("{0}.softmax({dim})", Drawing.dim, softmax, "new"),
    "cat": Op("torch.cat([{0}, {1}])", Drawing.nothing, concatenated, "new", 2),
    "stack": Op("torch.stack([{0}, {1}])", Drawing.nothing, stacked, "new", 2),
    "where": Op("torch.where({0} > {number}, {0}, {0} * 0.5)", Drawing.scalar, halved, "new"),
    "clone": Op("{0}.clone()", Drawing.nothing, copy, "new"),
}
