"""What an item of the key `try` says: an op with the same arguments, or the call of one, behind what must hold."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True)
class Trial:
    """An op that is tried first: with the arguments of the entry, or with those of a call of its own."""

    op: str
    arguments: tuple[ast.expr, ...] | None = None
    conditions: tuple[ast.expr, ...] = ()

    @property
    def written(self) -> tuple[ast.expr, ...]:
        return (*self.conditions, *(self.arguments or ()))


@lru_cache(maxsize=1024)
def trial(text: str) -> Trial | None:
    """`mm`, `mm(self, other)` or `self.ndim == 2 and mm(self, other)`; None for what is none of these."""
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    overload = isinstance(tree, ast.Attribute) and isinstance(tree.value, ast.Name)
    if isinstance(tree, ast.Name) or overload:
        return Trial(text)
    both = isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And)
    *conditions, call = tree.values if isinstance(tree, ast.BoolOp) and both else [tree]
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.keywords:
        return None
    return Trial(call.func.id, tuple(call.args), tuple(conditions))
