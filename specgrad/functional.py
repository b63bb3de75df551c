"""Functions that PyTorch writes in Python, under the module that it keeps them in."""

from .generated.ops import cdist, istft, lu, norm, split, stft, unique, unique_consecutive, unravel_index
from .runtime.functions.contraction import chain_matmul, einsum, tensordot
from .runtime.functions.low_rank import pca_lowrank, svd_lowrank
from .runtime.functions.several import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
    broadcast_shapes,
    broadcast_tensors,
    cartesian_prod,
    meshgrid,
)

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "block_diag",
    "broadcast_shapes",
    "broadcast_tensors",
    "cartesian_prod",
    "cdist",
    "chain_matmul",
    "einsum",
    "istft",
    "lu",
    "meshgrid",
    "norm",
    "pca_lowrank",
    "split",
    "stft",
    "svd_lowrank",
    "tensordot",
    "unique",
    "unique_consecutive",
    "unravel_index",
]
