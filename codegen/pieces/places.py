"""Where the pieces of a function lie: bits of its argument find them (`runtime/kernels/scalar/pieces.py`)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Piece(NamedTuple):
    """An interval of arguments, and the row's entry for it."""

    position: int
    low: float
    high: float


def linear(step: float, count: int = 16, first: int = 0) -> list[Piece]:
    """Pieces around `count` multiples of a step, a power of two, from the first on; if that is 0, it begins there."""
    pieces = [Piece((first + k) % count, (first + k - 0.5) * step, (first + k + 0.5) * step) for k in range(count)]
    return [pieces[0]._replace(low=0.0), *pieces[1:]] if first == 0 else pieces


def logarithmic(low: float, per_octave: int, count: int = 16, from_zero: bool = False) -> list[Piece]:
    """Pieces from `low` on, an edge of one, so many (a power of two) for each doubling, which have one width there.

    With `from_zero` the first one begins at 0: its argument's place is that of max(x, low).
    """
    below = below_of(per_octave)
    first = int(np.float32(low).view(np.int32)) >> below
    edges = np.arange(first, first + count + 1, dtype=np.int32) << below
    ends = [float(edge) for edge in edges.view(np.float32)]
    pieces = [Piece((first + k) % count, ends[k], ends[k + 1]) for k in range(count)]
    return [pieces[0]._replace(low=0.0), *pieces[1:]] if from_zero else pieces


def shifted(low: float, per_octave: int, count: int = 16) -> list[Piece]:
    """The pieces of x, from 0 on, where those of low + x are logarithmic."""
    return [Piece(position, start - low, end - low) for position, start, end in logarithmic(low, per_octave, count)]


def mixed(low: float, edge: float, count: int = 32) -> list[Piece]:
    """Logarithmic pieces, two for each doubling, up to an edge, and from there on pieces of width 1."""
    nearby = [piece for piece in logarithmic(low, 2, count) if piece.low < edge]
    position, ends = nearby[-1].position + 1, [edge + k for k in range(count - len(nearby))]
    unit_pieces = [Piece((position + k) % count, end, end + 1.0) for k, end in enumerate(ends)]
    return [*nearby[:-1], nearby[-1]._replace(high=edge), *unit_pieces]


def mirrored(edge: float, pieces: list[Piece]) -> list[Piece]:
    """The pieces of x where those of `edge` - x are given."""
    return [Piece(piece.position, edge - piece.high, edge - piece.low) for piece in pieces]


def below_of(per_octave: int) -> int:
    """How many of a number's last bits do not tell its piece."""
    return 23 - (per_octave.bit_length() - 1)
