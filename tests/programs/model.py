"""PyTorch's rules for memory, views and histories, in plain NumPy.

A `Cell` stands for a tensor. It knows the `places` of its elements in a `Memory`, as an array of its shape, so that a
view is a rearrangement of places. Derivatives go forward (`Dual`); of the graph a `Node` keeps only what decides about
errors, about which leaves get a gradient, and about who requires grad.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .dual import Array, Dual, Refused, Unsuitable

RESULT = "result"  # in a list of what an op saves: the tensor that it returns, or has written
EITHER = "either"  # the operand, and the result for when the operand is written to; in PyTorch the result alone


class Numbers:
    """The numbers of a memory, and how often they have changed in truth."""

    def __init__(self, values: Array) -> None:
        self.values = values
        self.changes = 0


class Memory:
    """Numbers that several cells may share, and how often they were written to as far as these know.

    `in_rows` says that the elements of the tensor that came with the memory surely lie in row order in any library.
    """

    def __init__(self, numbers: Numbers, in_rows: bool = True) -> None:
        self.numbers = numbers
        self.version = 0
        self.in_rows = in_rows

    def write(self, positions: Array, values: Array) -> None:
        """Change some numbers: of several elements in one place that counts which has changed."""
        changed = values != self.numbers.values[positions]
        self.numbers.values[positions[changed]] = values[changed]
        self.numbers.changes += 1
        self.version += 1


class Saved:
    """A memory that a node relies on, as it was."""

    def __init__(self, memory: Memory, in_doubt: bool = False) -> None:
        self.memory = memory
        self.in_doubt = in_doubt  # whether some library relies on it for its shape alone
        self.version = memory.version
        self.changes = memory.numbers.changes

    def check(self) -> None:
        """Refuse numbers that have changed; if nobody can know that they have, gradients are wrong."""
        if self.memory.version != self.version:
            raise Unsuitable if self.in_doubt else Refused
        if self.memory.numbers.changes != self.changes:
            raise Unsuitable


class Replaced(Saved):
    """An operand for which the result stands where it has been written to."""

    def check(self) -> None:
        """Refuse numbers that have changed without a trace."""
        if self.memory.version == self.version:
            super().check()


class Family:
    """A root and its views: the slopes of their memory according to their history."""

    def __init__(self, derivatives: Array) -> None:
        self.derivatives = derivatives


class Node:
    """One recorded op: where gradients go, the versions that it relies on, and whether it keeps anything."""

    def __init__(self, edges: Sequence[Any], saved: Sequence[Saved] = (), keeps: bool = False) -> None:
        self.edges = list(edges)
        self.saved = list(saved)
        self.keeps = keeps or bool(saved)
        self.freed = False


class Cell:
    """A tensor."""

    def __init__(self, memory: Memory, positions: Array, family: Family, base: Cell | None = None) -> None:
        self.memory = memory
        self.positions = positions
        self.family = family
        self.base = base
        self.origin = ""  # of a view that may not be written to: how it was made
        self.factor = 1.0  # of the slopes of its memory that are its own: 0 outside its base's history
        self.own = False  # whether it is a leaf that requires grad
        self.was_own = False  # whether it was one
        self.touched = False  # whether a recorded op has read it, and may keep it
        self.node: Node | None = None
        self.seen = memory.version  # when `node` was right

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape."""
        return self.positions.shape

    @property
    def values(self) -> Array:
        """A copy of the numbers."""
        return np.asarray(self.memory.numbers.values[self.positions])

    @property
    def in_rows(self) -> bool:
        """Whether the elements surely lie one after the other in row order."""
        return self.memory.in_rows and bool((np.diff(self.positions.reshape(-1)) == 1).all())

    def dual(self) -> Dual:
        """Numbers and slopes."""
        is_cut_off = self.base is not None and self.node is None and not self.own and self.base.requires
        return Dual(self.values, self.family.derivatives[self.positions] * (0.0 if is_cut_off else self.factor))

    @property
    def requires(self) -> bool:
        """Whether the tensor requires grad."""
        return self.own or self.node is not None or (self.base is not None and self.base.requires)

    @property
    def is_old(self) -> bool:
        """Whether this is a view in a graph whose memory was written to since its node was made."""
        in_graph = self.base is not None and (self.node is not None or self.base.requires)
        return in_graph and self.memory.version != self.seen

    @property
    def is_outdated(self) -> bool:
        """Whether it is one that must not be used in a graph any longer."""
        return self.is_old and bool(self.origin)

    def history(self) -> Node | None:
        """The node of the tensor; that of a view is renewed when its memory was written to."""
        if self.is_outdated:
            raise Refused
        if self.base is not None and self.is_old:
            if not self.base.requires:
                raise Unsuitable  # a view of a leaf that is a view: PyTorch forgets that leaf
            self.node, self.seen, self.factor = Node([self.base.edge()]), self.memory.version, 1.0
        return self.node

    def edge(self) -> Any:
        """Where a gradient of the tensor goes."""
        node = self.history()
        return node if node is not None else self if self.own else None

    def check_written(self) -> None:
        """Whether a write may be recorded."""
        if self.base is not None and (self.origin or (self.requires and self.base.node is None)):
            raise Refused
        if self.base is not None and self.node is None and self.requires:
            raise Unsuitable  # a view older than its base's history: PyTorch refuses until somebody has used it
        if self.own and self.node is None:
            raise Refused

    def repeats(self) -> bool:
        """Whether some elements are in one place because a dimension was expanded."""
        for dim, size in enumerate(self.shape):
            if size > 1 and self.positions.size and (self.positions.take(0, dim) == self.positions.take(1, dim)).all():
                return True
        return False


def check_single(target: Cell) -> None:
    """Different numbers cannot be written to one place."""
    if target.repeats():
        raise Refused
    if not target.positions.size and max(target.shape) > 1:
        raise Unsuitable  # no place shows whether a dimension was expanded: libraries look at strides
    if np.unique(target.positions).size < target.positions.size:
        raise Unsuitable


def check_disjoint(target: Cell, operand: Cell, same_allowed: bool) -> None:
    """Operands may not lie shifted in the memory that is written to; PyTorch looks at tensors without gaps only."""
    if not shares(operand, target):
        return
    if same_allowed and operand is target:
        return
    if same_allowed and operand.shape == target.shape and (operand.positions == target.positions).all():
        if 1 in target.shape and is_dense(target):
            raise Unsuitable  # it depends on the strides of dimensions that have one element
        return
    raise Refused if target.memory.in_rows and is_dense(operand) and is_dense(target) else Unsuitable


def shares(a: Cell, b: Cell) -> bool:
    """Whether two tensors have places in common."""
    return a.memory.numbers is b.memory.numbers and bool(np.intersect1d(a.positions, b.positions).size)


def is_dense(cell: Cell) -> bool:
    """Whether the elements lie without gaps."""
    positions = np.sort(cell.positions, axis=None)
    return bool((np.diff(positions) == 1).all())
