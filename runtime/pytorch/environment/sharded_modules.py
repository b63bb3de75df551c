"""`distributed.fsdp`: no module's parameters lie on several processes, but how they would can be said."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from .process_groups import Absent


class FSDPModule(Absent):
    """The class of modules whose parameters several processes share: no module is one."""


class FullyShardedDataParallel(Absent):
    """The older class of such modules: there are none."""


@dataclass(frozen=True)
class MixedPrecisionPolicy:
    """In which dtypes such a module would compute.

    Args:
        param_dtype: that of parameters.
        reduce_dtype: that in which gradients are joined.
        output_dtype: that of outputs.
        cast_forward_inputs: whether inputs are cast to `param_dtype`.
    """

    param_dtype: Any = None
    reduce_dtype: Any = None
    output_dtype: Any = None
    cast_forward_inputs: bool = True


@dataclass
class OffloadPolicy:
    """Parameters would stay where the module computes."""


@dataclass
class CPUOffloadPolicy(OffloadPolicy):
    """Parameters would lie in the host's memory between calls.

    Args:
        pin_memory: whether that memory is pinned.
    """

    pin_memory: bool = True


@contextmanager
def implicit_replication() -> Iterator[None]:
    """A region in which tensors beside those of several processes count as copies in all of these: there are none."""
    yield
