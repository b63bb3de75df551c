"""Random arguments for ops, that mostly fit the tensors they are drawn for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .model import Cell

NUMBERS = (0.5, -1.5, 2.0, 0.25, -0.75)


class Drawing:
    """Makes arguments of integers that somebody draws, by small methods that ops name."""

    def __init__(self, draw: Callable[[int, int], int]) -> None:
        self.draw = draw

    def number(self, low: int, high: int) -> int:
        """An integer, both ends included."""
        return self.draw(low, high) if high > low else low

    def shuffled(self, count: int) -> list[int]:
        """The numbers from 0 to `count` in any order."""
        left = list(range(count))
        return [left.pop(self.number(0, len(left) - 1)) for _ in range(count)]

    def of(self, choices: Sequence[Any]) -> Any:
        """One of several."""
        return choices[self.number(0, len(choices) - 1)]

    def chance(self, percent: int) -> bool:
        """True that often; False is what shrinking tends to."""
        return self.number(0, 99) >= 100 - percent

    def nothing(self, *_: Cell) -> dict[str, Any]:
        """No arguments."""
        return {}

    def scalar(self, *_: Cell) -> dict[str, Any]:
        """A number."""
        return {"number": self.of(NUMBERS)}

    def positive(self, *_: Cell) -> dict[str, Any]:
        """A number larger than 0."""
        return {"number": self.of([abs(number) for number in NUMBERS])}

    def dim(self, cell: Cell) -> dict[str, Any]:
        """A dimension, counted from either end."""
        rank = max(cell.positions.ndim, 1)
        return {"dim": self.number(-rank, rank - 1)}

    def select(self, cell: Cell) -> dict[str, Any]:
        """A dimension and an index of it, sometimes beyond its end."""
        found = self.dim(cell)
        size = cell.shape[found["dim"]] if cell.shape else 1
        return found | {"index": self.number(-size, size - 1 if self.chance(97) else size)}

    def narrow(self, cell: Cell) -> dict[str, Any]:
        """A range of a dimension."""
        dim = self.number(0, max(cell.positions.ndim - 1, 0))
        size = cell.shape[dim] if cell.shape else 1
        start = self.number(0, size)
        return {"dim": dim, "start": start, "length": self.number(0, size - start)}

    def key(self, cell: Cell) -> dict[str, Any]:
        """A basic index."""
        parts = []
        for size in cell.shape[: self.number(0, cell.positions.ndim)]:
            if self.chance(10):
                parts.append("None")
            parts.append(self.of([f"{self.number(-size, size - 1)}" if size else ":", ":", self._range(size)]))
        if not parts or self.chance(15):
            parts.append("...")
        return {"key": ", ".join(parts)}

    def _range(self, size: int) -> str:
        start = self.number(0, size)
        return f"{start}:{self.number(start, size)}:{self.number(1, 2)}" if self.chance(50) else f"{start}:"

    def list_key(self, cell: Cell) -> dict[str, Any]:
        """A list of indices of the first or second dimension, all different."""
        dim = self.number(0, min(1, cell.positions.ndim - 1))
        size = cell.shape[dim]
        chosen = self.shuffled(size)[: self.number(min(1, size), size)]
        return {"key": f"{':, ' * dim}{chosen}"}

    def indices(self, cell: Cell) -> dict[str, Any]:
        """Indices of the first dimension that may repeat, to be added at."""
        size = cell.shape[0]
        return {"indices": [self.number(0, size - 1) for _ in range(self.number(1, 3))]}

    def two_dims(self, cell: Cell) -> dict[str, Any]:
        """Two dimensions."""
        return {"dim0": self.dim(cell)["dim"], "dim1": self.dim(cell)["dim"]}

    def permutation(self, cell: Cell) -> dict[str, Any]:
        """An order of the dimensions."""
        return {"dims": tuple(self.shuffled(cell.positions.ndim))}

    def new_dim(self, cell: Cell) -> dict[str, Any]:
        """Where a dimension can be put in."""
        return {"dim": self.number(0, cell.positions.ndim)}

    def offset(self, *_: Cell) -> dict[str, Any]:
        """Which diagonal."""
        return {"offset": self.number(-1, 2)}

    def expansion(self, cell: Cell) -> dict[str, Any]:
        """A shape that this one expands to."""
        size = tuple(self.number(1, 3) if n == 1 else n for n in cell.shape)
        return {"size": (self.number(1, 3), *size) if self.chance(40) and len(size) < 3 else size}

    def size(self, cell: Cell) -> dict[str, Any]:
        """Another shape of as many elements."""
        count = cell.positions.size
        ways = [(count,), (1, count), (count, 1), *((n, count // n) for n in (2, 3) if not count % n), cell.shape]
        return {"size": self.of(ways) if self.chance(97) else (count + 1,)}

    def strides(self, cell: Cell) -> dict[str, Any]:
        """A view of the memory by strides."""
        rank = self.number(1, 2)
        size, stride = (tuple(self.number(1, 3) for _ in range(rank)) for _ in range(2))
        return {"size": size, "stride": stride, "start": self.number(0, 2)}

    def pieces(self, cell: Cell) -> dict[str, Any]:
        """The size of pieces along a dimension."""
        return {"size": self.number(1, 3)} | self.dim(cell)

    def piece_sizes(self, cell: Cell) -> dict[str, Any]:
        """Sizes that mostly add up to that of a dimension."""
        found = self.dim(cell)
        total = cell.shape[found["dim"]] if cell.shape else 1
        first = self.number(0, total)
        return found | {"sizes": [first, total - first if self.chance(97) else total]}

    def chunks(self, cell: Cell) -> dict[str, Any]:
        """The number of pieces along a dimension."""
        return {"count": self.number(1, 3)} | self.dim(cell)

    def windows(self, cell: Cell) -> dict[str, Any]:
        """Windows along a dimension."""
        return self.dim(cell) | {"size": self.number(1, 3), "step": self.number(1, 2)}

    def reduction(self, cell: Cell) -> dict[str, Any]:
        """A dimension, and whether it is kept."""
        return self.dim(cell) | {"keepdim": self.chance(50)}
