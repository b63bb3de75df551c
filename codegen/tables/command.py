"""`python -m codegen pieces`: fit the functions that are computed by pieces, and write their tables."""

import argparse
import json
import math
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from specgrad.runtime.kernels.scalar import tables

from ..project.progress import Progress
from .functions import FUNCTIONS, Table


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
    rows = [[result[position][row] for position in range(len(result))] for row in range(len(result[0]))]
    there = tables.fitted_tables()
    there[one.name] = {"doc": one.doc, "error": math.ceil(largest * 100) / 100, "rows": rows}
    tables.FILE.write_text(text(there), encoding="utf-8")
    return True


def text(there: Mapping[str, Any]) -> str:
    """JSON with a line for each row of a table."""
    return "{\n" + ",\n".join(f"{json.dumps(name)}: {table_json(there[name])}" for name in sorted(there)) + "\n}\n"


def table_json(one: Mapping[str, Any]) -> str:
    rows = ",\n".join(f"  [{', '.join(str(np.float32(value)) for value in row)}]" for row in one["rows"])
    return f'{{"doc": {json.dumps(one["doc"])}, "error": {one["error"]}, "rows": [\n{rows}\n]}}'


def columns_there(one: Table) -> dict[int, list[float]]:
    rows = tables.table(one.name)
    return {position: [float(row[position]) for row in rows] for position in range(len(rows[0]))}


def is_right(one: Table) -> bool:
    result, requested = largest_error(one, columns_there(one)), largest_error(one, columns(one))
    if result > requested + 0.02:
        print(f"stale: {one.name}: error {result:.3f} units, {requested:.3f} when fitted anew", file=sys.stderr)
    return result <= requested + 0.02
