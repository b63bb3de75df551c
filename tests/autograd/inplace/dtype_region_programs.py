"""Random programs that write to complex memory through views of its parts, and a model of them in NumPy.

The model knows places: a real tensor is an array of the numbers of real parts in memory, a complex tensor has pairs of
them in a last dimension. Every part has a value and its slopes along the parts of the leaf.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import numpy as np

SHAPES = ((3,), (2, 3), (2, 2, 2), (4, 1))
VIEWS = ("real", "imag", "pairs", "complex", "first", "slice", "flat", "turned", "detach")
WRITES = ("scale", "fill", "add", "copy", "square", "double")

Step = tuple[str, int, int]  # what, on which tensor, with which other one or number


def program(seed: int, length: int = 14) -> tuple[tuple[int, ...], list[Step]]:
    """The shape of the leaf, and steps; a view is a new tensor, the first is a copy of the leaf."""
    chance = random.Random(seed)
    shape, count, steps = chance.choice(SHAPES), 1, []
    for _ in range(length):
        name = chance.choice(VIEWS if count < 3 or chance.random() < 0.45 else WRITES)
        steps.append((name, chance.randrange(count), chance.randrange(count)))
        count += name in VIEWS
    return shape, steps


def run(lib: Any, leaf: Any, steps: Sequence[Step]) -> list[Any]:
    """The tensors of a program, by a library; an error in place of a view that cannot be had."""
    tensors, outside = [leaf.clone()], [False]
    for name, first, second in steps:
        x, y = tensors[first], tensors[second]
        if outside[first] and not isinstance(y, RuntimeError):
            y = y.detach()  # else a tensor outside the graph would begin one of its own
        try:
            found = one_step(lib, name, x, y)
        except (RuntimeError, IndexError) as error:
            found = RuntimeError(error)
        if name in VIEWS:
            tensors.append(found)
            outside.append(outside[first] or name == "detach")
    return tensors


def one_step(lib: Any, name: str, x: Any, y: Any) -> Any:
    """A view or a write; those without sense for a tensor are errors."""
    if isinstance(x, RuntimeError) or (name in ("add", "copy") and isinstance(y, RuntimeError)):
        raise RuntimeError("no tensor")
    if name in VIEWS:
        return {
            "real": lambda: x.real,
            "imag": lambda: x.imag,
            "pairs": lambda: lib.view_as_real(x),
            "complex": lambda: lib.view_as_complex(x),
            "first": lambda: x[0] if x.ndim else x.view(1),
            "slice": lambda: x[1:] if x.ndim else x.view(1),
            "flat": lambda: x.view(-1),
            "turned": lambda: x.transpose(0, -1) if x.ndim else x.view(1),
            "detach": lambda: x.detach(),
        }[name]()
    factor = 1.5 - 0.5j if x.is_complex() else 1.5
    if name == "scale":
        return x.mul_(factor)
    if name == "fill":
        return x.fill_(factor)
    if name == "square":
        return x.mul_(x.clone())
    if name == "double":
        return x.add_(x.sum())
    fits = y.is_complex() == x.is_complex() and y.shape == x.shape
    if not fits:
        raise RuntimeError("another shape")
    return x.add_(y.clone()) if name == "add" else x.copy_(y.clone() * 2)


def numbers(shape: tuple[int, ...]) -> Any:
    """Complex numbers of modulus near 1."""
    positions = np.arange(int(np.prod(shape))).reshape(shape)
    return np.cos(positions * 1.7 + 0.3) + 1j * np.sin(positions * 2.3 - 0.4)


def weights(shape: tuple[int, ...], number: int) -> Any:
    """Other ones for each tensor of a program."""
    return np.cos(np.arange(int(np.prod(shape))).reshape(shape) * 0.7 + number)


class Cell:
    """A tensor of the model: the numbers of its parts, and whether it is outside the graph."""

    def __init__(self, positions: Any, is_complex: bool, detached: bool = False) -> None:
        self.positions, self.is_complex, self.detached = positions, is_complex, detached

    def view(self, name: str) -> Cell:
        """What one of VIEWS gives of it."""
        positions, own = self.positions, self.is_complex
        if name == "real":
            return Cell(positions[..., 0] if own else positions, False, self.detached)
        if name == "imag":
            return Cell(positions[..., 1], False, self.detached)
        if name in ("pairs", "complex", "detach"):
            return Cell(positions, {"pairs": False, "complex": True}.get(name, own), self.detached or name == "detach")
        last = positions.ndim - 1 - own
        if last < 0:
            return Cell(positions[None], own, self.detached)
        if name == "flat":
            return Cell(positions.reshape((-1, 2) if own else -1), own, self.detached)
        changed = {"first": positions[0], "slice": positions[1:], "turned": np.swapaxes(positions, 0, last)}[name]
        return Cell(changed, own, self.detached)


class Memory:
    """Values of all parts and their slopes: (parts, parts of the leaf)."""

    def __init__(self, leaf: Any) -> None:
        parts = leaf.reshape(-1).view(np.float64)
        self.values, self.derivatives = parts.copy(), np.eye(parts.size)
        self.cells: list[Cell | None] = [Cell(np.arange(parts.size).reshape(*leaf.shape, 2), True)]

    def dual(self, cell: Cell) -> tuple[Any, Any]:
        """Values and slopes of a tensor, complex where it is; the slopes in a last dimension."""
        values, derivatives = self.values[cell.positions], self.derivatives[cell.positions] * (not cell.detached)
        if cell.is_complex:
            return values[..., 0] + 1j * values[..., 1], derivatives[..., 0, :] + 1j * derivatives[..., 1, :]
        return values, derivatives

    def write(self, cell: Cell, values: Any, derivatives: Any) -> None:
        """Other values and slopes at the places of a tensor; what is outside the graph leaves slopes as they are."""
        if cell.is_complex:
            values = np.stack([np.real(values), np.imag(values)], -1)
            derivatives = np.stack([np.real(derivatives), np.imag(derivatives)], -2)
        self.values[cell.positions] = values
        if not cell.detached:
            self.derivatives[cell.positions] = derivatives

    def step(self, name: str, first: Cell, second: Cell | None) -> None:
        """A write as `one_step` does it."""
        x, derivatives = self.dual(first)
        factor = 1.5 - 0.5j if first.is_complex else 1.5
        if name == "scale":
            self.write(first, x * factor, derivatives * factor)
        elif name == "fill":
            self.write(first, np.full_like(x, factor), np.zeros_like(derivatives))
        elif name == "square":
            self.write(first, x * x, 2 * x[..., None] * derivatives)
        elif name == "double":
            axes = tuple(range(x.ndim))
            self.write(first, x + x.sum(), derivatives + derivatives.sum(axis=axes, keepdims=bool(axes)))
        elif second is not None and second.is_complex == first.is_complex:
            y, other = self.dual(second)
            if y.shape == x.shape:
                self.write(first, *((x + y, derivatives + other) if name == "add" else (2 * y, 2 * other)))

    def follow(self, steps: Sequence[Step], tensors: Sequence[Any]) -> None:
        """All steps; which views there are is asked from what a library found."""
        for name, first, second in steps:
            cell, other = self.cells[first], self.cells[second]
            if name in VIEWS:
                missing = isinstance(tensors[len(self.cells)], RuntimeError)
                self.cells.append(None if missing or cell is None else cell.view(name))
            elif cell is not None:
                self.step(name, cell, other)
