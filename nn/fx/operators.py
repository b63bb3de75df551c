"""The operators of Python as functions of the module `operator`, and how they are written."""

from __future__ import annotations

# Of each function's name the operation on operands {0} and {1}.
BINARY = {
    "add": "+", "sub": "-", "mul": "*", "floordiv": "//", "truediv": "/", "mod": "%", "pow": "**", "lshift": "<<",
    "rshift": ">>", "and_": "&", "or_": "|", "xor": "^", "matmul": "@", "eq": "==", "ne": "!=", "lt": "<", "gt": ">",
    "le": "<=", "ge": ">=",
}  # fmt: skip
REFLECTED = tuple(name for name in BINARY if name not in ("eq", "ne", "lt", "gt", "le", "ge"))
UNARY = {"pos": "+", "neg": "-", "invert": "~"}
SYMBOLS = {name: f"{{}} {sign} {{}}" for name, sign in BINARY.items()} | {
    "pos": "+{}",
    "neg": "-{}",
    "invert": "~{}",
    "getitem": "{}[{}]",
}


def method_name(name: str) -> str:
    """The special method of an operator: `__and__` of `and_`."""
    return f"__{name.rstrip('_')}__"
