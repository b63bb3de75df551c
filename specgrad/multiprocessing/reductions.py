"""How tensors travel to other processes, under PyTorch's name; the code is in specgrad.runtime.multiprocessing."""

from multiprocessing.reduction import ForkingPickler

from ..runtime.multiprocessing.reductions import (
    init_reductions,
    rebuild_tensor,
    reduce_storage,
    reduce_tensor,
)

__all__ = ["ForkingPickler", "init_reductions", "rebuild_tensor", "reduce_storage", "reduce_tensor"]
