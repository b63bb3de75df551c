"""A whole program, as data and as Python source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .model import Cell
from .step import Line


@dataclass(frozen=True)
class End:
    """A backward pass from weighted sums of some tensors, and what is expected of it: an error, or all gradients.

    `way` is "backward", which adds to the `.grad` of the leaves, or "grad", which returns the gradients.
    """

    way: str
    roots: tuple[int, ...]
    retain: bool
    error: type[Exception] | None
    grads: tuple[Any, ...]

    def __str__(self) -> str:
        expected = "" if self.error is None else f"  # {self.error.__name__}"
        return f"{self.text}{expected}"

    @property
    def loss(self) -> str:
        """The sum from which it starts."""
        return " + ".join(f"(t{i} * weights(t{i})).sum()" for i in self.roots)

    @property
    def text(self) -> str:
        """The line of Python."""
        if self.way == "backward":
            return f"({self.loss}).backward(retain_graph={self.retain})"
        return f"found = torch.autograd.grad({self.loss}, leaves, retain_graph={self.retain}, allow_unused=True)"


@dataclass(frozen=True)
class Program:
    """Leaves as (values, whether they require grad), lines, ends, and the tensors at the end according to the model."""

    leaves: tuple[tuple[Any, bool], ...]
    lines: tuple[Line, ...]
    ends: tuple[End, ...]
    cells: tuple[Cell, ...]

    @property
    def last_leaves(self) -> list[int]:
        """The numbers of the tensors that are leaves requiring grad when the ends come."""
        return [i for i, cell in enumerate(self.cells) if cell.own and cell.node is None]

    def __str__(self) -> str:
        leaves = [
            f"t{i} = torch.tensor({np.round(values, 3).tolist()}, dtype=torch.float64, requires_grad={requires})"
            for i, (values, requires) in enumerate(self.leaves)
        ]
        named = f"leaves = [{', '.join(f't{i}' for i in self.last_leaves)}]"
        return "\n".join([*leaves, *map(str, self.lines), named, *map(str, self.ends)])

    __repr__ = __str__


def weights(shape: tuple[int, ...]) -> Any:
    """Different numbers for the elements of a tensor that backward starts from."""
    return np.cos(np.arange(int(np.prod(shape)), dtype=np.float64) + 1).reshape(shape)
