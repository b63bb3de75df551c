"""Tables of functions by pieces: they err as little as they say, are what fits give, and places find their pieces."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from codegen.tables.command import columns_there, is_right, largest_error, pieces_command, text
from codegen.tables.fit import Piece, linear, logarithmic, mixed
from codegen.tables.functions import FUNCTIONS
from specgrad.runtime.kernels.scalar import piecewise_polynomial as positional_kinds
from specgrad.runtime.kernels.scalar.tables import FILE, fitted_tables

NAMES = [one.name for one in FUNCTIONS]

ROUNDED = (
    positional_kinds.small_piece,
    positional_kinds.smaller_piece,
    positional_kinds.mixed_piece,
)  # at an end of a piece ties go to even


@pytest.mark.parametrize("one", FUNCTIONS, ids=NAMES)
def test_the_stated_error(one: Any) -> None:
    """Against SciPy in float64, by float32 arithmetic of many arguments of each piece."""
    assert largest_error(one, columns_there(one)) <= fitted_tables()[one.name]["error"]


@pytest.mark.parametrize("name", ["i0", "atanh", "erfc"])
def test_a_table_is_its_fit(name: str) -> None:
    """What is fitted anew errs as much."""
    assert is_right(next(one for one in FUNCTIONS if one.name == name))


@pytest.mark.parametrize(
    ("position", "found"),
    [
        (positional_kinds.small_piece, linear(1.0)),
        (positional_kinds.smaller_piece, linear(0.5, 32)),
        (positional_kinds.central_piece, logarithmic(2.0**-6, 2, 32)),
        (positional_kinds.octave_piece, logarithmic(2.0**-16, 1)),
        (positional_kinds.mixed_piece, mixed(2.0**-5, 2.5)),
    ],
    ids=["near", "nearer", "middle", "octave", "mixed"],
)
def test_bits_find_the_piece(position: Any, found: list[Piece]) -> None:
    """Arguments all over a piece, its first and its last one."""
    count = len(found)
    assert sorted(piece.position for piece in found) == list(range(count))
    for piece in found:
        low, high = np.float32(piece.low), np.nextafter(np.float32(piece.high), np.float32(0))
        samples = np.random.default_rng(piece.position).uniform(low, high, 50).astype(np.float32)
        for x in [low, high, *samples]:
            if position not in ROUNDED or piece.low < x < high:
                assert int(position(np.float32(x))) % count == piece.position, (piece, x)


def test_an_unknown_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The error names it."""
    with pytest.raises(SystemExit):
        pieces_command(["no_such_table"])
    assert "no_such_table" in capsys.readouterr().err


def test_the_file_is_as_the_command_writes_it() -> None:
    """A table that is fitted anew changes its own lines only."""
    assert FILE.read_text(encoding="utf-8") == text(fitted_tables())
