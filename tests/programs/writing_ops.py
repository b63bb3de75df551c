"""Arithmetic in place, copies and fills, and `out=`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .arithmetic_ops import READS, chosen, read, running_sum
from .drawn import Drawing
from .dual import BINARY, UNARY, Dual, Refused, Unsuitable, added, away_from, clamped, constant, multiplied, subtracted
from .machine import Machine
from .model import EITHER, RESULT, Cell, shares
from .step import Op


def unary_(name: str) -> Op:
    """A function of one tensor; an old value that the gradient reads is copied."""
    reads = READS.get(name)

    def run(machine: Machine, a: Cell) -> None:
        machine.write(a, UNARY[name], saves=[RESULT] if reads in (RESULT, EITHER) else [], keeps=reads == "self")

    return Op(f"{{0}}.{name}_()", Drawing.nothing, run, "write")


def binary_(name: str, text: str = "{{0}}.{name}_({{1}})") -> Op:
    """A function of two tensors, the second of which broadcasts."""

    def run(machine: Machine, a: Cell, b: Cell) -> None:
        first, second = read(name, a, b)
        machine.write(a, BINARY[name], [b], [b] if second else [], keeps=first)

    return Op(text.format(name=name), Drawing.nothing, run, "write", 2)


def with_number_(name: str) -> Op:
    """A function of a tensor and a number."""

    def run(machine: Machine, a: Cell, number: float) -> None:
        machine.write(a, lambda x: BINARY[name](x, constant(number, x)), keeps=name in ("mul", "div"))

    return Op(f"{{0}}.{name}_({{number}})", Drawing.scalar, run, "write")


def expanded(dual: Dual, shape: Sequence[int]) -> Dual:
    """Broadcast to a shape, or refuse."""
    try:
        return dual.expanded(tuple(shape))
    except ValueError:
        raise Refused from None


def copied(machine: Machine, a: Cell, b: Cell) -> None:
    """Another tensor's elements."""
    if a.repeats() and shares(a, b):
        raise Unsuitable  # PyTorch does nothing where it is the same tensor
    machine.write(a, lambda old, new: expanded(new, old.shape), [b])


def filled(machine: Machine, a: Cell, number: float) -> None:
    """The same number everywhere."""
    machine.write(a, lambda old: constant(np.full(old.shape, number), old), replaces=True)


def filled_by(machine: Machine, a: Cell, b: Cell) -> None:
    """The number of a tensor of no dimensions everywhere."""
    if b.positions.ndim:
        raise Refused
    machine.write(a, lambda old, new: new.expanded(old.shape), [b], share="overlap")


def masked(machine: Machine, a: Cell, number: float) -> None:
    """A number where elements are larger than another."""

    def function(old: Dual) -> Dual:
        away_from(old.values - number)
        return old.scaled(np.where(old.values > number, -number, old.values), old.values <= number)

    machine.write(a, function, keeps=True, replaces=True)


def checked_fill(machine: Machine, a: Cell, number: float, period: int) -> None:
    """A number in every so many-th element of an arange, in row order: also where elements share a place."""
    mask = np.arange(a.positions.size).reshape(a.shape) % period == 0

    def function(old: Dual) -> Dual:
        return old.scaled(np.where(mask, number, old.values), ~mask)

    machine.write(a, function, keeps=True, replaces=True)


def clamped_(machine: Machine, a: Cell, number: float) -> None:
    """Cut off on both sides."""
    machine.write(a, lambda old: clamped(old, -number, number), keeps=True)


def added_product(machine: Machine, a: Cell, b: Cell, c: Cell) -> None:
    """a + 2 b c."""
    saves = chosen((b, c), (c.requires, b.requires))
    machine.write(a, lambda x, y, z: added(x, multiplied(constant(2.0, x), multiplied(y, z))), [b, c], saves)


def interpolated(machine: Machine, a: Cell, b: Cell) -> None:
    """a + (b - a) / 4."""
    machine.write(a, lambda x, y: added(x, multiplied(constant(0.25, x), subtracted(y, x))), [b])


def out(machine: Machine, a: Cell, b: Cell, c: Cell) -> None:
    """b + c into a, which nothing may be differentiating."""
    if machine.records(a, b, c):
        raise Refused
    found = added(b.dual(), c.dual())
    if found.shape != a.shape:
        raise Unsuitable  # it is resized, with a warning
    machine.write(a, lambda *_: found, [b, c])


WRITING: dict[str, Op] = {
    **{f"{name}_": unary_(name) for name in UNARY},
    **{f"{name}_": binary_(name) for name in BINARY if name != "maximum"},
    **{f"{name}_.number": with_number_(name) for name in BINARY if name != "maximum"},
    "iadd": binary_("add", "{{0}} += {{1}}"),
    "imul": binary_("mul", "{{0}} *= {{1}}"),
    "cumsum_": Op(
        "{0}.cumsum_({dim})",
        Drawing.dim,
        lambda m, a, dim: m.write(a, lambda x: running_sum(x, dim)),
        "write",
    ),
    "copy_": Op("{0}.copy_({1})", Drawing.nothing, copied, "write", 2),
    "fill_": Op("{0}.fill_({number})", Drawing.scalar, filled, "write"),
    "fill_.tensor": Op("{0}.fill_({1})", Drawing.nothing, filled_by, "write", 2),
    "zero_": Op("{0}.zero_()", Drawing.nothing, lambda m, a: filled(m, a, 0.0), "write"),
    "masked_fill_": Op("{0}.masked_fill_({0} > {number}, -{number})", Drawing.positive, masked, "write"),
    "masked_fill_.apart": Op(
        "{0}.masked_fill_(torch.arange({0}.numel()).view({0}.shape) % {period} == 0, {number})",
        lambda d, a: d.scalar(a) | {"period": d.number(1, 3)},
        checked_fill,
        "write",
    ),
    "clamp_": Op("{0}.clamp_(-{number}, {number})", Drawing.positive, clamped_, "write"),
    "addcmul_": Op("{0}.addcmul_({1}, {2}, value=2)", Drawing.nothing, added_product, "write", 3),
    "lerp_": Op("{0}.lerp_({1}, 0.25)", Drawing.nothing, interpolated, "write", 2),
    "out": Op("torch.add({1}, {2}, out={0})", Drawing.nothing, out, "write", 3),
}
