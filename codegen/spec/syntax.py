"""The white list: the pieces of Python that the expressions of a spec may be made of."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import EllipsisType

from .bounds import constant_fault

Syntax = tuple[type, ...]  # of nodes, and of constants that are no numbers

_LEAVES = (ast.Name, ast.Constant, ast.Load)
_CALLS = (ast.Call, ast.keyword, ast.IfExp)
_ARITHMETIC = (ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Invert)
_UNARY = (ast.UnaryOp, ast.USub, ast.UAdd, ast.Not)
_LOGIC = (ast.BoolOp, ast.And, ast.Or, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_STRUCTURE = (ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.MatMult, ast.Is, ast.IsNot)

SCALAR_SYNTAX: Syntax = (*_LEAVES, *_CALLS, *_ARITHMETIC, *_BITWISE, *_UNARY, *_LOGIC)
TENSOR_SYNTAX: Syntax = (*SCALAR_SYNTAX, *_STRUCTURE)
REFERENCE_SYNTAX: Syntax = (
    *(*TENSOR_SYNTAX, ast.In, ast.NotIn, ast.BitXor, ast.LShift, ast.RShift, ast.Starred, EllipsisType),
    *(ast.ListComp, ast.GeneratorExp, ast.comprehension, ast.Store, ast.Lambda, ast.arguments, ast.arg),
)
SAMPLE_SYNTAX: Syntax = (*_LEAVES, ast.Call, ast.keyword, *_ARITHMETIC, *_UNARY, ast.Tuple, ast.List)

_SPELLING: dict[type[ast.AST], str] = {
    ast.Lambda: "a lambda",
    ast.NamedExpr: "':='",
    ast.JoinedStr: "an f-string",
    ast.Starred: "a starred argument",
    ast.GeneratorExp: "a comprehension",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.Dict: "a dict",
    ast.Set: "a set",
    ast.Attribute: "an attribute",
    ast.Subscript: "a subscript",
    ast.MatMult: "'@'",
    ast.LShift: "'<<'",
    ast.RShift: "'>>'",
    ast.In: "'in'",
    ast.NotIn: "'not in'",
    ast.Is: "'is'",
    ast.IsNot: "'is not'",
}


LIBRARIES = ("math", "cmath", "np", "numpy", "torch", "sg", "specgrad", "scipy", "jnp", "F")
NUMBERS = ("pi", "e", "tau", "inf", "nan")  # that modules have


def library_of(node: ast.expr) -> str:
    """The module at the root of `math.exp` or `torch.special.erf`; empty for anything else."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) and node.id in LIBRARIES else ""


def of_library(node: ast.Attribute) -> str:
    """What to write for something of a module."""
    instead = "the number" if node.attr in NUMBERS else node.attr
    return f"an expression has no modules: write {instead} for {ast.unparse(node)}"


def faults(node: ast.AST, parent: ast.AST, syntax: Syntax) -> Iterator[tuple[ast.AST, str]]:
    """The forbidden nodes, with the parent standing in for operators, which have no place of their own."""
    here = node if hasattr(node, "lineno") else parent
    fault = _fault(node, syntax)
    if fault:
        yield here, fault
        return
    for child in ast.iter_child_nodes(node):
        yield from faults(child, here, syntax)


def _fault(node: ast.AST, syntax: Syntax) -> str:
    """What is wrong with one node by itself; empty when nothing is."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name.startswith("_"):
            return f"'{name}': names with a leading underscore are not allowed"
        case ast.keyword(arg=None):
            return "a starred argument is not allowed here"
        case ast.Call(func=ast.Lambda()) if ast.Lambda in syntax:
            return ""
        case ast.Call(func=function) if not isinstance(function, ast.Name | ast.Attribute):
            return "only a function or a method can be called"
        case ast.Constant(value=bytes()):
            return "a bytes literal is not allowed here"
        case ast.Constant(value=value) if value is Ellipsis and EllipsisType not in syntax:
            return "'...' is not allowed here"
        case ast.Attribute() if ast.Attribute not in syntax and library_of(node):
            return of_library(node)
    if isinstance(node, syntax):
        return constant_fault(node)
    return f"{_SPELLING.get(type(node), type(node).__name__)} is not allowed here"
