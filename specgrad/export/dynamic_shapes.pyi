"""PyTorch's `torch.export.dynamic_shapes`, by names: written from `torch_names.py`."""

from specgrad.nn.export.dims import Dim as Dim
from specgrad.nn.export.dims import dims as dims
