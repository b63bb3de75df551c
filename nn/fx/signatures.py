"""Arguments of nodes by name, as the signature of what is called has them."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from .lint import NodeLike


class ArgsKwargsPair(NamedTuple):
    """Arguments by place, and by name."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def normalized(node: NodeLike, root: Any) -> ArgsKwargsPair | None:
    """All arguments of a call by name, defaults too; None where the signature is not known."""
    called = node.target if node.op == "call_function" else None
    if node.op == "call_module":
        called = root.get_submodule(node.target).forward
    if called is None:
        return None
    try:
        bound = inspect.signature(called).bind(*node.args, **node.kwargs)
    except (TypeError, ValueError):
        return None
    bound.apply_defaults()
    return ArgsKwargsPair((), dict(bound.arguments))
