"""A machine that runs programs by PyTorch's rules, to say what they must do in any library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .dual import Array, Dual, Refused, Unsuitable, checked
from .model import EITHER, RESULT, Cell, Family, Memory, Node, Numbers, Replaced, Saved, check_disjoint, check_single


class Machine:
    """Runs a program in the model, one op after the other."""

    def __init__(self, directions: int) -> None:
        self.directions = directions
        self.reserved = 0  # directions that belong to elements of leaves
        self.cells: list[Cell] = []
        self.recording = True

    def make_leaf(self, cell: Cell) -> None:
        """Let a root require grad: each of its elements is a direction from now on."""
        if (
            self.reserved + cell.positions.size > self.directions
            or np.unique(cell.positions).size < cell.positions.size
        ):
            raise Unsuitable
        derivatives = np.zeros_like(cell.family.derivatives)
        for index in cell.positions.reshape(-1):
            derivatives[index, self.reserved] = 1.0
            self.reserved += 1
        if cell.base is None:
            cell.family.derivatives[:] = derivatives
        else:
            cell.family, cell.factor = Family(derivatives), 1.0  # its base is a constant still
        cell.own = True

    def root(self, values: Array, derivatives: Array | None = None, in_rows: bool = True) -> Cell:
        """A tensor with memory of its own."""
        values = np.array(values, dtype=np.float64)
        positions = np.arange(values.size).reshape(values.shape)
        flat = (
            np.zeros((values.size, self.directions))
            if derivatives is None
            else derivatives.reshape(-1, self.directions)
        )
        return Cell(Memory(Numbers(values.reshape(-1)), in_rows), positions, Family(np.array(flat)))

    def records(self, *operands: Cell) -> bool:
        """Whether an op on these is recorded."""
        return self.recording and any(cell.requires for cell in operands)

    def view(self, source: Cell, positions: Array, origin: str = "") -> Cell:
        """A view of some places of a tensor."""
        recorded = self.records(source)
        edges = self.edges([source], False) if recorded else []
        view = Cell(source.memory, positions, source.family, source.base or source)
        view.origin = (origin or source.origin) if self.recording else "no_grad"
        view.factor = source.factor if self.recording and edges != [None] else 0.0
        view.node = Node(edges) if recorded else None
        return view

    def alias(self, source: Cell, memory: Memory) -> Cell:
        """The same numbers outside any history."""
        return Cell(memory, source.positions, Family(np.zeros_like(source.family.derivatives)))

    def compute(
        self, function: Callable[..., Dual], operands: Sequence[Cell], saves: Any = (), keeps: bool = False
    ) -> Cell:
        """The result of an op; `saves` are the operands that it keeps for its gradient, RESULT or EITHER."""
        recorded = self.records(*operands)
        edges = self.edges(operands, bool(saves) or keeps) if recorded else []
        dual = checked(function(*(cell.dual() for cell in operands)))
        in_rows = all(operand.in_rows for operand in operands)  # libraries may keep the order of what they read
        cell = self.root(dual.values, dual.derivatives if recorded else None, in_rows)
        if recorded and EITHER in saves:
            cell.node = Node(edges, [Saved(cell.memory, True), *(Replaced(other.memory) for other in operands)])
        elif recorded:
            cell.node = Node(edges, [Saved((cell if other == RESULT else other).memory) for other in saves], keeps)
        cell.touched = recorded and any(not isinstance(other, Cell) for other in saves)
        return cell

    def edges(self, operands: Sequence[Cell], keeps: bool) -> list[Any]:
        """Where gradients go from an op that is recorded."""
        found = [cell.edge() for cell in operands]
        for cell in operands:
            cell.touched = True
        if keeps and any(cell.requires and edge is None for cell, edge in zip(operands, found, strict=True)):
            raise Unsuitable  # whether anything is kept for a gradient that goes nowhere
        return found

    def write(
        self,
        target: Cell,
        function: Callable[..., Dual],
        operands: Sequence[Cell] = (),
        saves: Any = (),
        keeps: bool = False,
        replaces: bool = False,
        share: str = "full",
        doubts: Sequence[Cell] = (),
    ) -> None:
        """An op in place: `function` gets the target's old value and the operands.

        `saves` are operands, or RESULT; `replaces` says that elements keep their number or get one that does not
        depend on it; `share` says how operands may overlap with the target's memory: in "full" (the same elements),
        "none", or "overlap" in any way. `doubts` are operands that PyTorch saves for their shape.
        """
        recorded = self.records(target, *operands)
        edges = []
        if recorded:
            target.check_written()
            edges = self.edges((target, *operands), bool(saves) or keeps)
        if recorded:
            self.check_leaves_of(target)
        if recorded and replaces and target.repeats():
            raise Unsuitable  # PyTorch fails in backward
        if not replaces or not target.repeats():
            check_single(target)
        if recorded and target.base is not None and target.base.repeats():
            raise Unsuitable  # PyTorch fails in backward, where it takes the base's gradient apart
        for operand in operands if share != "overlap" else ():
            check_disjoint(target, operand, share == "full")
        dual = checked(function(target.dual(), *(cell.dual() for cell in operands)))
        if dual.shape != target.shape:
            raise Refused
        saved = [Saved(cell.memory) for cell in saves if cell != RESULT] + [Saved(cell.memory, True) for cell in doubts]
        target.memory.write(target.positions, dual.values)
        if recorded:
            target.family.derivatives[target.positions] = dual.derivatives
            saved += [Saved(target.memory) for cell in saves if cell == RESULT]
            rebase(target, Node(edges, saved, keeps))

    def relayout(self, target: Cell, positions: Array) -> None:
        """A view op in place: the tensor itself gets another layout; its base's history stays."""
        recorded = self.records(target)
        if recorded:
            target.check_written()
        elif target.own and target.node is None and target.touched:
            raise Unsuitable  # gradients that are on their way have the old shape
        elif (
            target.node is not None
            and target.base is None
            and positions.shape[-target.positions.ndim :] != target.shape
        ):
            raise Unsuitable  # gradients do not broadcast to the shape that the node knows
        elif (
            target.node is not None
            and target.base is None
            and (positions.reshape(target.shape) != target.positions).any()
        ):
            raise Unsuitable  # gradients come in another order than the node knows
        edges = [target.edge()] if recorded else []
        if recorded:
            self.check_leaves_of(target)
        target.positions = positions
        target.memory.version += 1
        if recorded:
            target.node, target.seen = Node(edges), target.memory.version

    def check_leaves_of(self, target: Cell) -> None:
        """A write that is recorded makes all views of its memory parts of the graph, also those that were leaves."""
        root = target.base or target
        if any(cell.own and cell.base is root for cell in self.cells):
            raise Unsuitable

    def backward(self, roots: Sequence[Cell], retain: bool, all_nodes: bool) -> list[Cell]:
        """Run backward from a weighted sum of tensors; returns the leaves that get a gradient.

        `all_nodes` says that also those run from which no leaf can be reached.
        """
        if not self.records(*roots):
            raise Refused
        nodes, leaves = reached([root.edge() for root in roots])
        if all_nodes and any(edge.node is not None for node in nodes for edge in node.edges if isinstance(edge, Cell)):
            raise Refused  # what was a leaf and is none any longer gets a gradient
        nodes = [node for node in nodes if all_nodes or reached([node])[1]]
        if any(node.keeps and node.freed for node in nodes):
            raise Refused
        for saved in [saved for node in nodes for saved in node.saved]:
            saved.check()
        for node in nodes:
            node.freed = not retain
        return leaves

    def remember(self) -> list[Any]:
        """What looking at tensors may change."""
        return [(cell, cell.node, cell.seen, cell.factor) for cell in self.cells]

    def forget_since(self, before: list[Any]) -> None:
        """Put it back: what could not be run was not looked at either."""
        for cell, node, seen, factor in before:
            cell.node, cell.seen, cell.factor = node, seen, factor


def rebase(target: Cell, node: Node) -> None:
    """After a recorded write: the node of the tensor, and the history of its base."""
    if target.base is None:
        target.node = node
        return
    written = Node([target.base.edge(), *node.edges[1:]], node.saved, keeps=True)
    target.base.node = written
    target.node, target.seen = Node([written]), target.memory.version


def reached(roots: Sequence[Any]) -> tuple[list[Node], list[Cell]]:
    """The nodes and leaves that gradients come to."""
    nodes: dict[Node, None] = {}
    leaves: dict[Cell, None] = {}
    stack = list(roots)
    while stack:
        edge = stack.pop()
        if isinstance(edge, Cell):
            if edge.own:
                leaves[edge] = None
        elif edge is not None and edge not in nodes:
            nodes[edge] = None
            stack.extend(edge.edges)
    return list(nodes), list(leaves)
