"""What a rank does that has no more batches while others have."""

from __future__ import annotations

from typing import Any

from ...runtime.creation import tensor
from ...runtime.distributed import collectives
from ...runtime.distributed.groups.reduce_op import ReduceOp
from ...runtime.tensor.dtypes import int64


def notify_join(parallel: Any) -> None:
    """Take part in the others' passes, with zeros, until nobody has a batch; then all get the last one's parameters.

    Args:
        parallel: the DistributedDataParallel.

    Raises:
        RuntimeError: others have batches, and the program wants that to be an error.
    """
    passes = 0
    while True:
        active, reducing = parallel._count_active(0.0, 0.0)
        if not active:
            break
        passes += 1
        _shadow(parallel, bool(reducing))
    last = tensor([-1 if passes else parallel.process_group.rank()], dtype=int64)
    collectives.all_reduce(last, ReduceOp.MAX, parallel.process_group)
    parallel._copy_from(int(last))


def _shadow(parallel: Any, reduces: bool) -> None:
    parallel._begin_pass(reduces)
    if reduces:
        parallel._reducer.reduce_nothing()
