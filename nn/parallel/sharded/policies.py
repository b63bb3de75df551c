"""What is chosen for a sharded module: dtypes, and where its parameters lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """In which dtypes a sharded module computes; sharded parameters keep theirs, which optimizers see.

    Args:
        param_dtype: that of whole parameters, and so of what is computed; theirs when left out.
        reduce_dtype: that in which gradients are joined; that of the whole parameters when left out.
        output_dtype: that of floating-point outputs; as they come when left out.
        cast_forward_inputs: whether floating-point inputs are cast to `param_dtype`.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Parameters stay where the module computes."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parameters lie in the host's memory between calls, as those of modules on the CPU do anyhow.

    Args:
        pin_memory: whether that memory is pinned.
    """

    pin_memory: bool = True
