"""Whether a proof in real numbers holds in complex ones: it does where conjugates stand as they must.

The expression of an op that is analytic, f, has the gradient grad conj(f'(z)). A formula over analytic functions that
are real on the real axis is that, if it is grad f'(x) in real numbers and each argument stands under an odd number of
conjugates, `grad` under an even one: conj(g(z)) = g(conj(z)), so the formula is grad h(conj(z)) for an analytic h, and
what equals f' on an interval equals it everywhere (the identity theorem; a branch cut is not crossed).
"""

import ast
from collections.abc import Iterator, Mapping

from ..spec.formula import called
from ..spec.model import Entry, Formula
from .formula_derivative import Plain
from .scalar_code import NotElementwise, inlined

# Functions of the scalar library that are not analytic, or that numbers without an order have not.
NOT_ANALYTIC = frozenset(("abs", "angle", "imag", "real", "sgn", "sign", "maximum", "minimum", "fmax", "fmin"))
CONJUGATE = "conj"


class Complex(Plain):
    is_complex = True


def fault(entries: Mapping[str, Entry], entry: Entry, formula: Formula) -> str | None:
    """Why the proof does not hold in complex numbers; empty where it does, None where the op takes none."""
    if "complex" not in entry.dtypes or entry.compute.tree is None:
        return None
    if not _is_analytic(entry.compute.tree, CONJUGATE):
        return "the op is not analytic"
    try:
        written = inlined(entry, Complex(entries), formula.tree)
    except NotElementwise as error:
        return f"{error} is no scalar function"
    if not _is_analytic(written):
        return "the formula is not analytic"
    plain = {a.name for a in entry.schema.arguments if a.type.base not in ("Tensor", "Scalar")}
    return next((text for name, text in _misplaced(written, 0) if name not in {*plain, *entry.masks}), "")


def _is_analytic(tree: ast.expr, *others: str) -> bool:
    without = NOT_ANALYTIC.union(others)
    return not any(isinstance(node, ast.Call) and called(node) in without for node in _computed(tree))


def _computed(tree: ast.AST) -> Iterator[ast.AST]:
    yield tree
    for part in ast.iter_child_nodes(tree):
        if not isinstance(part, ast.Compare):
            yield from _computed(part)


def _misplaced(tree: ast.AST, conjugates: int) -> Iterator[tuple[str, str]]:
    """(name, what is wrong) of names under an even number of conjugates, `grad` under an odd one, complex constants."""
    match tree:
        case ast.Compare():
            return
        case ast.Name(id=name) if (name == "grad") == bool(conjugates % 2):
            yield name, f"'{name}' stands {'under' if conjugates % 2 else 'without'} a conjugate"
        case ast.Constant(value=complex()):
            yield "", "it has a complex number"
        case ast.Call(func=ast.Name(id=name), args=args):
            for argument in args:
                yield from _misplaced(argument, conjugates + (name == CONJUGATE))
        case _:
            for part in ast.iter_child_nodes(tree):
                yield from _misplaced(part, conjugates)
