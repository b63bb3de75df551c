"""The arithmetic of the language: each op once, with its in-place form, and what either keeps for its gradient."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .drawn import Drawing
from .dual import BINARY, UNARY, Dual, Refused, Unsuitable, away_from, clamped, constant, multiplied, product
from .machine import Machine
from .model import RESULT, Cell, shares
from .steps import Op

KEPT = {
    "sin": "self",
    "square": "self",
    "abs": "self",
    "tanh": RESULT,
    "exp": RESULT,
    "sigmoid": RESULT,
    "relu": RESULT,
}


def unary(name: str) -> Op:
    """A function of one tensor."""
    function, kept = UNARY[name], KEPT.get(name)

    def run(machine: Machine, a: Cell) -> Cell:
        return machine.compute(function, [a], {"self": [a], RESULT: [RESULT]}.get(kept, []))

    return Op(f"{{0}}.{name}()", Drawing.nothing, run, "new")


def unary_(name: str) -> Op:
    """The same in place; an old value that the gradient needs is copied."""
    function, kept = UNARY[name], KEPT.get(name)

    def run(machine: Machine, a: Cell) -> None:
        machine.write(a, function, saves=[RESULT] if kept == RESULT else [], keeps=kept == "self")

    return Op(f"{{0}}.{name}_()", Drawing.nothing, run, "write")


def needed(name: str, a: Cell, b: Cell) -> tuple[bool, bool]:
    """Whether the gradient of a binary op reads its first and its second operand."""
    if name == "mul":
        return b.requires, a.requires
    return (name == "div" and b.requires) or name == "maximum", name in ("div", "maximum")


def binary(name: str) -> Op:
    """A function of two tensors that broadcasts."""

    def run(machine: Machine, a: Cell, b: Cell) -> Cell:
        saves = [cell for cell, yes in zip((a, b), needed(name, a, b), strict=True) if yes]
        return machine.compute(BINARY[name], [a, b], saves)

    return Op(f"torch.{name}({{0}}, {{1}})", Drawing.nothing, run, "new", 2)


def binary_(name: str) -> Op:
    """The same in place."""

    def run(machine: Machine, a: Cell, b: Cell) -> None:
        first, second = needed(name, a, b)
        machine.write(a, BINARY[name], [b], [b] if second else [], keeps=first)

    return Op(f"{{0}}.{name}_({{1}})", Drawing.nothing, run, "write", 2)


def with_number(name: str) -> Op:
    """A tensor and a number."""

    def run(machine: Machine, a: Cell, number: float) -> Cell:
        return machine.compute(lambda x: BINARY[name](x, constant(number, x)), [a], keeps=name in ("mul", "div"))

    return Op(f"torch.{name}({{0}}, {{number}})", Drawing.scalar, run, "new")


def with_number_(name: str) -> Op:
    """The same in place."""

    def run(machine: Machine, a: Cell, number: float) -> None:
        machine.write(a, lambda x: BINARY[name](x, constant(number, x)), keeps=name in ("mul", "div"))

    return Op(f"{{0}}.{name}_({{number}})", Drawing.scalar, run, "write")


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
    if not a.places.size:
        raise Unsuitable
    return machine.compute(lambda x: reduced(x, None, False).each(lambda y: y / a.places.size), [a])


def matmul(machine: Machine, a: Cell, b: Cell) -> Cell:
    """The matrix product."""
    if max(a.places.ndim, b.places.ndim) > 2 or (a.places.ndim == 1 and b.places.ndim == 2):
        raise Unsuitable  # a vector times a matrix has version 1 in PyTorch
    saves = [cell for cell, yes in zip((a, b), needed("mul", a, b), strict=True) if yes]
    return machine.compute(product, [a, b], saves)


def cumulated(machine: Machine, a: Cell, dim: int) -> Cell:
    """The running sum."""
    return machine.compute(lambda x: x.each(lambda y: np.cumsum(y, dim % x.values.ndim)) if x.values.ndim else x, [a])


def joined(machine: Machine, a: Cell, b: Cell) -> Cell:
    """One after the other."""
    if not a.places.ndim or a.places.ndim != b.places.ndim or a.shape[1:] != b.shape[1:]:
        if (0,) in (a.shape, b.shape) and a.places.ndim and b.places.ndim:
            raise Unsuitable
        raise Refused
    return machine.compute(lambda x, y: Dual(*map(np.concatenate, zip(x, y, strict=True))), [a, b])


def chosen(machine: Machine, a: Cell, number: float) -> Cell:
    """Where elements are larger than a number, half of them."""

    def function(x: Dual) -> Dual:
        away_from(x.values - number)
        return multiplied(x, constant(np.where(x.values > number, 1.0, 0.5), x))

    return machine.compute(function, [a], keeps=True)


def copied(machine: Machine, a: Cell, b: Cell) -> None:
    """Another tensor's elements."""
    if a.repeats() and shares(a, b):
        raise Unsuitable  # PyTorch does nothing where it is the same tensor
    machine.write(a, lambda old, new: spread(new, old.shape), [b])


def spread(dual: Dual, shape: Sequence[int]) -> Dual:
    """Broadcast to a shape, or refuse."""
    try:
        return dual.spread(tuple(shape))
    except ValueError:
        raise Refused from None


def filled(machine: Machine, a: Cell, number: float) -> None:
    """The same number everywhere."""
    machine.write(a, lambda old: constant(np.full(old.shape, number), old), one_value=True)


def zeroed(machine: Machine, a: Cell) -> None:
    """Zeros."""
    filled(machine, a, 0.0)


def filled_by(machine: Machine, a: Cell, b: Cell) -> None:
    """The number of a tensor of no dimensions everywhere."""
    if b.places.ndim:
        raise Refused
    if a.repeats():
        raise Unsuitable  # PyTorch counts the gradient as often as the number is written
    machine.write(a, lambda old, new: new.spread(old.shape), [b], one_value=True, share="anyhow")


def masked(machine: Machine, a: Cell, number: float) -> None:
    """A number where elements are larger than another."""
    if a.repeats():
        raise Unsuitable

    def function(old: Dual) -> Dual:
        away_from(old.values - number)
        return old.scaled(np.where(old.values > number, -number, old.values), old.values <= number)

    machine.write(a, function, keeps=True)


def clamped_(machine: Machine, a: Cell, number: float) -> None:
    """Cut off on both sides."""
    machine.write(a, lambda old: clamped(old, -abs(number), abs(number)), keeps=True)


def added_product(machine: Machine, a: Cell, b: Cell, c: Cell) -> None:
    """a + 2 b c in place."""
    saves = [cell for cell, yes in ((b, c.requires), (c, b.requires)) if yes]
    machine.write(a, lambda x, y, z: BINARY["add"](x, multiplied(constant(2.0, x), multiplied(y, z))), [b, c], saves)


def out(machine: Machine, a: Cell, b: Cell, c: Cell) -> None:
    """b + c into a, which nothing may be differentiating."""
    if machine.records(a, b, c):
        raise Refused
    found = BINARY["add"](b.dual(), c.dual())
    if found.shape != a.shape:
        raise Unsuitable  # resized, with a warning
    machine.write(a, lambda *_: found, [b, c])


ARITHMETIC: dict[str, Op] = {
    **{name: unary(name) for name in UNARY},
    **{f"{name}_": unary_(name) for name in UNARY},
    **{name: binary(name) for name in BINARY},
    **{f"{name}_": binary_(name) for name in BINARY if name != "maximum"},
    **{f"{name}.number": with_number(name) for name in BINARY if name != "maximum"},
    **{f"{name}_.number": with_number_(name) for name in BINARY if name != "maximum"},
    "sum": Op("{0}.sum()", Drawing.nothing, total, "new"),
    "sum.dim": Op("{0}.sum({dim}, keepdim={keepdim})", Drawing.reduction, total, "new"),
    "mean": Op("{0}.mean()", Drawing.nothing, mean, "new"),
    "matmul": Op("{0} @ {1}", Drawing.nothing, matmul, "new", 2),
    "cumsum": Op("{0}.cumsum({dim})", Drawing.dim, cumulated, "new"),
    "cat": Op("torch.cat([{0}, {1}])", Drawing.nothing, joined, "new", 2),
    "where": Op("torch.where({0} > {number}, {0}, {0} * 0.5)", Drawing.scalar, chosen, "new"),
    "clone": Op("{0}.clone()", Drawing.nothing, lambda m, a: m.compute(lambda x: x, [a]), "new"),
    "copy_": Op("{0}.copy_({1})", Drawing.nothing, copied, "write", 2),
    "fill_": Op("{0}.fill_({number})", Drawing.scalar, filled, "write"),
    "fill_.tensor": Op("{0}.fill_({1})", Drawing.nothing, filled_by, "write", 2),
    "zero_": Op("{0}.zero_()", Drawing.nothing, zeroed, "write"),
    "masked_fill_": Op("{0}.masked_fill_({0} > {number}, -{number})", Drawing.positive, masked, "write"),
    "clamp_": Op("{0}.clamp_(-{number}, {number})", Drawing.positive, clamped_, "write"),
    "addcmul_": Op("{0}.addcmul_({1}, {2}, value=2)", Drawing.nothing, added_product, "write", 3),
    "out": Op("torch.add({1}, {2}, out={0})", Drawing.nothing, out, "write", 3),
}
