"""Scalar expressions as formulas over ops: choices by elements become `where`, `and` and `or` go bit by bit."""

import ast
import math
from collections.abc import Collection
from contextlib import suppress

from ..language.scalar_functions import Functions
from ..spec.formula import names_in
from .derivative import chosen, meaning
from .numbers import CONSTANTS, FLOAT, Unknown, evaluate

_SPELLED: dict[type, type] = {ast.And: ast.BitAnd, ast.Or: ast.BitOr}  # of tensors, bit by bit


class Formulas:
    """`like`: of rows, whose masks may be of integers, a tensor in whose dtype the numbers are that a mask chooses."""

    def __init__(
        self, result: ast.expr | None, tensors: Collection[str], own: Functions, like: str | None = None
    ) -> None:
        self.like = like
        self.own = own
        self.result = ast.dump(result) if result is not None else ""
        self.tensors = tensors

    def formula(self, tree: ast.expr) -> ast.expr:
        if ast.dump(tree) == self.result:
            return ast.Name("result", ast.Load())
        match tree:
            case ast.Name(id=name):
                return ast.Constant(CONSTANTS[name]) if name in CONSTANTS else ast.Name(name, ast.Load())
            case ast.Constant():
                return tree
            case ast.UnaryOp(op=op, operand=operand):
                return ast.UnaryOp(ast.Invert() if isinstance(op, ast.Not) else op, self.formula(operand))
            case ast.BoolOp(op=op, values=[first, *rest]):
                result = self.formula(first)
                for value in rest:
                    result = ast.BinOp(result, _SPELLED[type(op)](), self.formula(value))
                return result
            case ast.BinOp(left=left, op=op, right=right):
                return ast.BinOp(self.formula(left), op, self.formula(right))
            case ast.Compare(left=left, ops=ops, comparators=[right]):
                return ast.Compare(self.formula(left), ops, [self.formula(right)])
            case (
                ast.IfExp(test=test, body=body, orelse=orelse)
                | ast.Call(func=ast.Name(id="where" | "either"), args=[test, body, orelse])
            ):
                parts = [self.formula(part) for part in (test, body, orelse)]
                if names_in(test) & {*self.tensors}:
                    return self.chosen_by_element(*parts)
                return chosen(*parts)
        assert isinstance(tree, ast.Call)
        return self.call(tree)

    def chosen_by_element(self, test: ast.expr, body: ast.expr, orelse: ast.expr) -> ast.expr:
        if self.like is not None:
            if isinstance(test, ast.Name):  # which may be of integers
                test = ast.Compare(test, [ast.NotEq()], [ast.Constant(0)])
            if not (names_in(body) | names_in(orelse)) & {*self.tensors}:
                body = ast.Call(ast.Name("full_like", ast.Load()), [ast.Name(self.like, ast.Load()), body], [])
        return ast.Call(ast.Name("where", ast.Load()), [test, body, orelse], [])

    def call(self, tree: ast.Call) -> ast.expr:
        assert isinstance(tree.func, ast.Name)
        name = tree.func.id
        is_expression = name in self.own and not any(self.own[name].derivatives)  # with given derivatives it is an op
        if is_expression and (stands_for := meaning(name, tree.args, self.own)) is not None:
            return self.formula(stands_for)
        args = [self.formula(argument) for argument in tree.args]
        if name in FLOAT and all(isinstance(argument, ast.Constant) for argument in args):
            with suppress(Unknown):  # of too few numbers, say, which is a problem of the expression's
                value = float(evaluate(ast.Call(tree.func, args, []), {}))
                if math.isfinite(value):
                    return ast.Constant(value)
        if name == "divide":
            return ast.BinOp(args[0], ast.Div(), args[1])
        return ast.Call(ast.Name(name, ast.Load()), args, [])
