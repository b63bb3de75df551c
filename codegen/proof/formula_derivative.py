"""The derivative of a gradient formula as the framework computes it, by the formulas of the ops in it."""

import ast
from collections.abc import Mapping

from ..spec.definitions import substituted
from ..spec.formula import called
from ..spec.model import Entry
from .derivative import ONE, ZERO, chosen, is_number, negative, of_operator, plus
from .scalar_code import OPERATORS, Inliner, NotElementwise, bind


class FullInliner(Inliner):
    """Inlines formulas, those of functions that are kept out of fused kernels too."""

    def call(self, name: str, args: list[ast.expr], named: dict[str, ast.expr]) -> ast.expr:
        return args[0] if name == "unfused" else super().call(name, args, named)


class Plain(FullInliner):
    """Inlines formulas for real numbers, or in a subclass for complex ones."""

    is_complex = False

    def form(self, tree: ast.expr, scope: Mapping[str, ast.expr]) -> ast.expr:
        """The scalar form; of a choice between complex and real numbers only the side that is meant."""
        if isinstance(tree, ast.IfExp) and asks_complex(tree.test):
            return self.form(tree.body if self.is_complex else tree.orelse, scope)
        return super().form(tree, scope)


def asks_complex(test: ast.expr) -> bool:
    if isinstance(test, ast.Attribute):
        return test.attr == "is_complex"
    return isinstance(test, ast.Call) and called(test) == "is_complex"


RESULT_DERIVATIVE = "result_derivative"  # the name of the derivative of `result`
_CONSTANT = ("zeros_like", "ones_like", "full_like")


class FormulaDerivative:
    """Differentiates formulas by one argument, over ops as they are written."""

    def __init__(self, inliner: Plain, argument: str) -> None:
        self.inliner = inliner
        self.argument = argument

    def of(self, tree: ast.expr) -> ast.expr:
        match tree:
            case ast.Name(id=name):
                return ONE if name == self.argument else ast.Name(RESULT_DERIVATIVE) if name == "result" else ZERO
            case ast.Constant() | ast.Compare() | ast.BoolOp() | ast.UnaryOp(op=ast.Not() | ast.Invert()):
                return ZERO
            case ast.UnaryOp(operand=operand):
                return negative(self.of(operand))
            case ast.BinOp(left=left, op=op, right=right):
                if (result := of_operator(op, left, right, self.of)) is not None:
                    return result
                symbol = OPERATORS[type(op)]
                return self._of_ops(self.inliner.by_operator.get(symbol, []), symbol, [left, right], {})
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return chosen(test, self.of(body), self.of(orelse))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=keywords):
                return self._of_op(name, args, {k.arg or "": k.value for k in keywords})
            case ast.Call(func=ast.Attribute(value=value, attr=name), args=args, keywords=keywords):
                values = [*args]
                values.insert(self.inliner.self_position(name), value)
                return self._of_op(name, values, {k.arg or "": k.value for k in keywords})
        raise NotElementwise(ast.unparse(tree))

    def _of_op(self, name: str, args: list[ast.expr], named: dict[str, ast.expr]) -> ast.expr:
        if name in _CONSTANT:
            return ZERO
        if name == "unfused":
            return self.of(args[0])
        return self._of_ops(self.inliner.by_name.get(name, []), name, args, named)

    def _of_ops(self, ops: list[Entry], name: str, args: list[ast.expr], named: Mapping[str, ast.expr]) -> ast.expr:
        for entry in ops:
            tree = entry.compute.tree
            scope = bind(entry, args, dict(named)) if tree is not None else None
            if tree is None or scope is None:
                continue
            if entry.compute.kind == "composite":
                return self.of(substituted(tree, scope))
            call = call_of(name, args, named)
            result: ast.expr = ZERO
            for argument, formula in entry.gradients.items():
                inner = ZERO if formula.keyword == "non_differentiable" else self.of(scope[argument])
                if is_number(inner, 0):
                    continue
                if formula.tree is None:
                    raise NotElementwise(f"{entry.name} by {argument}")
                result = plus(result, substituted(formula.tree, scope | {"grad": inner, "result": call}))
            return result
        raise NotElementwise(name)


def call_of(name: str, args: list[ast.expr], named: Mapping[str, ast.expr]) -> ast.expr:
    operator = next((kind for kind, symbol in OPERATORS.items() if symbol == name), None)
    if operator is not None:
        return ast.BinOp(args[0], operator(), args[1])
    return ast.Call(ast.Name(name), args, [ast.keyword(key, value) for key, value in named.items()])
