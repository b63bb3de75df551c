"""Sparse tensors under PyTorch's name: products, sums and softmax; tensors are made by `specgrad.sparse_coo_tensor`."""

from .runtime.arguments import guard_module as _guard_module
from .runtime.representations.sparse.functions import addmm, log_softmax, mm, sampled_addmm, softmax, spdiags, sum
from .runtime.representations.sparse.older import check_sparse_tensor_invariants
from .runtime.representations.sparse.older_types import named as _older_types

__all__ = ["addmm", "check_sparse_tensor_invariants", "log_softmax", "mm", "sampled_addmm", "softmax", "spdiags", "sum"]

_guard_module(__name__)


def __getattr__(name: str) -> object:
    return _older_types(name)
