"""An intrinsic for many small matrices that lie side by side: each element of all of them in neighbouring lanes."""

from __future__ import annotations

from typing import Any

from .. import for_numba
from ..vectors import Vectors

TOGETHER = 16  # matrices, a multiple of all processors' lanes


@for_numba
def subtract_multiples(context: Any, like: Any, factors: Any, source: Any, to: Any, count: Any) -> Any:
    """subtract_multiples(like, factors, source, to, count): to_cl -= f_l x_cl of `count` elements of TOGETHER matrices.

    All are addresses of contiguous numbers but for the count.
    """
    from numba import types
    from numba.core import cgutils

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vectors = Vectors(context, builder, like)
        _, factors, source, to, count = args
        places = [vectors.number(v * vectors.bytes) for v in range(TOGETHER // vectors.lanes)]
        others = [builder.fneg(vectors.load(builder.add(factors, place))) for place in places]
        with cgutils.for_range(builder, count) as loop:
            at = builder.mul(loop.index, vectors.number(TOGETHER * vectors.size))
            for factor, place in zip(others, places, strict=True):
                here = builder.add(at, place)
                target = builder.add(to, here)
                value = vectors.fma(factor, vectors.load(builder.add(source, here)), vectors.load(target))
                vectors.store(value, target)
        return context.get_dummy_value()

    return types.void(like, *[types.int64] * 4), code
