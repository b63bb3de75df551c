"""`python -m codegen derive EXPRESSION`: an entry for a scalar expression, with the formulas that it does not need."""

from __future__ import annotations

import argparse
import ast
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .proof.derive import completed, missing_derivative
from .proof.numbers import CONSTANTS
from .spec.formula import functions_in
from .spec.formula import names as formula_names
from .spec.load import read_spec
from .spec.model import Entry

NAME = "my_op"


def derive_command(argv: Sequence[str]) -> int:
    """Print an entry that computes the expression; 1 where it has no formulas."""
    parser = argparse.ArgumentParser(prog="python -m codegen derive", description=__doc__)
    parser.add_argument("expression", help='over names of tensors, as in "self * sigmoid(beta * self)"')
    parser.add_argument("--numbers", nargs="*", default=[], metavar="NAME", help="the names that are numbers")
    parser.add_argument("--complex", action="store_true", help="for complex numbers too")
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "entry.yaml"
        path.write_text(entry_source(options.expression, options.numbers, options.complex), encoding="utf-8")
        spec, problems = read_spec(path, "expression")
    for problem in problems:
        print(f"derive: {problem.message}", file=sys.stderr)
    if problems or not spec.entries:
        return 1
    return shown(completed(spec.entries[0]))


def entry_source(expression: str, numbers: Sequence[str], is_complex: bool) -> str:
    """An entry without formulas: its arguments are the names of the expression, in order of place."""
    arguments = [f"{'Scalar' if name in numbers else 'Tensor'} {name}" for name in names(expression)]
    kinds = "float, complex" if is_complex else "float"
    body = "\n".join(f"    {line}" for line in expression.splitlines())
    return f"- name: {NAME}({', '.join(arguments)}) -> Tensor\n  dtypes: [{kinds}]\n  elementwise: >-\n{body}\n"


def names(expression: str) -> list[str]:
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except SyntaxError:
        return ["self"]  # what is wrong is said where the entry is read
    other = {*functions_in(tree), *CONSTANTS}
    return list(dict.fromkeys(node.id for node in formula_names(tree) if node.id not in other))


def shown(entry: Entry) -> int:
    if reason := missing_derivative(entry):
        print(f"derive: no formula: {reason}", file=sys.stderr)
        return 1
    lines = [f"- name: {entry.schema.text}", f"  dtypes: [{', '.join(entry.dtypes)}]"]
    lines.append(f"  elementwise: {' '.join(entry.compute.text.split())}")
    lines += [f"  {name}: {formula.text}" for name, formula in entry.gradients.items()]
    lines += [f"  {name}: {formula.text}" for name, formula in entry.forward.items()]
    kinks = entry.kink[0] if len(entry.kink) == 1 else f"[{', '.join(entry.kink)}]"
    lines += [f"  kink: {kinks}"] * (entry.kink != ("average",))
    print("\n".join(lines))
    return 0
