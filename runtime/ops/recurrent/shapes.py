"""Shape rules of recurrent layers: outputs, last states, and what backward needs of all rows."""

from math import prod
from typing import Any

from ...shapes import Shape


def _output(self: Any, hidden: Any) -> Shape:
    return (*self.shape[:-1], hidden.shape[1])


def rnn(self: Any, hidden: Any, *rest: Any) -> list[Shape]:
    return [_output(self, hidden), tuple(hidden.shape)]


def lstm(self: Any, hidden: Any, cell: Any, *rest: Any) -> list[Shape]:
    rows, size = prod(self.shape[:-1]), cell.shape[1]
    return [_output(self, hidden), tuple(hidden.shape), tuple(cell.shape), (4, rows, size), (rows, size)]


def gru(self: Any, hidden: Any, *rest: Any) -> list[Shape]:
    return [_output(self, hidden), tuple(hidden.shape), (4, prod(self.shape[:-1]), hidden.shape[1])]
