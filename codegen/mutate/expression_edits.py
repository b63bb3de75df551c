"""Changes of an expression, one at a time: the mistakes that whoever writes a formula can make.

An operator looks at one node of a tree and yields (what is done, what stands there instead).
"""

import ast
import copy
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Change = tuple[str, ast.expr]  # what is done, and the new node

SLIGHTLY = 1 + 1e-6

OPPOSITE: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
# Strict for unstrict and the other way round, and each reversed.
COMPARED: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}


@dataclass(frozen=True)
class Relations:
    values: Mapping[str, Collection[str]] = field(default_factory=dict)  # a value -> others of its type
    functions: Callable[[str], Sequence[str]] = lambda name: ()
    tensors: Collection[str] = ()  # the names that stand for tensors
    gradients: Collection[str] = ()  # those that stand for the output's gradient, or for tangents


def changes(tree: ast.expr, relations: Relations) -> Iterator[tuple[str, ast.AST, ast.expr]]:
    if isinstance(tree, ast.Compare | ast.BoolOp) or (isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.Not)):
        yield "negated", tree, ast.UnaryOp(ast.Not(), tree)
    else:
        yield "sign flipped", tree, ast.UnaryOp(ast.USub(), tree)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and id(node) not in called:
            for operator in OPERATORS:
                for what, new in operator(node, relations):
                    yield what, node, exchanged(tree, node, new)


def exchanged(tree: ast.expr, old: ast.AST, new: ast.expr) -> ast.expr:
    own = copy.deepcopy(new)
    result: ast.expr = copy.deepcopy(tree, {id(old): own})
    for part in ast.walk(own):
        if isinstance(part, ast.expr) and not hasattr(part, "lineno"):
            ast.copy_location(part, old)
    return result


def _operators(node: ast.expr, relations: Relations) -> Iterator[Change]:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            if type(op) in OPPOSITE:
                other = OPPOSITE[type(op)]()
                yield f"{_sign(op)} made {_sign(other)}", ast.BinOp(left, other, right)  # type: ignore[arg-type]
            yield f"right side of {_sign(op)} dropped", left
            yield f"left side of {_sign(op)} dropped", right
            if isinstance(op, ast.Sub | ast.Div | ast.Pow | ast.MatMult):
                yield f"sides of {_sign(op)} exchanged", ast.BinOp(right, op, left)
        case ast.BoolOp(op=op, values=values):
            yield f"{_sign(op)} reversed", ast.BoolOp(OPPOSITE[type(op)](), values)  # type: ignore[arg-type]
        case ast.UnaryOp(operand=operand) if not isinstance(operand, ast.Constant):
            yield f"{_sign(node.op)} dropped", operand
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            for kind in COMPARED.get(type(op), ()):
                yield f"{_sign(op)} made {_sign(kind())}", ast.Compare(left, [kind()], [right])  # type: ignore[list-item]
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield "branches exchanged", ast.IfExp(test, orelse, body)
            yield "else branch dropped", body
            yield "if branch dropped", orelse


def _leaves(node: ast.expr, relations: Relations) -> Iterator[Change]:
    match node:
        case ast.Constant(value=bool(value)):
            yield "constant reversed", ast.Constant(not value)
        case ast.Constant(value=int(value)):
            for other in {value + 1, value - 1, 0} - {value}:
                yield f"constant {value} made {other}", _number(other)
        case ast.Constant(value=float(value)):
            for new in {value * SLIGHTLY, value + 1, value - 1, 0.0} - {value}:
                yield f"constant {value!r} made {new!r}", _number(new)

        case ast.Name(id=name):
            for twin in relations.values.get(name, ()):
                yield f"'{name}' made '{twin}'", ast.Name(twin, ast.Load())
            if name in relations.gradients:
                yield f"'{name}' used twice", ast.BinOp(node, ast.Mult(), ast.Name(name, ast.Load()))


def _calls(node: ast.expr, relations: Relations) -> Iterator[Change]:
    if not isinstance(node, ast.Call):
        return
    function, args, keywords = node.func, node.args, node.keywords
    if isinstance(function, ast.Attribute):
        name = function.attr
        if not args and not keywords:
            yield f".{name}() dropped", function.value
        for other in relations.functions(name):
            yield f"'{name}' made '{other}'", ast.Call(ast.Attribute(function.value, other, ast.Load()), args, keywords)
    elif isinstance(function, ast.Name):
        name = function.id
        for number, part in enumerate(args):
            if any(isinstance(n, ast.Name) and n.id in relations.tensors for n in ast.walk(part)):
                yield f"'{name}' made its argument {number}", part
        for other in relations.functions(name):
            yield f"'{name}' made '{other}'", ast.Call(ast.Name(other, ast.Load()), args, keywords)


def _arguments(node: ast.expr, relations: Relations) -> Iterator[Change]:
    if not isinstance(node, ast.Call):
        return
    function, args, keywords = node.func, node.args, node.keywords
    for number, (first, second) in enumerate(pairwise(args)):
        if ast.dump(first) != ast.dump(second):
            swapped = [*args[:number], second, first, *args[number + 2 :]]
            yield f"arguments {number} and {number + 1} exchanged", ast.Call(function, swapped, keywords)
    if args:
        yield "last argument dropped", ast.Call(function, args[:-1], keywords)
    for keyword in keywords:
        rest = [other for other in keywords if other is not keyword]
        yield f"argument '{keyword.arg}' dropped", ast.Call(function, args, rest)


OPERATORS: tuple[Callable[[ast.expr, Relations], Iterator[Change]], ...] = (_operators, _leaves, _calls, _arguments)


def _number(value: float) -> ast.expr:
    """A number as Python's parser would give it: the sign is an operator."""
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if value < 0 else ast.Constant(value)


def _sign(op: ast.AST) -> str:
    match op:
        case ast.boolop():
            return ast.unparse(ast.BoolOp(op, [ast.Name("a"), ast.Name("b")]))[2:-2]
        case ast.unaryop():
            return ast.unparse(ast.UnaryOp(op, ast.Name("a")))[:-1].strip()
        case ast.cmpop():
            return ast.unparse(ast.Compare(ast.Name("a"), [op], [ast.Name("b")]))[2:-2]
    return ast.unparse(ast.BinOp(ast.Name("a"), op, ast.Name("b")))[2:-2]  # type: ignore[arg-type]
