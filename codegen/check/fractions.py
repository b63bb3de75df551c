"""An element-wise expression that gives fractions for integers wants `dtype: float`: `promote` computes in integers."""

import ast
from collections.abc import Iterator

from ..spec.model import Entry, Problem
from .scope import Context

REMEDY = (
    "is a fraction for integers, and `dtype: promote` computes in the dtype of the arguments: "
    "write `dtype: float`, or leave bool and int out of `dtypes`"
)


def check_fractions(context: Context) -> Iterator[Problem]:
    entry, compute = context.entry, context.entry.compute
    keeps_integers = entry.dtype == "promote" and {"bool", "int"} & set(entry.dtypes)
    if compute.kind != "elementwise" or compute.tree is None or not keeps_integers:
        return
    for node in _fractions(compute.tree, context.ops.entries):
        yield context.problem(node, f"'{ast.unparse(node)}' {REMEDY}", compute.kind)


def _fractions(node: ast.expr, entries: dict[str, Entry]) -> Iterator[ast.expr]:
    """The first parts of a value that are no integers; what is only compared is no part of it."""
    match node:
        case ast.Compare():
            return
        case ast.Constant(value=float(number)) if not number.is_integer():
            yield node
        case ast.BinOp(op=ast.Div()):
            yield node
        case ast.Call(func=ast.Name(id=name)) if name in entries and _is_float(entries[name]):
            yield node
        case ast.IfExp(body=body, orelse=orelse):
            yield from _fractions(body, entries)
            yield from _fractions(orelse, entries)
        case _:
            for child in ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from _fractions(child, entries)


def _is_float(entry: Entry) -> bool:
    """An op for formulas says nothing: its dtypes are those that gradients have."""
    takes_integers = {"bool", "int"} & set(entry.dtypes)
    return entry.dtype == "float" or (not takes_integers and entry.variants != ("formula",))
