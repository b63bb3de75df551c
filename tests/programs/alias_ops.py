"""Other faces of the same memory: detached, uncounted, as a leaf, through a custom Function."""

from __future__ import annotations

import numpy as np

from .drawn import Drawing
from .dual import Dual, Refused, Unsuitable
from .machine import Machine
from .model import Cell, Family, Memory
from .step import Op


def data(machine: Machine, source: Cell) -> Cell:
    """The same numbers with a version of their own."""
    return machine.alias(source, Memory(source.memory.numbers, source.memory.in_rows))


def new_leaf(machine: Machine, source: Cell) -> Cell:
    """The same memory as a leaf of its own."""
    found = machine.alias(source, source.memory)
    machine.make_leaf(found)
    return found


def require_grad(machine: Machine, source: Cell) -> None:
    """A constant, or a view of one, becomes a leaf that requires grad; its views follow when it is written to."""
    views = [cell for cell in machine.cells if cell.base is source]
    if source.requires or source.was_own or any(view.own or view.seen != view.memory.version for view in views):
        raise Unsuitable  # PyTorch sees at once that the memory of such views was written to
    machine.make_leaf(source)


def has_views(machine: Machine, source: Cell) -> bool:
    """Whether other tensors lie in the same memory."""
    return any(cell is not source and cell.memory.numbers is source.memory.numbers for cell in machine.cells)


def detached(machine: Machine, source: Cell) -> None:
    """A tensor leaves the graph."""
    if source.base is not None:
        raise Refused
    leave(machine, source)


def leave(machine: Machine, source: Cell) -> None:
    """From now on the tensor is a constant."""
    if has_views(machine, source) or (source.node is not None and source.touched):
        raise Unsuitable  # PyTorch refuses to use a result that was saved and then detached
    source.own, source.node, source.was_own = False, None, source.own
    source.family = Family(np.zeros_like(source.family.derivatives))


def frozen(machine: Machine, source: Cell) -> None:
    """A leaf that does not require grad any longer."""
    if source.node is not None and not source.is_outdated:
        raise Refused
    if source.base is not None:
        raise Unsuitable
    leave(machine, source)


def assign_data(machine: Machine, a: Cell, b: Cell) -> None:
    """Other memory, of any shape, for a leaf or a constant; the count of writes goes on."""
    if a.base is not None or a.node is not None or a.touched or has_views(machine, a):
        raise Unsuitable
    new = machine.root(b.values, in_rows=b.in_rows)
    new.memory.version = a.memory.version
    if a.own:
        machine.make_leaf(new)
    a.memory, a.positions, a.family = new.memory, new.positions, new.family


def hooked(machine: Machine, source: Cell) -> Cell:
    """A copy whose gradient a hook doubles."""
    return machine.compute(lambda x: Dual(x.values, 2 * x.derivatives), [source])


def as_is(machine: Machine, source: Cell) -> Cell:
    """A Function that returns its input and triples the gradient."""
    if not machine.records(source) or source.edge() is None:
        raise Unsuitable
    found = machine.view(source, source.positions, "custom")
    found.factor *= 3
    return found


ALIASES: dict[str, Op] = {
    "detach": Op("{0}.detach()", Drawing.nothing, lambda m, a: m.alias(a, a.memory), "alias"),
    "data": Op("{0}.data", Drawing.nothing, data, "alias"),
    "leaf": Op("{0}.detach().requires_grad_()", Drawing.nothing, new_leaf, "alias"),
    "requires_grad_": Op("{0}.requires_grad_()", Drawing.nothing, require_grad, "alias"),
    "detach_": Op("{0}.detach_()", Drawing.nothing, detached, "alias"),
    "frozen": Op("{0}.requires_grad_(False)", Drawing.nothing, frozen, "alias"),
    "data.set": Op("{0}.data = {1}.detach().clone()", Drawing.nothing, assign_data, "alias", 2),
    "hooked": Op("hooked({0})", Drawing.nothing, hooked, "alias"),
    "as_is": Op("AsIs.apply({0})", Drawing.nothing, as_is, "alias"),
}
