"""The syntax of expressions: the nodes of `ast` that are allowed, and bounds on length, depth and constants."""

import ast
import cmath
import difflib
import math
import operator
from collections.abc import Callable, Collection, Iterable, Iterator
from types import EllipsisType
from typing import Any

MAX_TITLE_CHARS = 4_000  # of an expression; the longest of specgrad's own has some 300
MAX_LEVELS = 40  # of operators, calls and brackets in each other
LARGEST = 2**63 - 1  # of the integers in it: what an int64 holds
LARGEST_EXPONENT = 64  # of a power of numbers
MAX_INTEGER_BITS = 64 * LARGEST_EXPONENT  # of an integer that an expression of numbers comes to


def too_deep(tree: ast.expr, max_length: int = MAX_LEVELS) -> ast.AST | None:
    layer: list[ast.expr] = [tree]
    for _ in range(max_length):
        layer = [below for node in layer for below in _operands(node)]
    return layer[0] if layer else None


def _operands(node: ast.AST) -> Iterator[ast.expr]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            yield child
        else:
            yield from _operands(child)


def constant_fault(node: ast.AST) -> str:
    match node:
        case ast.Constant(value=int(value)) if abs(value) > LARGEST:
            return "expected an integer of at most 64 bits"
        case ast.Constant(value=float() | complex() as value) if not _is_finite(value):
            return "expected a number that a float can hold: infinity is written inf"
        case ast.BinOp(left=left, op=ast.Pow(), right=right) if _is_constant(left) and not _is_exponent(right):
            return f"expected a power of numbers to have a number of at most {LARGEST_EXPONENT} as its exponent"
        case ast.BinOp(left=ast.BinOp() as left, op=ast.Pow()) if _is_constant(left):
            return "expected a power of a number, found one of an expression of numbers: write what it comes to"
        case ast.BinOp(left, ast.Div() | ast.FloorDiv() | ast.Mod(), ast.Constant(value=0)) if _is_constant(left):
            return "expected a number to be divided by another one than zero"
        case ast.BinOp(left=left, op=ast.Mult(), right=right) if _is_sequence(left) or _is_sequence(right):
            return "a list or a string cannot be repeated here: write it out"
        case ast.BinOp() if (_bits(node) or 0) > MAX_INTEGER_BITS:
            return f"expected numbers that come to one of at most {MAX_INTEGER_BITS} bits"
        case ast.BinOp() if _is_constant(node) and not _is_finite(_value(node)):
            return "expected numbers that come to one which an int64 or a float can hold"
    return ""


ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


def _value(node: ast.expr) -> complex:
    match node:
        case ast.Constant(value=int() | float() | complex() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand)
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in ARITHMETIC:
            values = _value(left), _value(right)
            if not all(map(_is_finite, values)) or (isinstance(sign, ast.Pow) and not _is_exponent(right)):
                return 0  # that part is at fault
            try:
                return ARITHMETIC[type(sign)](*values)
            except OverflowError:
                return math.inf
            except (ArithmeticError, TypeError):
                return 0
    return 0


def _is_finite(value: complex) -> bool:
    return abs(value) <= LARGEST if isinstance(value, int) else cmath.isfinite(value)


def _bits(node: ast.expr) -> float | None:
    """An upper bound on the bits of an integer expression of numbers alone, which is not computed; else None."""
    match node:
        case ast.Constant(value=value):
            return value.bit_length() if isinstance(value, int) else 1
        case ast.UnaryOp(operand=operand):
            return _larger(operand, more=1)
        case ast.IfExp(body=body, orelse=orelse):
            return _larger(body, orelse)
        case ast.BoolOp(values=values):
            return _larger(*values)
        case ast.Compare():
            return 1
        case ast.BinOp(left=left, op=ast.Mult() | ast.Pow() as op, right=right):
            first, second = _bits(left), _bits(right)
            if first is None or second is None:
                return None
            if isinstance(op, ast.Mult):
                return first + second
            if isinstance(right, ast.Constant) and isinstance(right.value, int | float):
                return first * abs(right.value)
            return first * (2.0**second if second < MAX_INTEGER_BITS / 8 else math.inf)
        case ast.BinOp(left=left, right=right):
            return _larger(left, right, more=1)
    return None


def _larger(*nodes: ast.expr, more: int = 0) -> float | None:
    matches = [bits for node in nodes if (bits := _bits(node)) is not None]
    return max(matches) + more if len(matches) == len(nodes) else None


def _is_constant(node: ast.expr) -> bool:
    parts = [part for part in ast.walk(node) if isinstance(part, ast.expr)]
    return all(isinstance(part, ast.Constant | ast.UnaryOp | ast.BinOp) for part in parts)


def _is_exponent(node: ast.expr) -> bool:
    value = node.operand if isinstance(node, ast.UnaryOp) else node
    if isinstance(value, ast.Constant) and isinstance(value.value, int | float):
        return abs(value.value) <= LARGEST_EXPONENT
    return not _is_constant(node)


def _is_sequence(node: ast.expr) -> bool:
    match node:
        case ast.List() | ast.Tuple() | ast.Constant(value=str()):
            return True
        case ast.IfExp(body=first, orelse=second) | ast.BinOp(left=first, op=ast.Add(), right=second):
            return _is_sequence(first) or _is_sequence(second)
        case ast.BoolOp(values=values):
            return any(map(_is_sequence, values))
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _is_sequence(value)
    return False


Syntax = tuple[type, ...]  # of nodes, and of constants that are no numbers

_LEAVES = (ast.Name, ast.Constant, ast.Load)
_CALLS = (ast.Call, ast.keyword, ast.IfExp)
_ARITHMETIC = (ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.Invert)
_UNARY = (ast.UnaryOp, ast.USub, ast.UAdd, ast.Not)
_LOGIC = (ast.BoolOp, ast.And, ast.Or, ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_STRUCTURE = (ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.MatMult, ast.Is, ast.IsNot)

SCALAR_SYNTAX: Syntax = (*_LEAVES, *_CALLS, *_ARITHMETIC, *_BITWISE, *_UNARY, *_LOGIC)
TENSOR_SYNTAX: Syntax = (*SCALAR_SYNTAX, *_STRUCTURE, EllipsisType)
REFERENCE_SYNTAX: Syntax = (
    *(*TENSOR_SYNTAX, ast.In, ast.NotIn, ast.BitXor, ast.LShift, ast.RShift, ast.Starred),
    *(ast.ListComp, ast.GeneratorExp, ast.comprehension, ast.Store, ast.Lambda, ast.arguments, ast.arg),
)
SAMPLE_SYNTAX: Syntax = (*_LEAVES, ast.Call, ast.keyword, *_ARITHMETIC, *_UNARY, ast.Tuple, ast.List)

_HELD = "names, numbers, operators, comparisons, `a if c else b` and calls"
HOLDS: dict[Syntax, str] = {
    SCALAR_SYNTAX: f": a scalar expression holds {_HELD} of functions",
    TENSOR_SYNTAX: f": a formula holds {_HELD}, strings, attributes, subscripts, tuples and lists",
}

_SPELLING: dict[type[ast.AST], str] = {
    ast.Lambda: "a lambda",
    ast.NamedExpr: "':='",
    ast.JoinedStr: "an f-string",
    ast.Starred: "a starred argument",
    **dict.fromkeys((ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp), "a comprehension"),
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


LIBRARIES = (
    *("math", "cmath", "np", "numpy", "torch", "sg", "specgrad", "scipy", "jnp", "F"),
    *("nn", "linalg", "special", "fft"),
)
NUMBERS = {"inf": math.inf, "nan": math.nan, "pi": math.pi}  # names that expressions have for numbers


def library_of(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) and node.id in LIBRARIES else ""


def of_library(node: ast.Attribute, known: str = "") -> str:
    instead = "the number" if node.attr in ("e", "tau") else known or node.attr
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
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) if name.startswith("_"):
            return f"'{name}': names with a leading underscore are not allowed"
        case ast.keyword(arg=None):
            return "a starred argument is not allowed here"
        case ast.Call(func=ast.Lambda()) if ast.Lambda in syntax:
            return ""
        case ast.Call(func=function) if not isinstance(function, ast.Name | ast.Attribute):
            return "only a function or a method can be called"
        case ast.Call(func=ast.Attribute(value=value, attr=name)) if _has_no_methods(value, syntax):
            return f"there are no methods here: write {name}({ast.unparse(value)})"
        case ast.Constant(value=bytes()):
            return "a bytes literal is not allowed here"
        case ast.Constant(value=value) if value is Ellipsis and EllipsisType not in syntax:
            return f"'...' is not allowed here{HOLDS.get(syntax, '')}"
        case ast.Attribute() if ast.Attribute not in syntax and library_of(node):
            return of_library(node)
    if isinstance(node, syntax):
        return constant_fault(node)
    return f"{_SPELLING.get(type(node), type(node).__name__)} is not allowed here{HOLDS.get(syntax, '')}"


def _has_no_methods(value: ast.expr, syntax: Syntax) -> bool:
    return ast.Attribute not in syntax and not library_of(value)


LONGEST = 100  # letters of a name that could be a slip of the pen


def did_you_mean(name: str, known: Iterable[str]) -> str:
    if len(name) > LONGEST:
        return ""
    known = sorted(set(known))
    folded = {each.lower(): each for each in known}
    if folded.get(name.lower(), name) != name:
        return f" (did you mean '{folded[name.lower()]}'?)"
    matches = difflib.get_close_matches(name, known, n=1)
    return f" (did you mean '{matches[0]}'?)" if matches else ""


def one_of(name: str, known: Collection[str], more: str = "") -> str:
    return did_you_mean(name, known) or f" (one of {' '.join(known)}{more})"
