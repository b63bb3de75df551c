"""Several devices under PyTorch's names: a batch in parts, and copies of a module for them."""

from .data_parallel import DataParallel, data_parallel
from .distributed import DistributedDataParallel
from .parallel_apply import parallel_apply
from .replicate import replicate
from .scatter_gather import gather, scatter, scatter_kwargs
from .tensor import (
    ColumnParallelLinear,
    RowParallelLinear,
    VocabParallelEmbedding,
    sum_gradients,
    vocab_parallel_cross_entropy,
)

__all__ = [
    "ColumnParallelLinear",
    "DataParallel",
    "DistributedDataParallel",
    "RowParallelLinear",
    "VocabParallelEmbedding",
    "data_parallel",
    "gather",
    "parallel_apply",
    "replicate",
    "scatter",
    "scatter_kwargs",
    "sum_gradients",
    "vocab_parallel_cross_entropy",
]
