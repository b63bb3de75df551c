"""How tensors travel between processes, under PyTorch's name; code: specgrad.runtime.sharing.multiprocessing."""

from multiprocessing.reduction import ForkingPickler

from ..runtime.sharing.multiprocessing.reductions import (
    init_reductions,
    rebuild_tensor,
    reduce_storage,
    reduce_tensor,
)

__all__ = ["ForkingPickler", "init_reductions", "rebuild_tensor", "reduce_storage", "reduce_tensor"]
