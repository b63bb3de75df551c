"""Tables of functions by pieces: they err as little as they say, are what fits give, and places find their pieces."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from codegen.pieces.command import FILE, columns_there, is_right, largest_error, pieces_command, table_name
from codegen.pieces.functions import FUNCTIONS
from codegen.pieces.places import Piece, linear, logarithmic, mixed
from specgrad.runtime.kernels.scalar import pieces as by_place

NAMES = [one.name for one in FUNCTIONS]

ROUNDED = (by_place.near_place, by_place.nearer_place, by_place.mixed_place)  # at an end of a piece ties go to even


@pytest.mark.parametrize("one", FUNCTIONS, ids=NAMES)
def test_the_stated_error(one: Any) -> None:
    """Against SciPy in float64, by float32 arithmetic of many arguments of each piece."""
    said = rf"# .*error at most ([\d.]+) units\.\n{table_name(one.name)} = "
    stated = float(re.search(said, FILE.read_text(encoding="utf-8"))[1])  # type: ignore[index]
    assert largest_error(one, columns_there(one)) <= stated


@pytest.mark.parametrize("name", ["i0", "atanh", "erfc"])
def test_a_table_is_its_fit(name: str) -> None:
    """What is fitted anew errs as much."""
    assert is_right(next(one for one in FUNCTIONS if one.name == name))


@pytest.mark.parametrize(
    ("place", "found"),
    [
        (by_place.near_place, linear(1.0)),
        (by_place.nearer_place, linear(0.5, 32)),
        (by_place.middle_place, logarithmic(2.0**-6, 2, 32)),
        (by_place.octave_place, logarithmic(2.0**-16, 1)),
        (by_place.mixed_place, mixed(2.0**-5, 2.5)),
    ],
    ids=["near", "nearer", "middle", "octave", "mixed"],
)
def test_bits_find_the_piece(place: Any, found: list[Piece]) -> None:
    """Arguments all over a piece, its first and its last one."""
    count = len(found)
    assert sorted(piece.place for piece in found) == list(range(count))
    for piece in found:
        low, high = np.float32(piece.low), np.nextafter(np.float32(piece.high), np.float32(0))
        draws = np.random.default_rng(piece.place).uniform(low, high, 50).astype(np.float32)
        for x in [low, high, *draws]:
            if place not in ROUNDED or piece.low < x < high:
                assert int(place(np.float32(x))) % count == piece.place, (piece, x)


def test_an_unknown_table(capsys: pytest.CaptureFixture[str]) -> None:
    """The error names it."""
    with pytest.raises(SystemExit):
        pieces_command(["no_such_table"])
    assert "no_such_table" in capsys.readouterr().err
