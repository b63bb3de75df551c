"""Derivatives of scalar expressions by the chain rule, as expressions again."""

import ast
import copy
from collections.abc import Callable, Mapping

from ..language.scalar_functions import NONE, Functions, Scalar, known_function, parsed
from .scalar_code import substitute

ZERO, ONE = ast.Constant(0), ast.Constant(1)
Derivatives = Mapping[str, ast.expr]  # the derivatives of names that are not constant
_DIVISION, _POWER = (ast.Name(name, ast.Load()) for name in ("divide", "pow"))


class NoDerivative(Exception):
    """An expression of something whose derivative is not known."""


def derivative(tree: ast.expr, along: Derivatives, own: Functions = NONE) -> ast.expr:
    """The derivative of an expression, given those of its names; other names are constant."""

    def of(part: ast.expr) -> ast.expr:
        return derivative(part, along, own)

    match tree:
        case ast.Name(id=name):
            return along.get(name, ZERO)
        case ast.Constant() | ast.Compare() | ast.BoolOp():
            return ZERO
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return negative(of(operand))
        case ast.UnaryOp():
            return ZERO
        case ast.BinOp(left=left, op=ast.Div() | ast.Pow() as op, right=right):
            return of(ast.Call(_DIVISION if isinstance(op, ast.Div) else _POWER, [left, right], []))
        case ast.BinOp(left=left, op=op, right=right):
            if (result := of_operator(op, left, right, of)) is None:
                raise NoDerivative(type(op).__name__)
            return result
        case (
            ast.IfExp(test=test, body=body, orelse=orelse)
            | ast.Call(func=ast.Name(id="where" | "either"), args=[test, body, orelse])
        ):
            return chosen(test, of(body), of(orelse))
        case ast.Call(func=ast.Name(id=name), args=args):
            known = known_function(name, own)
            takes_these = known is not None and len(args) == len(known.parameters)
            total: ast.expr = ZERO
            for i, argument in enumerate(args):
                inner = of(argument)
                if is_number(inner, 0):
                    continue
                outer = derivative_by(known, i, own) if known is not None and takes_these else None
                if known is None or outer is None:
                    hint = ": give it above the function, by @derivatives" if name in own else ""
                    raise NoDerivative(f"the derivative of {name} by its argument {i + 1}{hint}")
                scope = dict(zip(known.parameters, args, strict=True)) | {"result": tree}
                total = plus(total, times(substitute(outer, scope), inner))
            return total
    raise NoDerivative(ast.unparse(tree))


Tree = ast.expr


def of_operator(op: ast.operator, left: Tree, right: Tree, of: Callable[[Tree], Tree]) -> Tree | None:
    match op:
        case ast.Add():
            return plus(of(left), of(right))
        case ast.Sub():
            return plus(of(left), negative(of(right)))
        case ast.Mult():
            return plus(times(of(left), right), times(left, of(right)))
        case ast.BitAnd() | ast.BitOr() | ast.BitXor():
            return ZERO
    return None


def derivative_by(known: Scalar, i: int, own: Functions) -> ast.expr | None:
    declared = known.derivative(i)
    if declared is not None or known.meaning is None:
        return declared
    return derivative(parsed(known.meaning), {known.parameters[i]: ONE}, own)


# ---- sums and products without what goes without saying --------------------------------------------------------------


def is_number(tree: ast.expr, value: float) -> bool:
    return isinstance(tree, ast.Constant) and not isinstance(tree.value, bool) and tree.value == value


def plus(left: ast.expr, right: ast.expr) -> ast.expr:
    if is_number(left, 0) or is_number(right, 0):
        return right if is_number(left, 0) else left
    if isinstance(right, ast.UnaryOp) and isinstance(right.op, ast.USub):
        return ast.BinOp(left, ast.Sub(), right.operand)
    if sorted(_factors(left)) == sorted(_factors(right)):
        return times(ast.Constant(2), left)
    return ast.BinOp(left, ast.Add(), right)


def _factors(tree: ast.expr) -> list[str]:
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Mult):
        return [*_factors(tree.left), *_factors(tree.right)]
    return [ast.dump(tree)]


def negative(tree: ast.expr) -> ast.expr:
    if is_number(tree, 0):
        return tree
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return tree.operand
    return ast.UnaryOp(ast.USub(), tree)


def times(left: ast.expr, right: ast.expr) -> ast.expr:
    values = [part.value for part in (left, right) if isinstance(part, ast.Constant)]
    if len(values) == 2 and all(type(value) in (int, float) for value in values):
        return ast.Constant(values[0] * values[1])  # type: ignore[operator]
    for one, other in ((left, right), (right, left)):
        if is_number(one, 0) or is_number(other, 1):
            return one
        if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.USub):
            return negative(times(*((one.operand, right) if one is left else (left, one.operand))))
        if isinstance(one, ast.Call) and _is_inverse(one):
            return ast.Call(_DIVISION, [other, one.args[1]], [])
    return ast.BinOp(left, ast.Mult(), right)


def _is_inverse(call: ast.Call) -> bool:
    return isinstance(call.func, ast.Name) and call.func.id == "divide" and is_number(call.args[0], 1)


def chosen(test: ast.expr, body: ast.expr, orelse: ast.expr) -> ast.expr:
    return body if ast.dump(body) == ast.dump(orelse) else ast.IfExp(copy.deepcopy(test), body, orelse)


def meaning(name: str, args: list[ast.expr], own: Functions = NONE) -> ast.expr | None:
    known = known_function(name, own)
    if known is None or known.meaning is None or len(args) != len(known.parameters):
        return None
    return substitute(parsed(known.meaning), dict(zip(known.parameters, args, strict=True)))
