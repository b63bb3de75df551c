"""Batching rules by the names that entries of the spec give."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ..ops.attention import batching as attention
from ..ops.collective import batching as collective
from ..ops.conv import batching as conv
from ..ops.distance import batching as distance
from ..ops.indexing import batching as indexing
from ..ops.loss import batching as loss
from ..ops.matmul import batching as matmul
from ..ops.norm import batching as norm
from ..ops.pooling import batching as pooling
from ..ops.recurrent import batching as recurrent
from ..ops.reduction import batching as reduction
from ..ops.shape import batching as shape
from ..ops.sorting import batching as sorting
from .call import Call
from .rules import elementwise, general, shapes

_GENERAL = (elementwise, general, shapes)
_FAMILIES = (
    *(attention, collective, conv, distance, indexing, loss, matmul, norm, pooling, recurrent, reduction),
    *(shape, sorting),
)


@functools.cache
def rule_named(name: str) -> Callable[[Call], Any]:
    """The rule of a name; no two modules define one of the same name."""
    return next(getattr(module, name) for module in (*_GENERAL, *_FAMILIES) if hasattr(module, name))
