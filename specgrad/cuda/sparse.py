"""Classes of sparse tensors on CUDA devices, of older programs: `cuda.sparse.FloatTensor`."""

from typing import Any

from ..runtime.representations.sparse.older_types import CUDA_SPARSE_TYPES


def __getattr__(name: str) -> Any:
    if name not in CUDA_SPARSE_TYPES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return CUDA_SPARSE_TYPES[name]
