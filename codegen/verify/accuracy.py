"""`python -m codegen accuracy [OP...]`: the largest errors of element-wise ops, beside those of PyTorch and of SciPy.

--write     write docs/accuracy.md
--seed N    other points than those of the table
"""

import argparse
import importlib
import itertools
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from specgrad.generated.registry import OPS

from ..proof.grid import FULL
from ..proof.numbers import Unknown, evaluate
from .calls.findings import on_purpose
from .calls.special_values import settings
from .calls.units import DTYPES, LIMITS, Measured, compared
from .checks.accuracy import measured_meaning
from .distribution_accuracy import section, shown

COMMAND = __package__.rpartition(".")[0]
PAGE = Path("docs/accuracy.md")
KINDS = ("value", "gradient", "second derivative")


@dataclass(frozen=True)
class Row:
    """The largest errors of one op, in units of the last digit, by who computes, dtype and kind."""

    op: str
    worst: dict[tuple[str, str, str], float]
    findings: tuple[str, ...]  # errors beyond the bounds
    exception: str

    def cell(self, who: str, dtype: str, kind: str) -> str:
        return shown(self.worst.get((who, dtype, kind)))


def accuracy_command(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog=f"python -m {COMMAND} accuracy", description=__doc__)
    parser.add_argument("ops", nargs="*", metavar="OP")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE}")
    parser.add_argument("--seed", default="", help="other points than those of the table")
    options = parser.parse_args(argv)
    results = []
    for row in rows(options.ops, options.seed):
        print(*line(row), sep=" | ", flush=True)
        for finding in row.findings:
            print("   ", finding, file=sys.stderr)
        results.append(row)
    if options.write:
        PAGE.write_text(page(results) + section(), encoding="utf-8")
    return int(any(row.findings for row in results))


def rows(names: Sequence[str], seed: str) -> Iterator[Row]:
    for op in OPS:
        if op.kind == "elementwise" and (not names or op.name in names):
            row = measure(op, seed)
            if row is not None:
                yield row


def measure(op: Any, seed: str) -> Row | None:
    """The first of the op's settings, by compiled kernels, at all points of the grid."""
    meaning = measured_meaning(op)
    if meaning is None or not meaning.derived:
        return None
    worst: dict[tuple[str, str, str], float] = {}
    findings = []
    for setting, dtype in itertools.product(itertools.islice(settings(op, meaning), 1), DTYPES):
        try:
            points = Measured(op, meaning, setting, dtype, seed, FULL)
            for errors in points.errors():
                note(worst, ("specgrad", dtype, errors.kind), errors.units)
                if errors.is_beyond:
                    about = f"{op.name}, {errors.kind} of {errors.argument} in {dtype}"
                    findings.append(f"{about}: {errors.shown(errors.worst)}")
                if errors.kind in ("value", "gradient"):
                    compare_others(op, points, errors, worst)
        except RuntimeError as error:
            if not on_purpose(error):
                raise
            return None
    return Row(op.name, worst, tuple(findings), meaning.entry.inexact[1])


def note(worst: dict[tuple[str, str, str], float], key: tuple[str, str, str], units: np.ndarray) -> None:
    worst[key] = max(worst.get(key, 0.0), float(units.max(initial=0.0)))


# ---- the same of others ----------------------------------------------------------------------------------------------


def compare_others(op: Any, points: Measured, errors: Any, worst: dict[tuple[str, str, str], float]) -> None:
    results = {"PyTorch": by_pytorch(op, points, errors)} if find_spec("torch") else {}
    if errors.kind == "value" and errors.dtype == "float64":
        results["SciPy"] = by_scipy(points)
    for who, got in results.items():
        if got is not None:
            note(worst, (who, errors.dtype, errors.kind), compared(got, errors.right, errors.dtype, errors.columns))


def by_scipy(points: Measured) -> np.ndarray | None:
    try:
        with np.errstate(all="ignore"):
            return np.asarray(evaluate(points.meaning.expression, {**points.values, **points.columns}), float)
    except (Unknown, TypeError, ValueError):
        return None


def by_pytorch(op: Any, points: Measured, errors: Any) -> np.ndarray | None:
    torch = importlib.import_module("torch")
    function = named(torch, op)
    if function is None:
        return None
    tensors = {name: torch.from_numpy(column.copy()) for name, column in points.columns.items()}
    if errors.argument:
        tensors[errors.argument].requires_grad_()
    arguments = {("input" if name == "self" else name): v for name, v in {**points.numbers, **tensors}.items()}
    try:
        result = function(**arguments)
        if errors.argument:
            (result,) = torch.autograd.grad(result.sum(), tensors[errors.argument])
    except (RuntimeError, TypeError):  # other names of arguments, or no gradient
        return None
    return np.asarray(result.detach().numpy(force=True), float)


def named(torch: Any, op: Any) -> Callable[..., Any] | None:
    word = op.name.partition(".")[0]
    modules = (torch, torch.special, torch.nn.functional)
    return next((getattr(module, word) for module in modules if hasattr(module, word)), None)


# ---- the page --------------------------------------------------------------------------------------------------------

HEAD = """# Accuracy

The largest errors of element-wise ops, in units of the last digit of the right number, which mpmath computes with up to
3,000 digits. Points lie from the smallest subnormal number to the largest, on both sides of every threshold, beside
zeros and poles, and at both infinities. Derivatives are compared where the right one is a normal number: of reverse
mode (`gradient`), and of that again (`second`). `wrong` stands for more than a million units, nan or infinity.

`python -m codegen verify` asks a part of these points of every op, also of yours. Allowed are {value:g} units of
values, {gradient:g} of derivatives, {second:g} of second ones. The key `accuracy` of an entry names an exception.
`python -m codegen accuracy --write` writes this page; `--seed N` draws other points.
"""


def line(row: Row) -> list[str]:
    own = [row.cell("specgrad", dtype, kind) for dtype in DTYPES for kind in KINDS]
    others = [row.cell("PyTorch", dtype, kind) for dtype in DTYPES for kind in KINDS[:2]]
    return [row.op, *own, *others, row.cell("SciPy", "float64", "value")]


def page(results: Sequence[Row]) -> str:
    own = [f"{dtype} {kind.partition(' ')[0]}" for dtype in DTYPES for kind in KINDS]
    others = [f"PyTorch {dtype} {kind}" for dtype in DTYPES for kind in KINDS[:2]]
    head = ["op", *own, *others, "SciPy float64 value"]
    table = [f"| {' | '.join(each)} |" for each in (head, ["---"] * len(head), *map(line, results))]
    limits = {"value": LIMITS["value"], "gradient": LIMITS["gradient"], "second": LIMITS["second derivative"]}
    exceptions = [f"- `{row.op}`: {row.exception}" for row in results if row.exception]
    parts = [HEAD.format(**limits), "\n".join(table), "\n## Exceptions\n", "\n".join(exceptions)]
    return "\n".join(parts) + "\n"
