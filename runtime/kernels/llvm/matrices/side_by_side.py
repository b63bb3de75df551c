"""An intrinsic for many small matrices that lie side by side: each element of all of them in neighbouring lanes."""

from __future__ import annotations

from typing import Any

from .. import for_numba
from ..vectors import Vectors

BATCH_MATRICES = 16  # matrices, a multiple of all processors' lanes


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
        offsets = [vectors.number(v * vectors.bytes) for v in range(BATCH_MATRICES // vectors.lanes)]
        others = [builder.fneg(vectors.load(builder.add(factors, offset))) for offset in offsets]
        with cgutils.for_range(builder, count) as loop:
            at = builder.mul(loop.index, vectors.number(BATCH_MATRICES * vectors.size))
            for factor, offset in zip(others, offsets, strict=True):
                here = builder.add(at, offset)
                target = builder.add(to, here)
                value = vectors.fma(factor, vectors.load(builder.add(source, here)), vectors.load(target))
                vectors.store(value, target)
        return context.get_dummy_value()

    return types.void(like, *[types.int64] * 4), code
