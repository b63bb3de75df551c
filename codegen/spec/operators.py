"""Operator symbols of the spec and the special methods of Python that they stand for."""

import ast

UNARY = {"neg": ("__neg__",), "abs": ("__abs__",), "~": ("__invert__",), "invert": ("__invert__",)}
BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "truediv",
    "//": "floordiv",
    "%": "mod",
    "**": "pow",
    "@": "matmul",
    "&": "and",
    "|": "or",
    "^": "xor",
    "r-": "rsub",
    "<<": "lshift",
    ">>": "rshift",
}
REFLECTED = frozenset(BINARY) - {"@", "-", "r-"}  # those that come with the operator; `r-` is an entry's own
FROM_NUMBERS = frozenset(BINARY) - {"@", "r-", "**"}  # ops that take a number before a tensor; `**` has one of its own
COMPARISONS = {"==": "__eq__", "!=": "__ne__", "<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__"}
SYMBOLS: dict[type[ast.AST], str] = {  # by the nodes of expressions that stand for them
    **{type(ast.parse(f"a {symbol} b", mode="eval").body.op): symbol for symbol in BINARY if symbol != "r-"},  # type: ignore[attr-defined]
    **{type(ast.parse(f"a {symbol} b", mode="eval").body.ops[0]): symbol for symbol in COMPARISONS},  # type: ignore[attr-defined]
    ast.USub: "neg",
    ast.Invert: "invert",
}


def special_methods(operator: str) -> tuple[str, ...]:
    """The special methods that an operator gives, but for reflected and in-place ones, which go with them."""
    if operator in BINARY:
        return (f"__{BINARY[operator]}__",)
    return UNARY.get(operator, ()) or ((COMPARISONS[operator],) if operator in COMPARISONS else ())
