"""Reading and writing by index tensors and masks, and assignments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .drawn import Drawing
from .dual import Array, Dual, Unsuitable, away_from, constant
from .machine import Machine
from .model import Cell, shares
from .step import Op
from .view_ops import by_key
from .writing_ops import expanded, masked


def at(array: Array, key: str) -> Array:
    """What NumPy makes of an index with a list in it."""
    return eval(f"array[{key}]", {"array": array})


def indexed(machine: Machine, a: Cell, key: str) -> Cell:
    """Elements by a list of indices."""
    return machine.compute(lambda x: x.each(lambda y: at(y, key)), [a], keeps=True)


def selected(machine: Machine, a: Cell, number: float) -> Cell:
    """The elements larger than a number."""

    def function(x: Dual) -> Dual:
        away_from(x.values - number)
        return x.each(lambda y: y[x.values > number])

    return machine.compute(function, [a], keeps=True)


def put(old: Dual, key: str, new: Dual) -> Dual:
    """An array with some elements replaced."""
    values, derivatives = old.values.copy(), old.derivatives.copy()
    positions = at(np.arange(values.size).reshape(values.shape), key)
    found = expanded(new, positions.shape)
    values.reshape(-1)[positions] = found.values
    derivatives.reshape(-1, derivatives.shape[-1])[positions] = found.derivatives
    return Dual(values, derivatives)


def assign_list(machine: Machine, a: Cell, b: Cell, key: str) -> None:
    """x[[1, 0]] = y."""
    if a.repeats():
        raise Unsuitable
    value = without_leading_ones(machine, b, at(a.positions, key).ndim)
    machine.write(a, lambda old, new: put(old, key, new), [value], keeps=True, share="none")


def assign_number(machine: Machine, a: Cell, key: str, number: float) -> None:
    """x[[1, 0]] = 2.0."""
    machine.write(a, lambda old: put(old, key, constant(number, old)), keeps=True, replaces=True)


def filled_rows(machine: Machine, a: Cell, indices: list[int], number: float) -> None:
    """index_fill_: a number in the rows of the given numbers."""
    assign_number(machine, a, f"{indices}", number)


def without_leading_ones(machine: Machine, cell: Cell, rank: int) -> Cell:
    """A view without dimensions that a value has in front and its target has not."""
    shape = list(cell.shape)
    while len(shape) > rank and shape[0] == 1:
        del shape[0]
    return cell if len(shape) == len(cell.shape) else machine.view(cell, cell.positions.reshape(shape))


def part(machine: Machine, a: Cell, key: str) -> Cell:
    """What an assignment writes to: a view, or the tensor itself if the key leaves nothing out."""
    positions = by_key(a.positions, key)
    same = positions.shape == a.shape and "None" not in key and (positions == a.positions).all()
    if same and (not positions.size or ":2" in key):
        raise Unsuitable  # libraries may make a view of all elements, or none
    return a if same else machine.view(a, positions)


def assign(machine: Machine, a: Cell, b: Cell, key: str) -> None:
    """x[0, 1:] = y."""
    target = part(machine, a, key)
    value = without_leading_ones(machine, b, target.positions.ndim)
    if shares(value, target) and (value.shape != target.shape or target.repeats()):
        raise Unsuitable  # what is read then depends on the order of writing
    machine.write(target, lambda old, new: expanded(new, old.shape), [value])


def assign_scalar(machine: Machine, a: Cell, key: str, number: float) -> None:
    """x[0, 1:] = 2.0."""
    target = part(machine, a, key)
    machine.write(target, lambda old: constant(np.full(old.shape, number), old))


def accumulate(
    machine: Machine, a: Cell, b: Cell, indices: list[int], doubts: Sequence[Cell] = (), keeps: bool = True
) -> None:
    """index_put_ that adds, also several times at one place."""
    if a.repeats():
        raise Unsuitable

    def function(old: Dual, new: Dual) -> Dual:
        found = expanded(new, (len(indices), *old.shape[1:]))
        values, derivatives = old.values.copy(), old.derivatives.copy()
        np.add.at(values, indices, found.values)
        np.add.at(derivatives, indices, found.derivatives)
        return Dual(values, derivatives)

    machine.write(a, function, [b], keeps=keeps, share="none", doubts=doubts)


def added_rows(machine: Machine, a: Cell, b: Cell, indices: list[int]) -> None:
    """index_add_: rows added to the rows of the given numbers, which are kept for the gradient of these alone."""
    if a.repeats() or b.shape != (len(indices), *a.shape[1:]):
        raise Unsuitable
    accumulate(machine, a, b, indices, [b] if b.requires else [], keeps=b.requires)


def rows_and_number(drawing: Drawing, cell: Cell) -> dict[str, Any]:
    """Indices of the first dimension and a number."""
    return drawing.indices(cell) | drawing.scalar()


def key_and_number(drawing: Drawing, cell: Cell) -> dict[str, Any]:
    """A basic index and a number."""
    return drawing.key(cell) | drawing.scalar()


def list_and_number(drawing: Drawing, cell: Cell) -> dict[str, Any]:
    """A list of indices and a number."""
    return drawing.list_key(cell) | drawing.scalar()


INDEXING: dict[str, Op] = {
    "index": Op("{0}[{key}]", Drawing.list_key, indexed, "new"),
    "mask": Op("{0}[{0} > {number}]", Drawing.scalar, selected, "new"),
    "assign": Op("{0}[{key}] = {1}", lambda d, a, b: d.key(a), assign, "write", 2),
    "assign.number": Op("{0}[{key}] = {number}", key_and_number, assign_scalar, "write"),
    "assign.list": Op("{0}[{key}] = {1}", lambda d, a, b: d.list_key(a), assign_list, "write", 2),
    "assign.list.number": Op("{0}[{key}] = {number}", list_and_number, assign_number, "write"),
    "assign.mask": Op("{0}[{0} > {number}] = -{number}", Drawing.positive, masked, "write"),
    "index_add_": Op(
        "{0}.index_add_(0, torch.tensor({indices}), {1})",
        lambda d, a, b: d.indices(a),
        added_rows,
        "write",
        2,
    ),
    "index_fill_": Op("{0}.index_fill_(0, torch.tensor({indices}), {number})", rows_and_number, filled_rows, "write"),
    "index_put_": Op(
        "{0}.index_put_((torch.tensor({indices}),), {1}, accumulate=True)",
        lambda d, a, b: d.indices(a),
        accumulate,
        "write",
        2,
    ),
}
