"""Other faces of the same memory: detached, uncounted, as a leaf, through a custom Function."""

from __future__ import annotations

from .drawn import Drawing
from .dual import Unsuitable
from .machine import Machine
from .model import Cell, Memory
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
    """A constant becomes a leaf that requires grad; its views follow when the memory is written to."""
    views = [cell for cell in machine.cells if cell.base is source]
    if source.base is not None or source.requires or any(view.seen != view.memory.version for view in views):
        raise Unsuitable  # PyTorch sees at once that the memory of such views was written to
    machine.make_leaf(source)


def as_is(machine: Machine, source: Cell) -> Cell:
    """A Function that returns its input and triples the gradient."""
    if not machine.records(source) or source.edge() is None:
        raise Unsuitable
    found = machine.view(source, source.places, "custom")
    found.factor *= 3
    return found


ALIASES: dict[str, Op] = {
    "detach": Op("{0}.detach()", Drawing.nothing, lambda m, a: m.alias(a, a.memory), "alias"),
    "data": Op("{0}.data", Drawing.nothing, data, "alias"),
    "leaf": Op("{0}.detach().requires_grad_()", Drawing.nothing, new_leaf, "alias"),
    "requires_grad_": Op("{0}.requires_grad_()", Drawing.nothing, require_grad, "alias"),
    "as_is": Op("AsIs.apply({0})", Drawing.nothing, as_is, "alias"),
}
