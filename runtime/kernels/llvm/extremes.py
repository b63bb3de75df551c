"""`min` and `max` of numbers in kernels: numba's compile a function for each number and type of arguments."""

from __future__ import annotations

import operator
from typing import Any

from . import for_numba


@for_numba
def minimum_of(context: Any, x: Any, y: Any, *more: Any) -> Any:
    """min(x, y, ...): of nan and another number the one that comes first, as Python has it."""
    return _extreme(context, operator.lt, x, y, more)


@for_numba
def maximum_of(context: Any, x: Any, y: Any, *more: Any) -> Any:
    """max(x, y, ...)."""
    return _extreme(context, operator.gt, x, y, more)


def _extreme(context: Any, better: Any, x: Any, y: Any, more: Any) -> Any:
    from numba import types
    from numba.core import cgutils

    rest = more[0].types if more and isinstance(more[0], types.BaseTuple) else more  # the second time it is one tuple
    kinds = [types.unliteral(kind) for kind in (x, y, *rest)]
    common = context.unify_types(*kinds)

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        values = [*args[:2], *cgutils.unpack_tuple(builder, args[2], len(rest))]
        first, *others = (context.cast(builder, *value, common) for value in zip(values, kinds, strict=True))
        compare = context.get_function(better, types.boolean(common, common))
        for other in others:
            first = builder.select(compare(builder, (other, first)), other, first)
        return first

    return common(x, y, types.StarArgTuple.from_types(rest)), code
