"""The functions of float32 that are computed by pieces: where, and what they are in SciPy's words.

The reference is SciPy's in float64, or an expression that is as exact; the functions of float64 of
`runtime/kernels/scalar/` have no part in it, so that neither hides a mistake of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import special

from .places import Piece, linear


class ByPieces(NamedTuple):
    """A function, what its table's docstring calls it, its pieces, and the places where it is zero."""

    name: str
    said: str
    function: Callable[[np.ndarray], np.ndarray]
    pieces: list[Piece]
    zeros: tuple[float, ...] = ()

    def center(self, piece: Piece) -> float | None:
        """The center of a piece, if it may not be chosen: a zero of the function, or of its argument."""
        if piece.low <= 0.0 <= piece.high:
            return 0.0
        inside = [zero for zero in self.zeros if piece.low <= zero <= piece.high]
        return inside[0] if inside else None


FUNCTIONS = (
    ByPieces("i0", "I0(x) for 0 <= x < 15.5", special.i0, linear(1.0)),
    ByPieces("i0e", "e^-x I0(x) for 0 <= x < 15.5", special.i0e, linear(1.0)),
    ByPieces("i1", "I1(x) for 0 <= x < 15.5", special.i1, linear(1.0), zeros=(0.0,)),
    ByPieces("i1e", "e^-x I1(x) for 0 <= x < 15.5", special.i1e, linear(1.0), zeros=(0.0,)),
)
