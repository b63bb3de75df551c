"""Building programs of numbers that somebody draws, while the model runs them to know what can come next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from .drawn import Drawing
from .dual import Refused, Unsuitable
from .language import BY_KIND, IN_INFERENCE, KINDS, NEED_ROWS
from .machine import Machine
from .model import Cell
from .program import End, Program, weights
from .step import MODES, RECORDING, Line, Step

SHAPES = ((2, 3), (3,), (), (3, 2), (2, 2, 2), (4,), (1, 3), (3, 3))
MAX_COUNT = 24  # tensors of a program
SPARE = 8  # elements that leaves made on the way may have


@st.composite
def programs(draw: Any, fewest: int = 5, max_count: int = 40) -> Program:
    """A random program of `fewest` to `most` lines, as a strategy of hypothesis, which looks for a short one."""
    return build(Drawing(lambda low, high: draw(st.integers(low, high))), fewest, max_count)


def build(drawing: Drawing, fewest: int = 5, max_count: int = 40) -> Program:
    """A random program of `fewest` to `most` lines."""
    leaves = draw_leaves(drawing)
    machine = Machine(SPARE + sum(values.size for values, requires in leaves if requires))
    for values, requires in leaves:
        machine.cells.append(machine.root(values))
        if requires:
            machine.make_leaf(machine.cells[-1])
    lines = draw_lines(drawing, machine, drawing.number(fewest, max_count))
    ends = draw_ends(drawing, machine)
    return Program(leaves, tuple(lines), tuple(ends), tuple(machine.cells))


def draw_leaves(drawing: Drawing) -> tuple[tuple[Any, bool], ...]:
    """Two to four tensors, the first of which requires grad."""
    found = []
    for i in range(drawing.number(2, 4)):
        shape = drawing.of(SHAPES)
        values = np.sin(np.arange(int(np.prod(shape)), dtype=np.float64) * 1.7 + 2.3 * i + 0.4) * 1.5
        found.append((values.reshape(shape), i == 0 or drawing.chance(50)))
    return tuple(found)


def draw_lines(drawing: Drawing, machine: Machine, count: int) -> list[Line]:
    """Up to `count` lines, in blocks that record or do not."""
    lines: list[Line] = []
    mode = "grad"
    for _ in range(2 * count):
        if len(lines) == count:
            break
        if drawing.chance(12):
            mode = drawing.of(tuple(MODES))
        elif drawing.chance(40):
            mode = "grad"
        found = draw_line(drawing, machine, mode)
        lines += [found] if found is not None else []
    return lines


def draw_line(drawing: Drawing, machine: Machine, mode: str) -> Line | None:
    """A line that the model can follow, run in the model; None when it cannot."""
    kind = drawing.of(IN_INFERENCE if mode == "inference" else KINDS)
    op = drawing.of(BY_KIND[kind])
    if len(machine.cells) > MAX_COUNT and kind != "write":
        return None
    operands = draw_operands(drawing, machine, op.operands, kind == "write" and mode in RECORDING)
    cells = [machine.cells[i] for i in operands]
    if op in NEED_ROWS and not (cells[0].positions.ndim and cells[0].positions.size):
        return None
    step = Step(op, operands, op.arguments(drawing, *cells), mode)
    error, results = run_step(machine, step, cells)
    if error is Unsuitable:
        return None
    targets = range(len(machine.cells), len(machine.cells) + len(results))
    machine.cells += results
    return Line(step.text(targets), error)


def run_step(machine: Machine, step: Step, cells: Sequence[Cell]) -> tuple[type[Exception] | None, Sequence[Cell]]:
    """The class of the error, or the results."""
    before = machine.remember()
    try:
        return None, step.run(machine)
    except Refused as refused:
        if refused.kind is RuntimeError or step.mode not in RECORDING or not any(cell.is_outdated for cell in cells):
            return refused.kind, ()
    except Unsuitable:
        pass
    machine.forget_since(before)  # where two things are wrong, libraries may look at either first
    return Unsuitable, ()


def draw_operands(drawing: Drawing, machine: Machine, count: int, recorded_write: bool) -> tuple[int, ...]:
    """Tensors for an op: mostly a target that may be written to, and others that broadcast to it."""
    numbers = list(range(len(machine.cells)))
    first = [i for i in numbers if not machine.cells[i].own] if recorded_write and drawing.chance(85) else numbers
    found = [drawing.of(first or numbers)]
    shape = machine.cells[found[0]].shape
    for _ in range(count - 1):
        alike = [i for i in numbers if broadcasts(machine.cells[i].shape, shape)] if drawing.chance(90) else numbers
        found.append(drawing.of(alike or numbers))
    return tuple(found)


def broadcasts(shape: tuple[int, ...], to: tuple[int, ...]) -> bool:
    """Whether a shape broadcasts to another without changing that."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(n in (1, m) for n, m in pairs)


def draw_ends(drawing: Drawing, machine: Machine) -> list[End]:
    """One to three backward passes; after one that fails there is no other."""
    machine.recording = True
    leaves = [cell for cell in machine.cells if cell.own and cell.node is None]
    totals: dict[Cell, Any] = {}
    ends: list[End] = []
    for _ in range(drawing.number(1, 3)):
        numbers = list(range(len(machine.cells)))
        usable = [i for i in numbers if machine.cells[i].requires and not machine.cells[i].is_outdated]
        roots = tuple(
            drawing.of(usable if usable and drawing.chance(80) else numbers) for _ in range(drawing.number(1, 3))
        )
        way = drawing.of(("backward", "grad")) if leaves else "backward"  # which needs no inputs
        retain = drawing.chance(50)
        error, grads = run_end(machine, roots, way, retain)
        if error is Unsuitable:
            break
        if way == "backward":  # gradients add up
            grads = totals = {**totals, **{leaf: np.asarray(totals.get(leaf, 0) + grads[leaf]) for leaf in grads}}
        ends.append(End(way, roots, retain, error, tuple(grads.get(leaf) for leaf in leaves)))
        if error is not None:
            break
    return ends


def run_end(
    machine: Machine, roots: Sequence[int], way: str, retain: bool
) -> tuple[type[Exception] | None, dict[Cell, Any]]:
    """A backward pass in the model: its error, or the gradients of the leaves that get one."""
    cells = [machine.cells[i] for i in roots]
    try:
        reached = machine.backward(cells, retain, all_nodes=way == "backward")
    except Refused as refused:
        return refused.kind, {}
    except Unsuitable:
        return Unsuitable, {}
    derivatives = sum(np.tensordot(weights(cell.shape), cell.dual().derivatives, cell.positions.ndim) for cell in cells)
    return None, {
        leaf: np.asarray(derivatives[leaf.family.derivatives[leaf.positions].argmax(axis=-1)]) for leaf in reached
    }
