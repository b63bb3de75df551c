"""PyTorch's `torch.nested`, by names: written from `torch_names.py`."""

from specgrad.nn.nested.create import as_nested_tensor as as_nested_tensor
from specgrad.nn.nested.create import masked_select as masked_select
from specgrad.nn.nested.create import narrow as narrow
from specgrad.nn.nested.create import nested_tensor as nested_tensor
from specgrad.nn.nested.create import nested_tensor_from_jagged as nested_tensor_from_jagged
from specgrad.nn.nested.create import to_padded_tensor as to_padded_tensor

from . import _internal as _internal
