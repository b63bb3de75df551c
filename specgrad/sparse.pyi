"""PyTorch's `torch.sparse`, by names: written from `torch_names.py`."""

from typing import Any

from specgrad.runtime.representations.sparse.functions import addmm as addmm
from specgrad.runtime.representations.sparse.functions import log_softmax as log_softmax
from specgrad.runtime.representations.sparse.functions import mm as mm
from specgrad.runtime.representations.sparse.functions import sampled_addmm as sampled_addmm
from specgrad.runtime.representations.sparse.functions import softmax as softmax
from specgrad.runtime.representations.sparse.functions import spdiags as spdiags
from specgrad.runtime.representations.sparse.functions import sum as sum
from specgrad.runtime.representations.sparse.older import (
    check_sparse_tensor_invariants as check_sparse_tensor_invariants,
)

def __getattr__(name: str) -> Any: ...
