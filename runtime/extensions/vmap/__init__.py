"""vmap: functions of one example computed for a whole batch at once, by batching rules that the spec names."""

from .batched_tensor import batch_first, level_of, wrap
from .vmap import vmap
from .vmap import vmap as _vmap  # noqa: F401  (which programs import from PyTorch's `_vmap_internals`)

__all__ = ["level_of", "vmap", "batch_first", "wrap"]
