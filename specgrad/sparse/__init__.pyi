"""PyTorch's `torch.sparse`, by names: written from `torch_names.py`."""

from typing import Any

from specgrad.runtime.extensions.sparse.functions import addmm as addmm
from specgrad.runtime.extensions.sparse.functions import log_softmax as log_softmax
from specgrad.runtime.extensions.sparse.functions import mm as mm
from specgrad.runtime.extensions.sparse.functions import sampled_addmm as sampled_addmm
from specgrad.runtime.extensions.sparse.functions import softmax as softmax
from specgrad.runtime.extensions.sparse.functions import spdiags as spdiags
from specgrad.runtime.extensions.sparse.functions import sum as sum
from specgrad.runtime.extensions.sparse.legacy import check_sparse_tensor_invariants as check_sparse_tensor_invariants

def __getattr__(name: str) -> Any: ...
