"""Whole programs: the hypothesis strategy that builds them while the model runs them, and how they are printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .arithmetic_ops import ARITHMETIC
from .drawn import Drawing
from .dual import Refused, Unsuitable
from .indexing_ops import INDEXING
from .machine import Machine
from .model import Cell
from .steps import Line, Step, line
from .view_ops import VIEWS

OPS = {**VIEWS, **ARITHMETIC, **INDEXING}
BY_KIND: dict[str, list[str]] = {}
for _name, _op in OPS.items():
    BY_KIND.setdefault(_op.kind, []).append(_name)
KINDS = ("view", "view", "view", "new", "new", "write", "write", "write", "write", "views", "other")
IN_INFERENCE = ("view", "views", "write")
SHAPES = ((2, 3), (3,), (), (3, 2), (2, 2, 2), (4,), (1, 3), (3, 3))
MOST = 24  # tensors of a program
SPARE = 8  # elements that leaves made on the way may have


@dataclass(frozen=True)
class End:
    """A backward pass from weighted sums of some tensors: what is expected of it, an error or the leaves' gradients."""

    roots: tuple[int, ...]
    retain: bool
    error: type[Exception] | None
    grads: tuple[Any, ...]

    def __str__(self) -> str:
        terms = " + ".join(f"(t{i} * weights(t{i})).sum()" for i in self.roots)
        expected = "" if self.error is None else f"  # {self.error.__name__}"
        return f"({terms}).backward(retain_graph={self.retain}){expected}"


@dataclass(frozen=True)
class Program:
    """Leaves as (values, whether they require grad), lines, the tensors at the end according to the model, and ends."""

    leaves: tuple[tuple[Any, bool], ...]
    lines: tuple[Line, ...]
    cells: tuple[Cell, ...]
    ends: tuple[End, ...]

    def __str__(self) -> str:
        leaves = [
            f"t{i} = torch.tensor({np.round(v, 3).tolist()}, dtype=torch.float64, requires_grad={r})"
            for i, (v, r) in enumerate(self.leaves)
        ]
        return "\n".join([*leaves, *map(str, self.lines), *map(str, self.ends)])

    __repr__ = __str__


def weights(shape: tuple[int, ...]) -> Any:
    """Different numbers for the elements of a tensor that backward starts from."""
    return np.cos(np.arange(int(np.prod(shape)), dtype=np.float64) + 1).reshape(shape)


@st.composite
def programs(draw: Any, fewest: int = 5, most: int = 40) -> Program:
    """A random program of `fewest` to `most` steps."""
    drawing = Drawing(draw)
    leaves = draw_leaves(drawing)
    machine = Machine(SPARE + sum(values.size for values, requires in leaves if requires))
    start(machine, leaves)
    lines: list[Line] = []
    wanted, mode = drawing.number(fewest, most), "grad"
    for _ in range(2 * wanted):
        if len(lines) == wanted:
            break
        mode = (
            drawing.of(("grad", "no_grad", "inference"))
            if drawing.chance(12)
            else mode
            if drawing.chance(60)
            else "grad"
        )
        found = draw_line(drawing, machine, mode)
        if found is not None:
            lines.append(found)
    ends = tuple(draw_ends(drawing, machine))
    return Program(leaves, tuple(lines), tuple(machine.cells), ends)


def draw_leaves(drawing: Drawing) -> tuple[tuple[Any, bool], ...]:
    """Two to four tensors, the first of which requires grad."""
    found = []
    for i in range(drawing.number(2, 4)):
        shape = drawing.of(SHAPES)
        values = np.sin(np.arange(int(np.prod(shape)), dtype=np.float64) * 1.7 + 2.3 * i + 0.4) * 1.5
        found.append((values.reshape(shape), i == 0 or drawing.chance(50)))
    return tuple(found)


def start(machine: Machine, leaves: tuple[tuple[Any, bool], ...]) -> None:
    """Make the leaves."""
    for values, requires in leaves:
        cell = machine.root(values)
        if requires:
            machine.make_leaf(cell)
        machine.cells.append(cell)


def draw_line(drawing: Drawing, machine: Machine, mode: str) -> Line | None:
    """A step that the model can follow, run in the model; None when it cannot."""
    kind = drawing.of(IN_INFERENCE if mode == "inference" else KINDS)
    name = drawing.of(BY_KIND[kind])
    if len(machine.cells) > MOST and kind != "write":
        return None
    operands = draw_operands(drawing, machine, OPS[name].operands, kind == "write" and mode == "grad")
    cells = [machine.cells[i] for i in operands]
    if not fits(name, cells):
        return None
    arguments = tuple(OPS[name].arguments(drawing, *cells).items())
    step = Step(name, operands, arguments, mode)
    error = None
    results: Any = ()
    before = [(cell, cell.node, cell.seen, cell.factor) for cell in machine.cells]
    try:
        results = step.run(OPS, machine)
    except Unsuitable:
        for cell, node, seen, factor in before:
            cell.node, cell.seen, cell.factor = node, seen, factor
        return None
    except Refused as refused:
        error = refused.kind
        if error is not RuntimeError and mode == "grad" and any(cell.is_outdated for cell in cells):
            return None  # two things are wrong: libraries may look at either first
    targets = tuple(range(len(machine.cells), len(machine.cells) + len(results)))
    machine.cells += results
    return line(step, OPS, targets, error)


def fits(name: str, cells: list[Cell]) -> bool:
    """Whether arguments can be drawn for these tensors at all."""
    needs_rows = name in ("index_put_", "index", "assign.list", "assign.list.number")
    return not needs_rows or (cells[0].places.ndim > 0 and cells[0].places.size > 0)


def is_usable(cell: Cell) -> bool:
    """Whether backward may start from a tensor."""
    return cell.requires and not cell.is_outdated


def draw_operands(drawing: Drawing, machine: Machine, count: int, recorded_write: bool) -> tuple[int, ...]:
    """Tensors for an op: mostly a target that may be written to, and others that broadcast to it."""
    numbers = list(range(len(machine.cells)))
    first = [i for i in numbers if not machine.cells[i].own] if recorded_write and drawing.chance(85) else numbers
    chosen = [drawing.of(first or numbers)]
    shape = machine.cells[chosen[0]].shape
    for _ in range(count - 1):
        alike = [i for i in numbers if broadcasts(machine.cells[i].shape, shape)] if drawing.chance(90) else numbers
        chosen.append(drawing.of(alike or numbers))
    return tuple(chosen)


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether a shape broadcasts to another without changing that."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(n in (1, m) for n, m in pairs)


def draw_ends(drawing: Drawing, machine: Machine) -> list[End]:
    """One or two backward passes; after one that fails there is no other."""
    leaves = [cell for cell in machine.cells if cell.own and cell.node is None]
    totals: dict[Cell, Any] = {}
    ends: list[End] = []
    for _ in range(drawing.number(1, 2)):
        numbers = list(range(len(machine.cells)))
        usable = [i for i in numbers if is_usable(machine.cells[i])] if drawing.chance(80) else []
        roots = tuple(drawing.of(usable or numbers) for _ in range(drawing.number(1, 3)))
        retain = drawing.chance(50)
        error = run_end(machine, roots, retain, totals)
        if error is Unsuitable:
            break
        ends.append(End(roots, retain, error, tuple(totals.get(leaf) for leaf in leaves)))
        if error is not None:
            break
    return ends


def run_end(machine: Machine, roots: tuple[int, ...], retain: bool, totals: dict[Cell, Any]) -> type[Exception] | None:
    """A backward pass in the model: adds to the gradients of leaves, or returns the error."""
    machine.recording = True
    cells = [machine.cells[i] for i in roots]
    try:
        reached = machine.backward(cells, retain)
    except Refused as refused:
        return refused.kind
    except Unsuitable:
        return Unsuitable
    for leaf in reached:
        columns = leaf.family.slopes[leaf.places].argmax(axis=-1)
        grad = sum(np.tensordot(weights(c.shape), c.dual().slopes, c.places.ndim)[columns] for c in cells)
        totals[leaf] = np.asarray(totals.get(leaf, 0) + grad)
    return None
