"""`python -m codegen pieces`: fit the functions that are computed by pieces, and write their tables."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from specgrad.runtime.kernels.scalar import tables

from ..project.progress import Progress
from .functions import FUNCTIONS, Table

FILE = Path(tables.__file__)
LINE = 120


def pieces_command(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m codegen pieces", description=__doc__)
    parser.add_argument("names", nargs="*", help="tables, by their names; all when none is named")
    parser.add_argument("--check", action="store_true", help="only measure the errors of the tables that are there")
    options = parser.parse_args(argv)
    chosen = [one for one in FUNCTIONS if one.name in options.names or not options.names]
    unknown = {*options.names} - {one.name for one in FUNCTIONS}
    if unknown:
        parser.error(f"no table of the name {', '.join(sorted(unknown))}")
    wrong = 0
    with Progress(len(chosen), "tables") as progress:
        for one in chosen:
            wrong += not (is_right(one) if options.check else write(one))
            progress.step()
    return 1 if wrong else 0


def columns(one: Table) -> dict[int, list[float]]:
    return {piece.position: one.column(piece) for piece in one.pieces}


def largest_error(one: Table, result: dict[int, list[float]]) -> float:
    return max(one.error(piece, result[piece.position]) for piece in one.pieces)


def write(one: Table) -> bool:
    result = columns(one)
    largest = largest_error(one, result)
    print(f"{one.name:24} error at most {largest:.3f} units")
    before, new = FILE.read_text(encoding="utf-8"), text(one, result, largest)
    there = re.compile(rf"# [^\n]*\n{table_name(one.name)} = single\(\n.*?\n\)  # fmt: skip\n", re.DOTALL)
    after = there.sub(lambda _: new, before) if there.search(before) else f"{before}\n{new}"
    FILE.write_text(after, encoding="utf-8")
    return True


def text(one: Table, result: dict[int, list[float]], largest: float) -> str:
    rows = [[result[position][row] for position in range(len(result))] for row in range(len(result[0]))]
    numbers = ",\n".join("    (\n" + wrapped(row) + "    )" for row in rows)
    return (
        f"# {one.doc} by pieces: error at most {np.ceil(largest * 100) / 100:.2f} units.\n"
        f"{table_name(one.name)} = single(\n{numbers},\n)  # fmt: skip\n"
    )


def wrapped(row: list[float]) -> str:
    lines, line = list[str](), "       "
    for value in row:
        number = f" {np.float32(value)!s},"
        if len(line) + len(number) > LINE:
            lines, line = [*lines, line], "       "
        line += number
    return "\n".join([*lines, line]) + "\n"


def table_name(name: str) -> str:
    return f"{name.upper()}_TABLE"


def columns_there(one: Table) -> dict[int, list[float]]:
    table = getattr(tables, table_name(one.name))
    return {position: [float(row[position]) for row in table] for position in range(len(table[0]))}


def is_right(one: Table) -> bool:
    result, requested = largest_error(one, columns_there(one)), largest_error(one, columns(one))
    if result > requested + 0.02:
        print(f"stale: {one.name}: error {result:.3f} units, {requested:.3f} when fitted anew", file=sys.stderr)
    return result <= requested + 0.02
